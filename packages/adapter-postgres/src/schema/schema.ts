import { firstSchema } from "./firstSchema.ts"
import type { Migration } from "./migrate.ts"

/**
 * All schema versions, as the steps between them. A released step is never edited: every change is a new step.
 *
 * All tables are in a schema of their own, which every statement names, so that Postern can share a database with others and use a
 * transaction-mode pooler. Keys are compared by their bytes, whatever the database's locale. Tables with short-lived rows are vacuumed once
 * a hundredth of the rows is dead, so that space freed by a sweep is reused. By their index on `keep_until`, any number of processes find
 * expired rows without coordination. The index costs an insert a fifth more log, but no measurable CPU.
 *
 * The commit functions are not part of the schema: each version creates its own where they are missing, see `commits.ts`.
 */
export const migrations: ReadonlyArray<Migration> = [
  firstSchema,
  {
    name: "the network a person signed in from",
    statements: ["ALTER TABLE postern.sessions ADD COLUMN address text"],
  },
  {
    name: "tries that are reserved; secrets of the provider's own",
    statements: [
      `CREATE TABLE postern.secrets (
        name text COLLATE "C" PRIMARY KEY,
        value text NOT NULL
      )`,
    ],
  },
  {
    name: "the tenant a person signed in for; verified claims only of trusted providers",
    statements: [
      "ALTER TABLE postern.sessions ADD COLUMN tenant text",
      `UPDATE postern.users SET claims = replace(replace(claims, '"email_verified":true', '"email_verified":false'),
        '"phone_number_verified":true', '"phone_number_verified":false') WHERE origin = 'upstream'`,
    ],
  },
  {
    name: "what a token is bound to",
    statements: [
      "ALTER TABLE postern.access_tokens ADD COLUMN confirmation text",
      "ALTER TABLE postern.refresh_tokens ADD COLUMN confirmation text",
    ],
  },
  {
    name: "messages to be delivered after a commit",
    statements: [
      `CREATE TABLE postern.outbox (
        locator text COLLATE "C" PRIMARY KEY,
        kind text NOT NULL,
        payload text NOT NULL,
        created_at bigint NOT NULL,
        due_at bigint NOT NULL,
        attempts bigint NOT NULL,
        claimed_by text,
        last_failure text,
        died_at bigint,
        keep_until bigint NOT NULL
      )`,
      `CREATE INDEX outbox_that_is_due ON postern.outbox (due_at, locator) WHERE died_at IS NULL`,
      `CREATE INDEX outbox_that_died ON postern.outbox (died_at) WHERE died_at IS NOT NULL`,
      `CREATE INDEX outbox_that_leaves ON postern.outbox (keep_until) WHERE keep_until > 0`,
      `ALTER TABLE postern.outbox SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
    ],
  },
  {
    name: "the key that a code is bound to, and every grant of a session, revoked or not",
    statements: [
      `ALTER TABLE postern.codes ADD COLUMN confirmation text`,
      // The new index is built before the old one is dropped, because the drop blocks readers of older servers until the commit.
      `CREATE INDEX grants_of_session_since ON postern.grants (session_id, created_at) WHERE session_id IS NOT NULL`,
      `DROP INDEX postern.grants_of_session`,
      `ALTER INDEX postern.grants_of_session_since RENAME TO grants_of_session`,
    ],
  },
  {
    name: "authorization details of grants and of access tokens",
    statements: [
      "ALTER TABLE postern.grants ADD COLUMN authorization_details text",
      "ALTER TABLE postern.access_tokens ADD COLUMN authorization_details text",
    ],
  },
  {
    name: "the metadata that codes and consents of clients rest on that publish it themselves",
    statements: ["ALTER TABLE postern.codes ADD COLUMN client_version text", "ALTER TABLE postern.consents ADD COLUMN terms text"],
  },
  {
    name: "values that were used once, in a table of their own",
    statements: [
      `CREATE TABLE postern.uses (
        key text COLLATE "C" PRIMARY KEY,
        expires_at bigint NOT NULL
      )`,
      `CREATE INDEX uses_that_end ON postern.uses (expires_at)`,
      `ALTER TABLE postern.uses SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
      `INSERT INTO postern.uses (key, expires_at) SELECT key, reset_at FROM postern.attempts`,
    ],
  },
  {
    name: "the sessions in whose place a session is",
    statements: ["ALTER TABLE postern.sessions ADD COLUMN replaced text"],
  },
]
