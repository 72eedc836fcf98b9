import type { Migration } from "../../packages/adapter-sqlite/src/database/migrate.ts"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"

/** Schema of a later version: each step takes long enough to be killed in. */
const next: ReadonlyArray<Migration> = [
  {
    name: "a column that every row gets, and an index over it",
    sql: `
      ALTER TABLE access_tokens ADD COLUMN later TEXT;
      UPDATE access_tokens SET later = upper(locator) || digest;
      CREATE INDEX later_access_tokens ON access_tokens (later);
      CREATE TABLE later (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
    `,
  },
  {
    name: "a table that is made anew",
    sql: `
      CREATE TABLE anew AS SELECT * FROM access_tokens;
      INSERT INTO later (note) SELECT later FROM anew;
      DROP TABLE anew;
    `,
  },
]

/** Today's steps and those. */
export const laterSteps: ReadonlyArray<Migration> = [...migrations, ...next]
