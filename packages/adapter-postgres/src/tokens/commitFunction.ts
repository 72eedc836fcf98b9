import { createHash } from "node:crypto"
import type { RowEvent, RowKind, Way } from "@postern/core/model"
import { columnName, columnOf, compiledEvent, goingOn, guardOf, raisesOf, selectionOf, setsOf } from "@postern/stores/rows"
import { inFunction } from "./dialect.ts"

/** The SQLSTATE of a failed guard. */
export const conflict = "PN409"

const failed = `RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = '${conflict}';`

/**
 * Changes rows that meet the guard, and those that descend from them, generation by generation. Each is locked before its own are looked
 * for, in one order: two that change the same ones take turns, and whoever derives a row meanwhile has locked the one it comes from, and
 * is waited for. The order is no index's, so that none is gone through for it.
 */
const descending = (kind: RowKind, event: RowEvent, way: Way, from: string): string => {
  const [table, key] = [`postern.${kind.name}`, columnOf(kind.key[0] ?? "")]
  const rows = (which: string): string =>
    `ids := ARRAY(SELECT t.${key} FROM ${table} AS t WHERE ${which} ORDER BY t.${key} || '' FOR UPDATE);`
  return `
    ${rows(`${guardOf(inFunction, kind, event, way)} AND ${selectionOf(inFunction, kind, event)}`)}
    ${event.otherwise === "nothing" ? "" : `IF cardinality(ids) = 0 THEN ${failed} END IF;`}
    WHILE cardinality(ids) > 0 LOOP
      UPDATE ${table} AS t SET ${setsOf(inFunction, kind, [way], false)} WHERE t.${key} = ANY (ids);
      ${rows(`t.${from} = ANY (ids) AND t.${from} IS NOT NULL AND ${guardOf(inFunction, kind, undefined, way)}`)}
    END LOOP;`
}

/** Changes one row, and those it descends from. */
const ascending = (kind: RowKind, event: RowEvent, way: Way, from: string): string => {
  const [table, key] = [`postern.${kind.name}`, columnOf(kind.key[0] ?? "")]
  const compiled = compiledEvent(inFunction, kind, event)
  return `
    ${"change" in compiled ? compiled.change : ""} RETURNING t.${from} INTO above;
    ${event.otherwise === "nothing" ? "" : `IF NOT FOUND THEN ${failed} END IF;`}
    IF above IS NOT NULL THEN
      WITH RECURSIVE chain (key, parent) AS (
        SELECT t.${key}, t.${from} FROM ${table} AS t WHERE t.${key} = above
        UNION SELECT t.${key}, t.${from} FROM chain JOIN ${table} AS t ON t.${key} = chain.parent
      )
      UPDATE ${table} AS t SET ${setsOf(inFunction, kind, [way], false)}
      WHERE t.${key} IN (SELECT key FROM chain) AND (${raisesOf(inFunction, kind, way)});
    END IF;`
}

/**
 * Waits for whoever inserts or removes a row of the same key, and has them wait until the commit. A statement that finds no row locks nothing: between a
 * withdrawal that finds no consent and its revocation of grants, another transaction could commit both.
 */
const turn = (kind: RowKind, event: RowEvent): string => {
  const change = event.ways.map((way) => way.change).find((each) => each === "insert" || each === "remove")
  if (kind.absenceCounts !== true || change === undefined) return ""
  const values = kind.key.map((member) => (change === "insert" ? `command->'row'->>'${columnName(member)}'` : `command->>'${member}'`))
  return `PERFORM pg_advisory_xact_lock(hashtextextended(jsonb_build_array(${[`'${kind.name}'`, ...values].join(", ")})::text, 0)); `
}

/** Locks required rows until the commit, so that nobody takes it away between judging and committing. */
const statementOf = (kind: RowKind, event: RowEvent): string => {
  const from = columnOf(kind.descent?.from ?? "")
  const [down, up] = [goingOn(kind, event, "down"), goingOn(kind, event, "up")]
  if (down !== undefined) return descending(kind, event, down, from)
  if (up !== undefined) return ascending(kind, event, up, from)
  const compiled = compiledEvent(inFunction, kind, event)
  const statement = "look" in compiled ? `PERFORM 1 ${compiled.look} FOR NO KEY UPDATE;` : `${turn(kind, event)}${compiled.change};`
  return event.otherwise === "nothing" ? statement : `${statement} IF NOT FOUND THEN ${failed} END IF;`
}

/** The functions that commit commands of some kinds of row. */
export interface CommitFunctions {
  /** Commits one set of commands: the function with its schema. */
  readonly one: string
  /** Commits several sets that are all expected to be done, or none of them. */
  readonly together: string
  /** Commits several sets, each whole or not at all. */
  readonly each: string
  /** The digest in their names. */
  readonly digest: string
  /** The tables of the events whose rows may be inserted before everything else of their sets, by event. */
  readonly inserted: ReadonlyMap<string, string>
  /** Makes all of them. */
  readonly statements: ReadonlyArray<string>
}

