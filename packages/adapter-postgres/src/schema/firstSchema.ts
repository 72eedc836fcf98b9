import { mark } from "./mark.ts"
import type { Migration } from "./migrate.ts"

/** The tables of the first schema version. */
export const firstSchema: Migration = {
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

    // Versions that did not yet reserve tries in the commit write to this table.
    `CREATE TABLE postern.tries (
        key text COLLATE "C" PRIMARY KEY,
        points bigint NOT NULL DEFAULT 0,
        expire bigint
      )`,
    `CREATE INDEX tries_that_end ON postern.tries (expire)`,

    // The table is unlogged because a crash loses only the counts of the last minutes, of which every process has its own.
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
}
