import type { Migration } from "../../packages/adapter-sqlite/src/database/migrate.ts"

/** Steps that move data about and pass a point (`point()`, a function of the test) before, between and after every statement. */
export const steps: ReadonlyArray<Migration> = [
  {
    name: "a table of numbers",
    sql: `
      SELECT point();
      CREATE TABLE numbers (value INTEGER PRIMARY KEY);
      SELECT point();
      WITH RECURSIVE up(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM up WHERE n < 2000) INSERT INTO numbers SELECT n FROM up;
      SELECT point();`,
  },
  {
    name: "their squares instead",
    sql: `
      SELECT point();
      CREATE TABLE squares (value INTEGER PRIMARY KEY, square INTEGER NOT NULL);
      SELECT point();
      INSERT INTO squares SELECT value, value * value FROM numbers;
      SELECT point();
      DROP TABLE numbers;
      SELECT point();`,
  },
  {
    name: "and a note",
    sql: `
      SELECT point();
      ALTER TABLE squares ADD COLUMN note TEXT NOT NULL DEFAULT 'square';
      SELECT point();`,
  },
]

/** Number of points that the steps pass. */
export const points = 9

/** Content of a database at a version; version 0 holds nothing. */
export const tablesAt: ReadonlyArray<ReadonlyArray<string>> = [[], ["numbers"], ["squares"], ["squares"]]