/**
 * Writes the functions that commit commands of some kinds of row, a branch for each event. Their names hold a digest of their text: a
 * version of Postern that knows other events makes functions of its own, and one that still serves beside it keeps the old ones.
 *
 * The first runs a set of commands in the order given, each seeing what those before it did. One failed guard is an error, which takes
 * back everything: so a commit is one statement, one round trip and one transaction, whatever its commands. Catching the error in it and
 * answering false would spare the server's log a line for each lost race, and cost every commit a subtransaction: a seventh more work,
 * measured.
 *
 * The second runs several sets as one, for nearly always every guard holds: the new rows of a table go in by one statement, then the other
 * commands run in order. Of 16 new tokens each costs PostgreSQL 20 µs and not 37 (commits of one connection, the wait for the disk apart).
 *
 * The third runs several sets, each as the first would and each in a subtransaction, so that a failed guard takes back its own set
 * alone; it answers with a `t` or `f` for each.
 *
 * These two hold what they have locked until all sets are done: so they wait for no lock of another for long, also because two that wait
 * for each other would otherwise be detected only after `deadlock_timeout`.
 */
export const commitFunctionsOf = (kinds: ReadonlyArray<RowKind>): CommitFunctions => {
  const branches = kinds.flatMap((kind) =>
    Object.entries(kind.events).map(([name, event]) => `IF happened = '${name}' THEN ${statementOf(kind, event)}`),
  )
  // A column may be called as a variable is: every column has its table before it.
  const body = `
#variable_conflict use_variable
DECLARE
  command jsonb;
  happened text;
  ids text[];
  above text;
BEGIN
  FOR place IN 0 .. jsonb_array_length(commands) - 1 LOOP
    command := commands -> place;
    happened := command->>'event';
    ${branches.join("\n    ELS")}
    ELSE
      RAISE EXCEPTION 'no event is called %', happened;
    END IF;
  END LOOP;
END`
  const eachOf = (one: string): string => `
DECLARE
  done text := '';
BEGIN
  FOR place IN 0 .. jsonb_array_length(sets) - 1 LOOP
    BEGIN
      PERFORM ${one}(sets -> place);
      done := done || 't';
    EXCEPTION WHEN SQLSTATE '${conflict}' THEN
      done := done || 'f';
    END;
  END LOOP;
  RETURN done;
END`
  const inserted = insertedFirst(kinds)
  const togetherOf = (one: string): string => `
BEGIN
  ${[...new Set(inserted.values())].map((table) => `IF rows ? '${table}' THEN ${insertionOf(table, `rows->'${table}'`)}; END IF;`).join("\n  ")}
  PERFORM ${one}(commands);
END`
  const short = "SET lock_timeout = '100ms'"
  const statementsOf = (one: string, together: string, each: string): ReadonlyArray<string> => [
    `CREATE OR REPLACE FUNCTION ${one}(commands jsonb) RETURNS void LANGUAGE plpgsql AS $function$${body}\n$function$`,
    `CREATE OR REPLACE FUNCTION ${together}(rows jsonb, commands jsonb) RETURNS void LANGUAGE plpgsql ${short} AS $function$${togetherOf(one)}\n$function$`,
    `CREATE OR REPLACE FUNCTION ${each}(sets jsonb) RETURNS text LANGUAGE plpgsql ${short} AS $function$${eachOf(one)}\n$function$`,
  ]
  // Whatever of the functions changes, their names change with it.
  const digest = createHash("sha256")
    .update(statementsOf("one", "together", "each").join("\n"))
    .digest("hex")
    .slice(0, 12)
  const [one, together, each] = [`postern.commit_${digest}`, `postern.commit_together_${digest}`, `postern.commit_each_${digest}`]
  return { one, together, each, digest, inserted, statements: statementsOf(one, together, each) }
}

/** Inserts rows of one table, given as JSON. One that exists is an error, which takes back everything. */
export const insertionOf = (table: string, rows: string): string =>
  `INSERT INTO postern.${table} SELECT * FROM jsonb_populate_recordset(NULL::postern.${table}, ${rows})`

/**
 * The events that only insert, of kinds whose rows are changed by their own key alone: a command before one in its set, or in another set,
 * can tell no difference whether the new row is there already, but by failing. One that finds none and goes on would tell it by the change
 * of the new row; only a locator is known to nobody before it is saved. Where the absence of a row counts, the insertion waits for its turn.
 */
const insertedFirst = (kinds: ReadonlyArray<RowKind>): ReadonlyMap<string, string> =>
  new Map(
    kinds
      .filter(({ descent, absenceCounts }) => descent === undefined && absenceCounts !== true)
      .filter(({ ordered, events }) =>
        Object.values(events).every((event) => event.by === undefined && !changesWhatIsThere(event, ordered)),
      )
      .flatMap(({ name, events }) =>
        Object.entries(events)
          .filter(([, { ways, otherwise }]) => otherwise !== "nothing" && ways.length === 1 && ways[0]?.when === "absent")
          .map(([event]) => [event, name] as const),
      ),
  )

/** Tells if an event removes or changes an existing row, and does nothing where there is none. Of rows by locator only a removal counts. */
const changesWhatIsThere = ({ ways, otherwise }: RowEvent, ordered: boolean): boolean =>
  otherwise === "nothing" && ways.some(({ change }) => (ordered ? change === "remove" : change !== "nothing"))
