import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { Database } from "../database/connect.ts"
import { commitFunctionsOf } from "../tokens/commitFunction.ts"
import { lock, stepPatience } from "./migrate.ts"
import { tablesDue } from "./tables.ts"

const day = 86_400

/**
 * The number of days after which functions that no server has reported using are dropped. An upgrade of several servers takes only hours.
 */
const unused = 30

/** The current time in seconds. Servers use the database's clock, so that they compare times of one clock. */
const present = "extract(epoch FROM now())::bigint"

/** Records the use of functions in `postern.revisions`, under the digest in their names. An update once a day is enough. */
const used = `INSERT INTO postern.revisions AS kept (name, value) VALUES ($1, ${present})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value < excluded.value - ${day / 2}`

/** Selects every commit function that this user may drop, as the name of its row and its signature. */
const functions = `SELECT 'commits ' || right(proname, 12) AS name,
    format('postern.%I(%s)', proname, pg_get_function_identity_arguments(oid)) AS signature
  FROM pg_catalog.pg_proc WHERE pronamespace = 'postern'::regnamespace AND proname ~ '^commit_(together_|each_)?[0-9a-f]{12}$'
    AND pg_has_role(proowner, 'USAGE')`

/** Creates the tables of features and the functions that commit commands of the given kinds, if they do not exist. */
export const prepareCommits = async (database: Database, kinds: ReadonlyArray<RowKind> = rowKinds): Promise<void> => {
  const { each, digest, statements } = commitFunctionsOf(kinds)
  const operation = "prepare commits"
  // A server that drops functions deletes their row first, in the same transaction. Once this row is written, the functions either stay or
  // are seen to be missing.
  await database.write(operation, used, [`commits ${digest}`])
  const [[there] = []] = await database.read(operation, "SELECT to_regprocedure($1) IS NOT NULL", [`${each}(jsonb)`])
  const due = [...(await tablesDue(database, kinds)), ...(there === true ? [] : statements.map((sql) => ({ sql })))]
  if (due.length > 0) await database.transact(operation, [...lock, ...due], stepPatience)
}

/**
 * Records once a day that a server uses its commit functions, and drops functions of other versions that no server has reported using for
 * 30 days. The functions of a version that reports nothing count from the day another server finds them.
 */
export const tendCommits = (database: Database, kinds: ReadonlyArray<RowKind> = rowKinds): ((now: Instant) => Promise<void>) => {
  const operation = "drop old functions"
  const { digest } = commitFunctionsOf(kinds)
  let next = Number.NEGATIVE_INFINITY
  return async (now) => {
    if (now < next) return
    await database.write(operation, used, [`commits ${digest}`])
    await database.write(
      operation,
      `INSERT INTO postern.revisions (name, value) SELECT DISTINCT name, ${present} FROM (${functions}) AS made ORDER BY name ON CONFLICT DO NOTHING`,
    )
    const isOld = `value < ${present} - ${unused * day}`
    const old = await database.read(
      operation,
      `SELECT name, string_agg(signature, ', ') FROM (${functions}) AS made JOIN postern.revisions USING (name) WHERE ${isOld} GROUP BY name`,
    )
    for (const [name, signatures] of old) {
      await database.transact(operation, [
        { sql: `DELETE FROM postern.revisions WHERE name = $1 AND ${isOld}`, params: [name], guards: true },
        { sql: `DROP FUNCTION IF EXISTS ${String(signatures)}` },
      ])
    }
    next = now + day
  }
}
