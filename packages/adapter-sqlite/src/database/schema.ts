import { firstSchema } from "./firstSchema.ts"
import { slotColumn } from "./slots.ts"
import type { Migration } from "./migrate.ts"
import { moveToSlots } from "./moveToSlots.ts"

/**
 * All schema versions, as the steps between them. A released step is never edited: every change is a new step.
 *
 * Rows with a locator are ordered by it, which is the order in which they were made, so an insert touches only the last page, however many
 * rows there are. Access tokens are ordered by their slots, which is the same order (`database/slots.ts`). None of these tables has an
 * index on `keep_until`; `tokens/zones.ts` describes how the sweep works without one.
 */
export const migrations: ReadonlyArray<Migration> = [
  firstSchema,
  {
    name: "the network a person signed in from",
    sql: "ALTER TABLE sessions ADD COLUMN address TEXT;",
  },
  {
    name: "secrets of the provider's own",
    sql: `
      CREATE TABLE secrets (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    name: "the tenant a person signed in for; verified claims only of trusted providers",
    sql: `
      ALTER TABLE sessions ADD COLUMN tenant TEXT;
      UPDATE users SET claims = replace(replace(claims, '"email_verified":true', '"email_verified":false'),
        '"phone_number_verified":true', '"phone_number_verified":false') WHERE origin = 'upstream';
    `,
  },
  {
    name: "what a token is bound to",
    sql: `
      ALTER TABLE access_tokens ADD COLUMN confirmation TEXT;
      ALTER TABLE refresh_tokens ADD COLUMN confirmation TEXT;
    `,
  },
  {
    name: "messages to be delivered after a commit",
    sql: `
      CREATE TABLE outbox (
        locator TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        claimed_by TEXT,
        last_failure TEXT,
        died_at INTEGER,
        keep_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX outbox_that_is_due ON outbox (due_at) WHERE died_at IS NULL;
      CREATE INDEX outbox_that_leaves ON outbox (keep_until) WHERE keep_until > 0;
    `,
  },
  {
    name: "access tokens found by number",
    sql: `
      ALTER TABLE access_tokens RENAME TO access_tokens_by_locator;
      CREATE TABLE access_tokens (
        ${slotColumn},
        locator TEXT NOT NULL,
        digest TEXT NOT NULL,
        grant_id TEXT,
        client_id TEXT NOT NULL,
        subject TEXT,
        scope TEXT NOT NULL,
        audience TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        revoked_at INTEGER,
        confirmation TEXT,
        keep_until INTEGER NOT NULL
      ) STRICT;
    `,
    move: (database, progress) => moveToSlots(database, "access_tokens_by_locator", "access_tokens", progress),
    end: "DROP TABLE access_tokens_by_locator;",
  },
  {
    name: "the key that a code is bound to, and every grant of a session, revoked or not",
    sql: `
      ALTER TABLE codes ADD COLUMN confirmation TEXT;
      DROP INDEX grants_of_session;
      CREATE INDEX grants_of_session ON grants (session_id, created_at) WHERE session_id IS NOT NULL;
    `,
  },
  {
    name: "authorization details of grants and of access tokens",
    sql: `
      ALTER TABLE grants ADD COLUMN authorization_details TEXT;
      ALTER TABLE access_tokens ADD COLUMN authorization_details TEXT;
    `,
  },
  {
    name: "the metadata that codes and consents of clients rest on that publish it themselves",
    sql: `
      ALTER TABLE codes ADD COLUMN client_version TEXT;
      ALTER TABLE consents ADD COLUMN terms TEXT;
    `,
  },
  {
    // Rows are kept in the order of their arrival and found by key in memory (`tokens/spent.ts`). Counted attempts are copied as well and
    // swept when they expire.
    name: "values that were used once, in a table of their own",
    sql: `
      CREATE TABLE uses (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX uses_that_end ON uses (expires_at);
      INSERT INTO uses (key, expires_at) SELECT key, reset_at FROM attempts;
    `,
  },
  {
    name: "the sessions in whose place a session is",
    sql: "ALTER TABLE sessions ADD COLUMN replaced TEXT;",
  },
]
