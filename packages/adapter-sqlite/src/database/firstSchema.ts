import type { Migration } from "./migrate.ts"

/** The tables of the first schema version. */
export const firstSchema: Migration = {
  name: "grants, codes, tokens, sessions, interactions, consents, clients, users, identities, keys, trails",
  sql: `
      CREATE TABLE grants (
        id TEXT PRIMARY KEY,
        client_id TEXT NOT NULL,
        subject TEXT NOT NULL,
        sub TEXT NOT NULL,
        session_id TEXT,
        scope TEXT NOT NULL,
        resources TEXT NOT NULL,
        auth_time INTEGER NOT NULL,
        amr TEXT NOT NULL,
        acr TEXT,
        nonce TEXT,
        claims TEXT,
        ends_with_session INTEGER NOT NULL,
        parent_id TEXT,
        extension TEXT,
        created_at INTEGER NOT NULL,
        keep_until INTEGER NOT NULL,
        revoked_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX grants_of_subject ON grants (subject, id) WHERE revoked_at IS NULL;
      CREATE INDEX grants_of_session ON grants (session_id) WHERE revoked_at IS NULL AND ends_with_session = 1 AND session_id IS NOT NULL;
      CREATE INDEX grants_of_parent ON grants (parent_id) WHERE revoked_at IS NULL AND parent_id IS NOT NULL;

      CREATE TABLE codes (
        locator TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        grant_id TEXT NOT NULL,
        client_id TEXT NOT NULL,
        redirect_uri TEXT NOT NULL,
        challenge TEXT,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        consumed_at INTEGER,
        keep_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE access_tokens (
        locator TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        grant_id TEXT,
        client_id TEXT NOT NULL,
        subject TEXT,
        scope TEXT NOT NULL,
        audience TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        revoked_at INTEGER,
        keep_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE refresh_tokens (
        locator TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        grant_id TEXT NOT NULL,
        client_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        absolute_expires_at INTEGER NOT NULL,
        rotated_at INTEGER,
        successor TEXT,
        keep_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE sessions (
        locator TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        subject TEXT NOT NULL,
        auth_time INTEGER NOT NULL,
        amr TEXT NOT NULL,
        acr TEXT,
        idp TEXT,
        agent TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        ended_at INTEGER,
        keep_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sessions_of_subject ON sessions (subject, locator) WHERE ended_at IS NULL;

      CREATE TABLE interactions (
        locator TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        keep_until INTEGER NOT NULL,
        content TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE devices (
        locator TEXT PRIMARY KEY,
        user_code TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        keep_until INTEGER NOT NULL,
        content TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE attempts (
        key TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        reset_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX attempts_that_end ON attempts (reset_at);

      CREATE TABLE consents (
        subject TEXT NOT NULL,
        client_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        granted_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (subject, client_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX consents_that_expire ON consents (expires_at) WHERE expires_at > 0;

      CREATE TABLE clients (
        client_id TEXT PRIMARY KEY,
        metadata TEXT NOT NULL,
        secret_hash TEXT,
        secret_sealed TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('config', 'command')),
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE users (
        subject TEXT PRIMARY KEY,
        username TEXT NOT NULL,
        username_key TEXT NOT NULL UNIQUE,
        password_hash TEXT,
        claims TEXT NOT NULL,
        disabled INTEGER NOT NULL,
        tenant TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('config', 'command', 'upstream')),
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE identities (
        issuer TEXT NOT NULL,
        subject TEXT NOT NULL,
        user_subject TEXT NOT NULL,
        provider TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        PRIMARY KEY (issuer, subject)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX identities_of_user ON identities (user_subject);

      CREATE TABLE signing_keys (
        kid TEXT PRIMARY KEY,
        alg TEXT NOT NULL,
        private_jwk TEXT NOT NULL,
        public_jwk TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        active_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE trails (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        request_id TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL,
        refused INTEGER NOT NULL,
        content TEXT NOT NULL
      ) STRICT;

      CREATE TABLE audit_events (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        event TEXT NOT NULL,
        client_id TEXT,
        subject TEXT,
        content TEXT NOT NULL
      ) STRICT;

      CREATE TABLE request_counts (
        key TEXT PRIMARY KEY,
        full_at REAL NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX request_counts_that_end ON request_counts (full_at);

      CREATE TABLE revisions (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO revisions (name, value) VALUES ('clients', 0), ('users', 0);
    `,
}
