import { mark } from "./mark.ts"
import type { Migration } from "./migrate.ts"

/**
 * Every schema there ever was, as the steps between them. A step that was released is never edited: a change is a new step.
 *
 * Everything lies in a schema of its own, named in every statement, so that it may share a database with others and a pooler with nothing
 * but transactions. Keys are compared by their bytes, whatever the database's language. Tables whose rows come and go are vacuumed when a
 * hundredth of them is gone, so that what a sweep has freed is used again. Their index on `keep_until` is how any number of processes find
 * what has expired without telling each other; it costs an insert a fifth more log and no more work than can be told from noise.
 *
 * The functions that commit are no part of it: each version makes its own where they are missing, see `commits.ts`.
 */
export const migrations: ReadonlyArray<Migration> = [
  {
    name: "grants, codes, tokens, sessions, interactions, consents, clients, users, identities, keys, trails",
    statements: [
      `CREATE TABLE postern.grants (
        id text COLLATE "C" PRIMARY KEY,
        client_id text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        sub text NOT NULL,
        session_id text COLLATE "C",
        scope text NOT NULL,
        resources text NOT NULL,
        auth_time bigint NOT NULL,
        amr text NOT NULL,
        acr text,
        nonce text,
        claims text,
        ends_with_session smallint NOT NULL,
        parent_id text COLLATE "C",
        extension text,
        created_at bigint NOT NULL,
        keep_until bigint NOT NULL,
        revoked_at bigint
      )`,
      `CREATE INDEX grants_of_subject ON postern.grants (subject, id) WHERE revoked_at IS NULL`,
      `CREATE INDEX grants_of_session ON postern.grants (session_id) WHERE ends_with_session = 1 AND session_id IS NOT NULL`,
      `CREATE INDEX grants_of_parent ON postern.grants (parent_id) WHERE parent_id IS NOT NULL`,
      `CREATE TABLE postern.codes (
        locator text COLLATE "C" PRIMARY KEY,
        digest text NOT NULL,
        grant_id text COLLATE "C" NOT NULL,
        client_id text NOT NULL,
        redirect_uri text NOT NULL,
        challenge text,
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        consumed_at bigint,
        keep_until bigint NOT NULL
      )`,

      `CREATE TABLE postern.access_tokens (
        locator text COLLATE "C" PRIMARY KEY,
        digest text NOT NULL,
        grant_id text COLLATE "C",
        client_id text NOT NULL,
        subject text,
        scope text NOT NULL,
        audience text NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        revoked_at bigint,
        keep_until bigint NOT NULL
      )`,

      `CREATE TABLE postern.refresh_tokens (
        locator text COLLATE "C" PRIMARY KEY,
        digest text NOT NULL,
        grant_id text COLLATE "C" NOT NULL,
        client_id text NOT NULL,
        scope text NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        absolute_expires_at bigint NOT NULL,
        rotated_at bigint,
        successor text,
        keep_until bigint NOT NULL
      )`,

      `CREATE TABLE postern.sessions (
        locator text COLLATE "C" PRIMARY KEY,
        digest text NOT NULL,
        subject text COLLATE "C" NOT NULL,
        auth_time bigint NOT NULL,
        amr text NOT NULL,
        acr text,
        idp text,
        agent text NOT NULL,
        created_at bigint NOT NULL,
        seen_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        ended_at bigint,
        keep_until bigint NOT NULL
      )`,
      `CREATE INDEX sessions_of_subject ON postern.sessions (subject, locator) WHERE ended_at IS NULL`,

      `CREATE TABLE postern.interactions (
        locator text COLLATE "C" PRIMARY KEY,
        version bigint NOT NULL,
        keep_until bigint NOT NULL,
        content text NOT NULL
      )`,

      `CREATE TABLE postern.devices (
        locator text COLLATE "C" PRIMARY KEY,
        user_code text COLLATE "C" NOT NULL UNIQUE,
        version bigint NOT NULL,
        keep_until bigint NOT NULL,
        content text NOT NULL
      )`,

      `CREATE TABLE postern.attempts (
        key text COLLATE "C" PRIMARY KEY,
        count bigint NOT NULL,
        reset_at bigint NOT NULL
      )`,
      `CREATE INDEX attempts_that_end ON postern.attempts (reset_at)`,

      `CREATE TABLE postern.consents (
        subject text COLLATE "C" NOT NULL,
        client_id text COLLATE "C" NOT NULL,
        scope text NOT NULL,
        granted_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (subject, client_id)
      )`,
      `CREATE INDEX consents_that_expire ON postern.consents (expires_at) WHERE expires_at > 0`,

      ...["grants", "codes", "access_tokens", "refresh_tokens", "sessions", "interactions", "devices"].map(
        (table) => `CREATE INDEX ${table}_that_leave ON postern.${table} (keep_until)`,
      ),
      ...["grants", "codes", "access_tokens", "refresh_tokens", "sessions", "interactions", "devices", "attempts"].map(
        (table) => `ALTER TABLE postern.${table} SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
      ),

      `CREATE TABLE postern.clients (
        client_id text COLLATE "C" PRIMARY KEY,
        metadata text NOT NULL,
        secret_hash text,
        secret_sealed text,
        origin text NOT NULL CHECK (origin IN ('config', 'command')),
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL
      )`,

      `CREATE TABLE postern.users (
        subject text COLLATE "C" PRIMARY KEY,
        username text NOT NULL,
        username_key text COLLATE "C" NOT NULL UNIQUE,
        password_hash text,
        claims text NOT NULL,
        disabled smallint NOT NULL,
        tenant text,
        origin text NOT NULL CHECK (origin IN ('config', 'command', 'upstream')),
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL
      )`,

      `CREATE TABLE postern.identities (
        issuer text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        user_subject text COLLATE "C" NOT NULL,
        provider text NOT NULL,
        created_at bigint NOT NULL,
        last_seen bigint NOT NULL,
        PRIMARY KEY (issuer, subject)
      )`,
      `CREATE INDEX identities_of_user ON postern.identities (user_subject)`,

      `CREATE TABLE postern.signing_keys (
        kid text COLLATE "C" PRIMARY KEY,
        alg text NOT NULL,
        private_jwk text NOT NULL,
        public_jwk text NOT NULL,
        created_at bigint NOT NULL,
        active_at bigint NOT NULL
      )`,

      `CREATE TABLE postern.trails (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        request_id text COLLATE "C" NOT NULL UNIQUE,
        at bigint NOT NULL,
        refused smallint NOT NULL,
        content text NOT NULL
      )`,

      `CREATE TABLE postern.audit_events (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at bigint NOT NULL,
        event text NOT NULL,
        client_id text,
        subject text,
        content text NOT NULL
      )`,

      // Written by versions before tries were reserved in the commit.
      `CREATE TABLE postern.tries (
        key text COLLATE "C" PRIMARY KEY,
        points bigint NOT NULL DEFAULT 0,
        expire bigint
      )`,
      `CREATE INDEX tries_that_end ON postern.tries (expire)`,

      // Not logged: what a crash takes are counts of the last minutes, which every process has its own of.
      `CREATE UNLOGGED TABLE postern.request_counts (
        key text COLLATE "C" PRIMARY KEY,
        full_at double precision NOT NULL,
        taken double precision NOT NULL
      )`,
      `CREATE INDEX request_counts_that_end ON postern.request_counts (full_at)`,
      `ALTER TABLE postern.request_counts SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,

      `CREATE TABLE postern.revisions (
        name text COLLATE "C" PRIMARY KEY,
        value bigint NOT NULL
      )`,
      `INSERT INTO postern.revisions (name, value) VALUES ('clients', 0), ('users', 0), ('signing_keys', 0)`,
      mark,
    ],
  },
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
      `DROP INDEX postern.grants_of_session`,
      `CREATE INDEX grants_of_session ON postern.grants (session_id, created_at) WHERE session_id IS NOT NULL`,
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
]
