import { createHash } from "node:crypto"
import type { RowEvent, RowKind, Way } from "@postern/core/model"
import { columnName, columnOf, compiledEvent, goingOn, guardOf, raisesOf, selectionOf, setsOf } from "@postern/stores/rows"
import { inFunction } from "./dialect.ts"

/** The SQLSTATE of a failed guard. */
export const conflict = "PN409"

const failed = `RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = '${conflict}';`

/**
 * Changes the rows that meet the guard and their descendants, one generation at a time. The rows of a generation are locked in a fixed
 * order before their children are searched for. Two commits that change the same rows therefore take turns, and a concurrent commit that
 * derives a row has locked its parent, so this one waits for it. The order is that of no index, so that PostgreSQL does not scan an index
 * for it.
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

/** Changes one row and its ancestors. */
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
 * Waits for transactions that insert or remove a row of the same key, and makes later ones wait until the commit. A statement that finds no
 * row locks nothing, so another transaction could commit both between a withdrawal that finds no consent and its revocation of grants.
 */
const turn = (kind: RowKind, event: RowEvent): string => {
  const change = event.ways.map((way) => way.change).find((each) => each === "insert" || each === "remove")
  if (kind.absenceCounts !== true || change === undefined) return ""
  const values = kind.key.map((member) => (change === "insert" ? `command->'row'->>'${columnName(member)}'` : `command->>'${member}'`))
  return `PERFORM pg_advisory_xact_lock(hashtextextended(jsonb_build_array(${[`'${kind.name}'`, ...values].join(", ")})::text, 0)); `
}

/**
 * Compiles an event. A required row is locked until the commit, so that no other transaction removes it between the decision and the
 * commit.
 */
const statementOf = (kind: RowKind, event: RowEvent): string => {
  const from = columnOf(kind.descent?.from ?? "")
  const [down, up] = [goingOn(kind, event, "down"), goingOn(kind, event, "up")]
  if (down !== undefined) return descending(kind, event, down, from)
  if (up !== undefined) return ascending(kind, event, up, from)
  const compiled = compiledEvent(inFunction, kind, event)
  const statement = "look" in compiled ? `PERFORM 1 ${compiled.look} FOR NO KEY UPDATE;` : `${turn(kind, event)}${compiled.change};`
  return event.otherwise === "nothing" ? statement : `${statement} IF NOT FOUND THEN ${failed} END IF;`
}

/** The functions that commit commands of the given kinds of rows. */
export interface CommitFunctions {
  /** The qualified name of the function that commits one set of commands. */
  readonly one: string
  /** The qualified name of the function that commits several sets, all of them or none. */
  readonly together: string
  /** The qualified name of the function that commits several sets, each whole or not at all. */
  readonly each: string
  /** The digest in the functions' names. */
  readonly digest: string
  /** The events whose rows may be inserted before the other commands of their sets, with their tables. */
  readonly inserted: ReadonlyMap<string, string>
  /** The statements that create the functions. */
  readonly statements: ReadonlyArray<string>
}

/**
 * Generates the functions that commit commands of the given kinds of rows, with a branch for each event. Their names contain a digest of
 * their text. A version of Postern with other events creates its own functions, and a version still running beside it keeps the old ones.
 *
 * The first runs a set of commands in the given order, each of which sees the changes before it. A failed guard raises an error, which
 * rolls back everything, so a commit is one statement, one round trip and one transaction, whatever its commands. Catching the error in the
 * function and returning false would save a line in the server's log for each lost race, but cost every commit a subtransaction: a seventh
 * more work, measured.
 *
 * The second runs several sets as one, because nearly always every guard holds. It inserts the new rows of each table by one statement and
 * then runs the other commands in order. Each of 16 new tokens then costs PostgreSQL 20 µs instead of 37 (commits of one connection,
 * without the wait for the disk).
 *
 * The third runs several sets, each like the first and in a subtransaction, so that a failed guard rolls back only its own set. It returns
 * a `t` or `f` for each.
 *
 * The second and third hold their locks until all sets are done. They therefore wait only briefly for a lock of another transaction, also
 * because a deadlock would otherwise be detected only after `deadlock_timeout`.
 */
export const commitFunctionsOf = (kinds: ReadonlyArray<RowKind>): CommitFunctions => {
  const branches = kinds.flatMap((kind) =>
    Object.entries(kind.events).map(([name, event]) => `IF happened = '${name}' THEN ${statementOf(kind, event)}`),
  )
  // A column may have the same name as a variable, so every column is qualified by its table.
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
  // The digest covers the text of all functions, so their names change with any of them.
  const digest = createHash("sha256")
    .update(statementsOf("one", "together", "each").join("\n"))
    .digest("hex")
    .slice(0, 12)
  const [one, together, each] = [`postern.commit_${digest}`, `postern.commit_together_${digest}`, `postern.commit_each_${digest}`]
  return { one, together, each, digest, inserted, statements: statementsOf(one, together, each) }
}

/** Returns the statement that inserts rows of one table, given as JSON. A row that exists raises an error, which rolls back everything. */
export const insertionOf = (table: string, rows: string): string =>
  `INSERT INTO postern.${table} SELECT * FROM jsonb_populate_recordset(NULL::postern.${table}, ${rows})`

/**
 * Returns the events whose rows may be inserted first: those that only insert, of kinds whose rows are changed only by their own key. A
 * command that runs before such an insert, in the same set or another, cannot detect whether the new row exists already, except by failing.
 * A kind is excluded if one of its events changes an existing row and does nothing for a missing one, because that event would now change
 * the new row. For kinds with a locator only a removal counts, because nobody knows a locator before it is saved. If the absence of a row
 * counts, the insertion must wait for its turn.
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

/**
 * Reports whether an event removes or changes an existing row and does nothing if there is none. For rows with a locator, only a removal
 * counts.
 */
const changesWhatIsThere = ({ ways, otherwise }: RowEvent, ordered: boolean): boolean =>
  otherwise === "nothing" && ways.some(({ change }) => (ordered ? change === "remove" : change !== "nothing"))
