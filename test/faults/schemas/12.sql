-- Version 12, as it was released, with rows of every table.
PRAGMA application_id = 1347638350;
PRAGMA user_version = 12;
-- grants, codes, tokens, sessions, interactions, consents, clients, users, identities, keys, trails
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
-- the network a person signed in from
ALTER TABLE sessions ADD COLUMN address TEXT;
-- secrets of the provider's own
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- the tenant a person signed in for; verified claims only of trusted providers
ALTER TABLE sessions ADD COLUMN tenant TEXT;
UPDATE users SET claims = replace(replace(claims, '"email_verified":true', '"email_verified":false'),
  '"phone_number_verified":true', '"phone_number_verified":false') WHERE origin = 'upstream';
-- what a token is bound to
ALTER TABLE access_tokens ADD COLUMN confirmation TEXT;
ALTER TABLE refresh_tokens ADD COLUMN confirmation TEXT;
-- messages to be delivered after a commit
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
-- access tokens found by number
ALTER TABLE access_tokens RENAME TO access_tokens_by_locator;
CREATE TABLE access_tokens (
  slot INTEGER PRIMARY KEY CHECK (slot % 2 = 0),
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
DROP TABLE access_tokens_by_locator;
-- the key that a code is bound to, and every grant of a session, revoked or not
ALTER TABLE codes ADD COLUMN confirmation TEXT;
DROP INDEX grants_of_session;
CREATE INDEX grants_of_session ON grants (session_id, created_at) WHERE session_id IS NOT NULL;
-- authorization details of grants and of access tokens
ALTER TABLE grants ADD COLUMN authorization_details TEXT;
ALTER TABLE access_tokens ADD COLUMN authorization_details TEXT;
-- the metadata that codes and consents of clients rest on that publish it themselves
ALTER TABLE codes ADD COLUMN client_version TEXT;
ALTER TABLE consents ADD COLUMN terms TEXT;
-- values that were used once, in a table of their own
CREATE TABLE uses (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uses_that_end ON uses (expires_at);
INSERT INTO uses (key, expires_at) SELECT key, reset_at FROM attempts;
-- the sessions in whose place a session is
ALTER TABLE sessions ADD COLUMN replaced TEXT;
INSERT INTO access_tokens (slot, locator, digest, grant_id, client_id, subject, scope, audience, created_at, expires_at, revoked_at, confirmation, keep_until, authorization_details) VALUES
  (9223372036839972054, 'locator 0 Ä''"\', 'digest 0 Ä''"\', NULL, 'client_id 0 Ä''"\', NULL, 'scope 0 Ä''"\', 'audience 0 Ä''"\', 1795219200, 1795219200, NULL, NULL, 1795219200, NULL),
  (9223372036838965802, 'locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'scope 1 Ä''"\', 'audience 1 Ä''"\', 1795219201, 1795219201, 1795219201, 'confirmation 1 Ä''"\', 1795219201, 'authorization_details 1 Ä''"\'),
  (9223372036841906474, 'locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'scope 2 Ä''"\', 'audience 2 Ä''"\', 1795219202, 1795219202, 1795219202, 'confirmation 2 Ä''"\', 1795219202, 'authorization_details 2 Ä''"\'),
  (9223372036844847146, 'locator 3 Ä''"\', 'digest 3 Ä''"\', NULL, 'client_id 3 Ä''"\', NULL, 'scope 3 Ä''"\', 'audience 3 Ä''"\', 1795219203, 1795219203, NULL, NULL, 1795219203, NULL),
  (9223372036839399210, 'locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'scope 4 Ä''"\', 'audience 4 Ä''"\', 1795219204, 1795219204, 1795219204, 'confirmation 4 Ä''"\', 1795219204, 'authorization_details 4 Ä''"\'),
  (9223372036842339882, 'locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'scope 5 Ä''"\', 'audience 5 Ä''"\', 1795219205, 1795219205, 1795219205, 'confirmation 5 Ä''"\', 1795219205, 'authorization_details 5 Ä''"\'),
  (9223372036845280554, 'locator 6 Ä''"\', 'digest 6 Ä''"\', NULL, 'client_id 6 Ä''"\', NULL, 'scope 6 Ä''"\', 'audience 6 Ä''"\', 1795219206, 1795219206, NULL, NULL, 1795219206, NULL),
  (9223372036839832618, 'locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'scope 7 Ä''"\', 'audience 7 Ä''"\', 1795219207, 1795219207, 1795219207, 'confirmation 7 Ä''"\', 1795219207, 'authorization_details 7 Ä''"\'),
  (9223372036842773290, 'locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'scope 8 Ä''"\', 'audience 8 Ä''"\', 1795219208, 1795219208, 1795219208, 'confirmation 8 Ä''"\', 1795219208, 'authorization_details 8 Ä''"\'),
  (9223372036845713962, 'locator 9 Ä''"\', 'digest 9 Ä''"\', NULL, 'client_id 9 Ä''"\', NULL, 'scope 9 Ä''"\', 'audience 9 Ä''"\', 1795219209, 1795219209, NULL, NULL, 1795219209, NULL),
  (9223372036840907434, 'locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'scope 10 Ä''"\', 'audience 10 Ä''"\', 1795219210, 1795219210, 1795219210, 'confirmation 10 Ä''"\', 1795219210, 'authorization_details 10 Ä''"\'),
  (9223372036842849066, 'locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'scope 11 Ä''"\', 'audience 11 Ä''"\', 1795219211, 1795219211, 1795219211, 'confirmation 11 Ä''"\', 1795219211, 'authorization_details 11 Ä''"\');
INSERT INTO attempts (key, count, reset_at) VALUES
  ('key 0 Ä''"\', 1795219200, 1795219200),
  ('key 1 Ä''"\', 1795219201, 1795219201),
  ('key 2 Ä''"\', 1795219202, 1795219202),
  ('key 3 Ä''"\', 1795219203, 1795219203),
  ('key 4 Ä''"\', 1795219204, 1795219204),
  ('key 5 Ä''"\', 1795219205, 1795219205),
  ('key 6 Ä''"\', 1795219206, 1795219206),
  ('key 7 Ä''"\', 1795219207, 1795219207),
  ('key 8 Ä''"\', 1795219208, 1795219208),
  ('key 9 Ä''"\', 1795219209, 1795219209),
  ('key 10 Ä''"\', 1795219210, 1795219210),
  ('key 11 Ä''"\', 1795219211, 1795219211);
INSERT INTO audit_events (number, at, event, client_id, subject, content) VALUES
  (1795219200, 1795219200, 'event 0 Ä''"\', NULL, NULL, 'content 0 Ä''"\'),
  (1795219201, 1795219201, 'event 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'content 1 Ä''"\'),
  (1795219202, 1795219202, 'event 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'content 2 Ä''"\'),
  (1795219203, 1795219203, 'event 3 Ä''"\', NULL, NULL, 'content 3 Ä''"\'),
  (1795219204, 1795219204, 'event 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'content 4 Ä''"\'),
  (1795219205, 1795219205, 'event 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'content 5 Ä''"\'),
  (1795219206, 1795219206, 'event 6 Ä''"\', NULL, NULL, 'content 6 Ä''"\'),
  (1795219207, 1795219207, 'event 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'content 7 Ä''"\'),
  (1795219208, 1795219208, 'event 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'content 8 Ä''"\'),
  (1795219209, 1795219209, 'event 9 Ä''"\', NULL, NULL, 'content 9 Ä''"\'),
  (1795219210, 1795219210, 'event 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'content 10 Ä''"\'),
  (1795219211, 1795219211, 'event 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'content 11 Ä''"\');
INSERT INTO clients (client_id, metadata, secret_hash, secret_sealed, origin, created_at, updated_at) VALUES
  ('client_id 0 Ä''"\', 'metadata 0 Ä''"\', NULL, NULL, 'config', 1795219200, 1795219200),
  ('client_id 1 Ä''"\', 'metadata 1 Ä''"\', 'secret_hash 1 Ä''"\', 'secret_sealed 1 Ä''"\', 'config', 1795219201, 1795219201),
  ('client_id 2 Ä''"\', 'metadata 2 Ä''"\', 'secret_hash 2 Ä''"\', 'secret_sealed 2 Ä''"\', 'config', 1795219202, 1795219202),
  ('client_id 3 Ä''"\', 'metadata 3 Ä''"\', NULL, NULL, 'config', 1795219203, 1795219203),
  ('client_id 4 Ä''"\', 'metadata 4 Ä''"\', 'secret_hash 4 Ä''"\', 'secret_sealed 4 Ä''"\', 'config', 1795219204, 1795219204),
  ('client_id 5 Ä''"\', 'metadata 5 Ä''"\', 'secret_hash 5 Ä''"\', 'secret_sealed 5 Ä''"\', 'config', 1795219205, 1795219205),
  ('client_id 6 Ä''"\', 'metadata 6 Ä''"\', NULL, NULL, 'config', 1795219206, 1795219206),
  ('client_id 7 Ä''"\', 'metadata 7 Ä''"\', 'secret_hash 7 Ä''"\', 'secret_sealed 7 Ä''"\', 'config', 1795219207, 1795219207),
  ('client_id 8 Ä''"\', 'metadata 8 Ä''"\', 'secret_hash 8 Ä''"\', 'secret_sealed 8 Ä''"\', 'config', 1795219208, 1795219208),
  ('client_id 9 Ä''"\', 'metadata 9 Ä''"\', NULL, NULL, 'config', 1795219209, 1795219209),
  ('client_id 10 Ä''"\', 'metadata 10 Ä''"\', 'secret_hash 10 Ä''"\', 'secret_sealed 10 Ä''"\', 'config', 1795219210, 1795219210),
  ('client_id 11 Ä''"\', 'metadata 11 Ä''"\', 'secret_hash 11 Ä''"\', 'secret_sealed 11 Ä''"\', 'config', 1795219211, 1795219211);
INSERT INTO codes (locator, digest, grant_id, client_id, redirect_uri, challenge, created_at, expires_at, consumed_at, keep_until, confirmation, client_version) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'grant_id 0 Ä''"\', 'client_id 0 Ä''"\', 'redirect_uri 0 Ä''"\', NULL, 1795219200, 1795219200, NULL, 1795219200, NULL, NULL),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'redirect_uri 1 Ä''"\', 'challenge 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201, 'confirmation 1 Ä''"\', 'client_version 1 Ä''"\'),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'redirect_uri 2 Ä''"\', 'challenge 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202, 'confirmation 2 Ä''"\', 'client_version 2 Ä''"\'),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'grant_id 3 Ä''"\', 'client_id 3 Ä''"\', 'redirect_uri 3 Ä''"\', NULL, 1795219203, 1795219203, NULL, 1795219203, NULL, NULL),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'redirect_uri 4 Ä''"\', 'challenge 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204, 'confirmation 4 Ä''"\', 'client_version 4 Ä''"\'),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'redirect_uri 5 Ä''"\', 'challenge 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205, 'confirmation 5 Ä''"\', 'client_version 5 Ä''"\'),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'grant_id 6 Ä''"\', 'client_id 6 Ä''"\', 'redirect_uri 6 Ä''"\', NULL, 1795219206, 1795219206, NULL, 1795219206, NULL, NULL),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'redirect_uri 7 Ä''"\', 'challenge 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207, 'confirmation 7 Ä''"\', 'client_version 7 Ä''"\'),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'redirect_uri 8 Ä''"\', 'challenge 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208, 'confirmation 8 Ä''"\', 'client_version 8 Ä''"\'),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'grant_id 9 Ä''"\', 'client_id 9 Ä''"\', 'redirect_uri 9 Ä''"\', NULL, 1795219209, 1795219209, NULL, 1795219209, NULL, NULL),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'redirect_uri 10 Ä''"\', 'challenge 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210, 'confirmation 10 Ä''"\', 'client_version 10 Ä''"\'),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'redirect_uri 11 Ä''"\', 'challenge 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211, 'confirmation 11 Ä''"\', 'client_version 11 Ä''"\');
INSERT INTO consents (subject, client_id, scope, granted_at, expires_at, terms) VALUES
  ('subject 0 Ä''"\', 'client_id 0 Ä''"\', 'scope 0 Ä''"\', 1795219200, 1795219200, NULL),
  ('subject 1 Ä''"\', 'client_id 1 Ä''"\', 'scope 1 Ä''"\', 1795219201, 1795219201, 'terms 1 Ä''"\'),
  ('subject 2 Ä''"\', 'client_id 2 Ä''"\', 'scope 2 Ä''"\', 1795219202, 1795219202, 'terms 2 Ä''"\'),
  ('subject 3 Ä''"\', 'client_id 3 Ä''"\', 'scope 3 Ä''"\', 1795219203, 1795219203, NULL),
  ('subject 4 Ä''"\', 'client_id 4 Ä''"\', 'scope 4 Ä''"\', 1795219204, 1795219204, 'terms 4 Ä''"\'),
  ('subject 5 Ä''"\', 'client_id 5 Ä''"\', 'scope 5 Ä''"\', 1795219205, 1795219205, 'terms 5 Ä''"\'),
  ('subject 6 Ä''"\', 'client_id 6 Ä''"\', 'scope 6 Ä''"\', 1795219206, 1795219206, NULL),
  ('subject 7 Ä''"\', 'client_id 7 Ä''"\', 'scope 7 Ä''"\', 1795219207, 1795219207, 'terms 7 Ä''"\'),
  ('subject 8 Ä''"\', 'client_id 8 Ä''"\', 'scope 8 Ä''"\', 1795219208, 1795219208, 'terms 8 Ä''"\'),
  ('subject 9 Ä''"\', 'client_id 9 Ä''"\', 'scope 9 Ä''"\', 1795219209, 1795219209, NULL),
  ('subject 10 Ä''"\', 'client_id 10 Ä''"\', 'scope 10 Ä''"\', 1795219210, 1795219210, 'terms 10 Ä''"\'),
  ('subject 11 Ä''"\', 'client_id 11 Ä''"\', 'scope 11 Ä''"\', 1795219211, 1795219211, 'terms 11 Ä''"\');
INSERT INTO devices (locator, user_code, version, keep_until, content) VALUES
  ('locator 0 Ä''"\', 'user_code 0 Ä''"\', 1795219200, 1795219200, 'content 0 Ä''"\'),
  ('locator 1 Ä''"\', 'user_code 1 Ä''"\', 1795219201, 1795219201, 'content 1 Ä''"\'),
  ('locator 2 Ä''"\', 'user_code 2 Ä''"\', 1795219202, 1795219202, 'content 2 Ä''"\'),
  ('locator 3 Ä''"\', 'user_code 3 Ä''"\', 1795219203, 1795219203, 'content 3 Ä''"\'),
  ('locator 4 Ä''"\', 'user_code 4 Ä''"\', 1795219204, 1795219204, 'content 4 Ä''"\'),
  ('locator 5 Ä''"\', 'user_code 5 Ä''"\', 1795219205, 1795219205, 'content 5 Ä''"\'),
  ('locator 6 Ä''"\', 'user_code 6 Ä''"\', 1795219206, 1795219206, 'content 6 Ä''"\'),
  ('locator 7 Ä''"\', 'user_code 7 Ä''"\', 1795219207, 1795219207, 'content 7 Ä''"\'),
  ('locator 8 Ä''"\', 'user_code 8 Ä''"\', 1795219208, 1795219208, 'content 8 Ä''"\'),
  ('locator 9 Ä''"\', 'user_code 9 Ä''"\', 1795219209, 1795219209, 'content 9 Ä''"\'),
  ('locator 10 Ä''"\', 'user_code 10 Ä''"\', 1795219210, 1795219210, 'content 10 Ä''"\'),
  ('locator 11 Ä''"\', 'user_code 11 Ä''"\', 1795219211, 1795219211, 'content 11 Ä''"\');
INSERT INTO grants (id, client_id, subject, sub, session_id, scope, resources, auth_time, amr, acr, nonce, claims, ends_with_session, parent_id, extension, created_at, keep_until, revoked_at, authorization_details) VALUES
  ('id 0 Ä''"\', 'client_id 0 Ä''"\', 'subject 0 Ä''"\', 'sub 0 Ä''"\', NULL, 'scope 0 Ä''"\', 'resources 0 Ä''"\', 1795219200, 'amr 0 Ä''"\', NULL, NULL, NULL, 1795219200, NULL, NULL, 1795219200, 1795219200, NULL, NULL),
  ('id 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'sub 1 Ä''"\', 'session_id 1 Ä''"\', 'scope 1 Ä''"\', 'resources 1 Ä''"\', 1795219201, 'amr 1 Ä''"\', 'acr 1 Ä''"\', 'nonce 1 Ä''"\', 'claims 1 Ä''"\', 1795219201, 'parent_id 1 Ä''"\', 'extension 1 Ä''"\', 1795219201, 1795219201, 1795219201, 'authorization_details 1 Ä''"\'),
  ('id 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'sub 2 Ä''"\', 'session_id 2 Ä''"\', 'scope 2 Ä''"\', 'resources 2 Ä''"\', 1795219202, 'amr 2 Ä''"\', 'acr 2 Ä''"\', 'nonce 2 Ä''"\', 'claims 2 Ä''"\', 1795219202, 'parent_id 2 Ä''"\', 'extension 2 Ä''"\', 1795219202, 1795219202, 1795219202, 'authorization_details 2 Ä''"\'),
  ('id 3 Ä''"\', 'client_id 3 Ä''"\', 'subject 3 Ä''"\', 'sub 3 Ä''"\', NULL, 'scope 3 Ä''"\', 'resources 3 Ä''"\', 1795219203, 'amr 3 Ä''"\', NULL, NULL, NULL, 1795219203, NULL, NULL, 1795219203, 1795219203, NULL, NULL),
  ('id 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'sub 4 Ä''"\', 'session_id 4 Ä''"\', 'scope 4 Ä''"\', 'resources 4 Ä''"\', 1795219204, 'amr 4 Ä''"\', 'acr 4 Ä''"\', 'nonce 4 Ä''"\', 'claims 4 Ä''"\', 1795219204, 'parent_id 4 Ä''"\', 'extension 4 Ä''"\', 1795219204, 1795219204, 1795219204, 'authorization_details 4 Ä''"\'),
  ('id 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'sub 5 Ä''"\', 'session_id 5 Ä''"\', 'scope 5 Ä''"\', 'resources 5 Ä''"\', 1795219205, 'amr 5 Ä''"\', 'acr 5 Ä''"\', 'nonce 5 Ä''"\', 'claims 5 Ä''"\', 1795219205, 'parent_id 5 Ä''"\', 'extension 5 Ä''"\', 1795219205, 1795219205, 1795219205, 'authorization_details 5 Ä''"\'),
  ('id 6 Ä''"\', 'client_id 6 Ä''"\', 'subject 6 Ä''"\', 'sub 6 Ä''"\', NULL, 'scope 6 Ä''"\', 'resources 6 Ä''"\', 1795219206, 'amr 6 Ä''"\', NULL, NULL, NULL, 1795219206, NULL, NULL, 1795219206, 1795219206, NULL, NULL),
  ('id 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'sub 7 Ä''"\', 'session_id 7 Ä''"\', 'scope 7 Ä''"\', 'resources 7 Ä''"\', 1795219207, 'amr 7 Ä''"\', 'acr 7 Ä''"\', 'nonce 7 Ä''"\', 'claims 7 Ä''"\', 1795219207, 'parent_id 7 Ä''"\', 'extension 7 Ä''"\', 1795219207, 1795219207, 1795219207, 'authorization_details 7 Ä''"\'),
  ('id 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'sub 8 Ä''"\', 'session_id 8 Ä''"\', 'scope 8 Ä''"\', 'resources 8 Ä''"\', 1795219208, 'amr 8 Ä''"\', 'acr 8 Ä''"\', 'nonce 8 Ä''"\', 'claims 8 Ä''"\', 1795219208, 'parent_id 8 Ä''"\', 'extension 8 Ä''"\', 1795219208, 1795219208, 1795219208, 'authorization_details 8 Ä''"\'),
  ('id 9 Ä''"\', 'client_id 9 Ä''"\', 'subject 9 Ä''"\', 'sub 9 Ä''"\', NULL, 'scope 9 Ä''"\', 'resources 9 Ä''"\', 1795219209, 'amr 9 Ä''"\', NULL, NULL, NULL, 1795219209, NULL, NULL, 1795219209, 1795219209, NULL, NULL),
  ('id 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'sub 10 Ä''"\', 'session_id 10 Ä''"\', 'scope 10 Ä''"\', 'resources 10 Ä''"\', 1795219210, 'amr 10 Ä''"\', 'acr 10 Ä''"\', 'nonce 10 Ä''"\', 'claims 10 Ä''"\', 1795219210, 'parent_id 10 Ä''"\', 'extension 10 Ä''"\', 1795219210, 1795219210, 1795219210, 'authorization_details 10 Ä''"\'),
  ('id 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'sub 11 Ä''"\', 'session_id 11 Ä''"\', 'scope 11 Ä''"\', 'resources 11 Ä''"\', 1795219211, 'amr 11 Ä''"\', 'acr 11 Ä''"\', 'nonce 11 Ä''"\', 'claims 11 Ä''"\', 1795219211, 'parent_id 11 Ä''"\', 'extension 11 Ä''"\', 1795219211, 1795219211, 1795219211, 'authorization_details 11 Ä''"\');
INSERT INTO identities (issuer, subject, user_subject, provider, created_at, last_seen) VALUES
  ('issuer 0 Ä''"\', 'subject 0 Ä''"\', 'user_subject 0 Ä''"\', 'provider 0 Ä''"\', 1795219200, 1795219200),
  ('issuer 1 Ä''"\', 'subject 1 Ä''"\', 'user_subject 1 Ä''"\', 'provider 1 Ä''"\', 1795219201, 1795219201),
  ('issuer 2 Ä''"\', 'subject 2 Ä''"\', 'user_subject 2 Ä''"\', 'provider 2 Ä''"\', 1795219202, 1795219202),
  ('issuer 3 Ä''"\', 'subject 3 Ä''"\', 'user_subject 3 Ä''"\', 'provider 3 Ä''"\', 1795219203, 1795219203),
  ('issuer 4 Ä''"\', 'subject 4 Ä''"\', 'user_subject 4 Ä''"\', 'provider 4 Ä''"\', 1795219204, 1795219204),
  ('issuer 5 Ä''"\', 'subject 5 Ä''"\', 'user_subject 5 Ä''"\', 'provider 5 Ä''"\', 1795219205, 1795219205),
  ('issuer 6 Ä''"\', 'subject 6 Ä''"\', 'user_subject 6 Ä''"\', 'provider 6 Ä''"\', 1795219206, 1795219206),
  ('issuer 7 Ä''"\', 'subject 7 Ä''"\', 'user_subject 7 Ä''"\', 'provider 7 Ä''"\', 1795219207, 1795219207),
  ('issuer 8 Ä''"\', 'subject 8 Ä''"\', 'user_subject 8 Ä''"\', 'provider 8 Ä''"\', 1795219208, 1795219208),
  ('issuer 9 Ä''"\', 'subject 9 Ä''"\', 'user_subject 9 Ä''"\', 'provider 9 Ä''"\', 1795219209, 1795219209),
  ('issuer 10 Ä''"\', 'subject 10 Ä''"\', 'user_subject 10 Ä''"\', 'provider 10 Ä''"\', 1795219210, 1795219210),
  ('issuer 11 Ä''"\', 'subject 11 Ä''"\', 'user_subject 11 Ä''"\', 'provider 11 Ä''"\', 1795219211, 1795219211);
INSERT INTO interactions (locator, version, keep_until, content) VALUES
  ('locator 0 Ä''"\', 1795219200, 1795219200, 'content 0 Ä''"\'),
  ('locator 1 Ä''"\', 1795219201, 1795219201, 'content 1 Ä''"\'),
  ('locator 2 Ä''"\', 1795219202, 1795219202, 'content 2 Ä''"\'),
  ('locator 3 Ä''"\', 1795219203, 1795219203, 'content 3 Ä''"\'),
  ('locator 4 Ä''"\', 1795219204, 1795219204, 'content 4 Ä''"\'),
  ('locator 5 Ä''"\', 1795219205, 1795219205, 'content 5 Ä''"\'),
  ('locator 6 Ä''"\', 1795219206, 1795219206, 'content 6 Ä''"\'),
  ('locator 7 Ä''"\', 1795219207, 1795219207, 'content 7 Ä''"\'),
  ('locator 8 Ä''"\', 1795219208, 1795219208, 'content 8 Ä''"\'),
  ('locator 9 Ä''"\', 1795219209, 1795219209, 'content 9 Ä''"\'),
  ('locator 10 Ä''"\', 1795219210, 1795219210, 'content 10 Ä''"\'),
  ('locator 11 Ä''"\', 1795219211, 1795219211, 'content 11 Ä''"\');
INSERT INTO outbox (locator, kind, payload, created_at, due_at, attempts, claimed_by, last_failure, died_at, keep_until) VALUES
  ('locator 0 Ä''"\', 'kind 0 Ä''"\', 'payload 0 Ä''"\', 1795219200, 1795219200, 1795219200, NULL, NULL, NULL, 1795219200),
  ('locator 1 Ä''"\', 'kind 1 Ä''"\', 'payload 1 Ä''"\', 1795219201, 1795219201, 1795219201, 'claimed_by 1 Ä''"\', 'last_failure 1 Ä''"\', 1795219201, 1795219201),
  ('locator 2 Ä''"\', 'kind 2 Ä''"\', 'payload 2 Ä''"\', 1795219202, 1795219202, 1795219202, 'claimed_by 2 Ä''"\', 'last_failure 2 Ä''"\', 1795219202, 1795219202),
  ('locator 3 Ä''"\', 'kind 3 Ä''"\', 'payload 3 Ä''"\', 1795219203, 1795219203, 1795219203, NULL, NULL, NULL, 1795219203),
  ('locator 4 Ä''"\', 'kind 4 Ä''"\', 'payload 4 Ä''"\', 1795219204, 1795219204, 1795219204, 'claimed_by 4 Ä''"\', 'last_failure 4 Ä''"\', 1795219204, 1795219204),
  ('locator 5 Ä''"\', 'kind 5 Ä''"\', 'payload 5 Ä''"\', 1795219205, 1795219205, 1795219205, 'claimed_by 5 Ä''"\', 'last_failure 5 Ä''"\', 1795219205, 1795219205),
  ('locator 6 Ä''"\', 'kind 6 Ä''"\', 'payload 6 Ä''"\', 1795219206, 1795219206, 1795219206, NULL, NULL, NULL, 1795219206),
  ('locator 7 Ä''"\', 'kind 7 Ä''"\', 'payload 7 Ä''"\', 1795219207, 1795219207, 1795219207, 'claimed_by 7 Ä''"\', 'last_failure 7 Ä''"\', 1795219207, 1795219207),
  ('locator 8 Ä''"\', 'kind 8 Ä''"\', 'payload 8 Ä''"\', 1795219208, 1795219208, 1795219208, 'claimed_by 8 Ä''"\', 'last_failure 8 Ä''"\', 1795219208, 1795219208),
  ('locator 9 Ä''"\', 'kind 9 Ä''"\', 'payload 9 Ä''"\', 1795219209, 1795219209, 1795219209, NULL, NULL, NULL, 1795219209),
  ('locator 10 Ä''"\', 'kind 10 Ä''"\', 'payload 10 Ä''"\', 1795219210, 1795219210, 1795219210, 'claimed_by 10 Ä''"\', 'last_failure 10 Ä''"\', 1795219210, 1795219210),
  ('locator 11 Ä''"\', 'kind 11 Ä''"\', 'payload 11 Ä''"\', 1795219211, 1795219211, 1795219211, 'claimed_by 11 Ä''"\', 'last_failure 11 Ä''"\', 1795219211, 1795219211);
INSERT INTO refresh_tokens (locator, digest, grant_id, client_id, scope, created_at, expires_at, absolute_expires_at, rotated_at, successor, keep_until, confirmation) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'grant_id 0 Ä''"\', 'client_id 0 Ä''"\', 'scope 0 Ä''"\', 1795219200, 1795219200, 1795219200, NULL, NULL, 1795219200, NULL),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'scope 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201, 'successor 1 Ä''"\', 1795219201, 'confirmation 1 Ä''"\'),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'scope 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202, 'successor 2 Ä''"\', 1795219202, 'confirmation 2 Ä''"\'),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'grant_id 3 Ä''"\', 'client_id 3 Ä''"\', 'scope 3 Ä''"\', 1795219203, 1795219203, 1795219203, NULL, NULL, 1795219203, NULL),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'scope 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204, 'successor 4 Ä''"\', 1795219204, 'confirmation 4 Ä''"\'),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'scope 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205, 'successor 5 Ä''"\', 1795219205, 'confirmation 5 Ä''"\'),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'grant_id 6 Ä''"\', 'client_id 6 Ä''"\', 'scope 6 Ä''"\', 1795219206, 1795219206, 1795219206, NULL, NULL, 1795219206, NULL),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'scope 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207, 'successor 7 Ä''"\', 1795219207, 'confirmation 7 Ä''"\'),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'scope 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208, 'successor 8 Ä''"\', 1795219208, 'confirmation 8 Ä''"\'),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'grant_id 9 Ä''"\', 'client_id 9 Ä''"\', 'scope 9 Ä''"\', 1795219209, 1795219209, 1795219209, NULL, NULL, 1795219209, NULL),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'scope 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210, 'successor 10 Ä''"\', 1795219210, 'confirmation 10 Ä''"\'),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'scope 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211, 'successor 11 Ä''"\', 1795219211, 'confirmation 11 Ä''"\');
INSERT INTO request_counts (key, full_at) VALUES
  ('key 0 Ä''"\', 1795219200),
  ('key 1 Ä''"\', 1795219201),
  ('key 2 Ä''"\', 1795219202),
  ('key 3 Ä''"\', 1795219203),
  ('key 4 Ä''"\', 1795219204),
  ('key 5 Ä''"\', 1795219205),
  ('key 6 Ä''"\', 1795219206),
  ('key 7 Ä''"\', 1795219207),
  ('key 8 Ä''"\', 1795219208),
  ('key 9 Ä''"\', 1795219209),
  ('key 10 Ä''"\', 1795219210),
  ('key 11 Ä''"\', 1795219211);
INSERT INTO revisions (name, value) VALUES
  ('name 0 Ä''"\', 1795219200),
  ('name 1 Ä''"\', 1795219201),
  ('name 2 Ä''"\', 1795219202),
  ('name 3 Ä''"\', 1795219203),
  ('name 4 Ä''"\', 1795219204),
  ('name 5 Ä''"\', 1795219205),
  ('name 6 Ä''"\', 1795219206),
  ('name 7 Ä''"\', 1795219207),
  ('name 8 Ä''"\', 1795219208),
  ('name 9 Ä''"\', 1795219209),
  ('name 10 Ä''"\', 1795219210),
  ('name 11 Ä''"\', 1795219211);
INSERT INTO secrets (name, value) VALUES
  ('name 0 Ä''"\', 'value 0 Ä''"\'),
  ('name 1 Ä''"\', 'value 1 Ä''"\'),
  ('name 2 Ä''"\', 'value 2 Ä''"\'),
  ('name 3 Ä''"\', 'value 3 Ä''"\'),
  ('name 4 Ä''"\', 'value 4 Ä''"\'),
  ('name 5 Ä''"\', 'value 5 Ä''"\'),
  ('name 6 Ä''"\', 'value 6 Ä''"\'),
  ('name 7 Ä''"\', 'value 7 Ä''"\'),
  ('name 8 Ä''"\', 'value 8 Ä''"\'),
  ('name 9 Ä''"\', 'value 9 Ä''"\'),
  ('name 10 Ä''"\', 'value 10 Ä''"\'),
  ('name 11 Ä''"\', 'value 11 Ä''"\');
INSERT INTO sessions (locator, digest, subject, auth_time, amr, acr, idp, agent, created_at, seen_at, expires_at, ended_at, keep_until, address, tenant, replaced) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'subject 0 Ä''"\', 1795219200, 'amr 0 Ä''"\', NULL, NULL, 'agent 0 Ä''"\', 1795219200, 1795219200, 1795219200, NULL, 1795219200, NULL, NULL, NULL),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'subject 1 Ä''"\', 1795219201, 'amr 1 Ä''"\', 'acr 1 Ä''"\', 'idp 1 Ä''"\', 'agent 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201, 1795219201, 'address 1 Ä''"\', 'tenant 1 Ä''"\', 'replaced 1 Ä''"\'),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'subject 2 Ä''"\', 1795219202, 'amr 2 Ä''"\', 'acr 2 Ä''"\', 'idp 2 Ä''"\', 'agent 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202, 1795219202, 'address 2 Ä''"\', 'tenant 2 Ä''"\', 'replaced 2 Ä''"\'),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'subject 3 Ä''"\', 1795219203, 'amr 3 Ä''"\', NULL, NULL, 'agent 3 Ä''"\', 1795219203, 1795219203, 1795219203, NULL, 1795219203, NULL, NULL, NULL),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'subject 4 Ä''"\', 1795219204, 'amr 4 Ä''"\', 'acr 4 Ä''"\', 'idp 4 Ä''"\', 'agent 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204, 1795219204, 'address 4 Ä''"\', 'tenant 4 Ä''"\', 'replaced 4 Ä''"\'),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'subject 5 Ä''"\', 1795219205, 'amr 5 Ä''"\', 'acr 5 Ä''"\', 'idp 5 Ä''"\', 'agent 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205, 1795219205, 'address 5 Ä''"\', 'tenant 5 Ä''"\', 'replaced 5 Ä''"\'),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'subject 6 Ä''"\', 1795219206, 'amr 6 Ä''"\', NULL, NULL, 'agent 6 Ä''"\', 1795219206, 1795219206, 1795219206, NULL, 1795219206, NULL, NULL, NULL),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'subject 7 Ä''"\', 1795219207, 'amr 7 Ä''"\', 'acr 7 Ä''"\', 'idp 7 Ä''"\', 'agent 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207, 1795219207, 'address 7 Ä''"\', 'tenant 7 Ä''"\', 'replaced 7 Ä''"\'),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'subject 8 Ä''"\', 1795219208, 'amr 8 Ä''"\', 'acr 8 Ä''"\', 'idp 8 Ä''"\', 'agent 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208, 1795219208, 'address 8 Ä''"\', 'tenant 8 Ä''"\', 'replaced 8 Ä''"\'),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'subject 9 Ä''"\', 1795219209, 'amr 9 Ä''"\', NULL, NULL, 'agent 9 Ä''"\', 1795219209, 1795219209, 1795219209, NULL, 1795219209, NULL, NULL, NULL),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'subject 10 Ä''"\', 1795219210, 'amr 10 Ä''"\', 'acr 10 Ä''"\', 'idp 10 Ä''"\', 'agent 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210, 1795219210, 'address 10 Ä''"\', 'tenant 10 Ä''"\', 'replaced 10 Ä''"\'),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'subject 11 Ä''"\', 1795219211, 'amr 11 Ä''"\', 'acr 11 Ä''"\', 'idp 11 Ä''"\', 'agent 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211, 1795219211, 'address 11 Ä''"\', 'tenant 11 Ä''"\', 'replaced 11 Ä''"\');
INSERT INTO signing_keys (kid, alg, private_jwk, public_jwk, created_at, active_at) VALUES
  ('kid 0 Ä''"\', 'alg 0 Ä''"\', 'private_jwk 0 Ä''"\', 'public_jwk 0 Ä''"\', 1795219200, 1795219200),
  ('kid 1 Ä''"\', 'alg 1 Ä''"\', 'private_jwk 1 Ä''"\', 'public_jwk 1 Ä''"\', 1795219201, 1795219201),
  ('kid 2 Ä''"\', 'alg 2 Ä''"\', 'private_jwk 2 Ä''"\', 'public_jwk 2 Ä''"\', 1795219202, 1795219202),
  ('kid 3 Ä''"\', 'alg 3 Ä''"\', 'private_jwk 3 Ä''"\', 'public_jwk 3 Ä''"\', 1795219203, 1795219203),
  ('kid 4 Ä''"\', 'alg 4 Ä''"\', 'private_jwk 4 Ä''"\', 'public_jwk 4 Ä''"\', 1795219204, 1795219204),
  ('kid 5 Ä''"\', 'alg 5 Ä''"\', 'private_jwk 5 Ä''"\', 'public_jwk 5 Ä''"\', 1795219205, 1795219205),
  ('kid 6 Ä''"\', 'alg 6 Ä''"\', 'private_jwk 6 Ä''"\', 'public_jwk 6 Ä''"\', 1795219206, 1795219206),
  ('kid 7 Ä''"\', 'alg 7 Ä''"\', 'private_jwk 7 Ä''"\', 'public_jwk 7 Ä''"\', 1795219207, 1795219207),
  ('kid 8 Ä''"\', 'alg 8 Ä''"\', 'private_jwk 8 Ä''"\', 'public_jwk 8 Ä''"\', 1795219208, 1795219208),
  ('kid 9 Ä''"\', 'alg 9 Ä''"\', 'private_jwk 9 Ä''"\', 'public_jwk 9 Ä''"\', 1795219209, 1795219209),
  ('kid 10 Ä''"\', 'alg 10 Ä''"\', 'private_jwk 10 Ä''"\', 'public_jwk 10 Ä''"\', 1795219210, 1795219210),
  ('kid 11 Ä''"\', 'alg 11 Ä''"\', 'private_jwk 11 Ä''"\', 'public_jwk 11 Ä''"\', 1795219211, 1795219211);
INSERT INTO trails (number, request_id, at, refused, content) VALUES
  (1795219200, 'request_id 0 Ä''"\', 1795219200, 1795219200, 'content 0 Ä''"\'),
  (1795219201, 'request_id 1 Ä''"\', 1795219201, 1795219201, 'content 1 Ä''"\'),
  (1795219202, 'request_id 2 Ä''"\', 1795219202, 1795219202, 'content 2 Ä''"\'),
  (1795219203, 'request_id 3 Ä''"\', 1795219203, 1795219203, 'content 3 Ä''"\'),
  (1795219204, 'request_id 4 Ä''"\', 1795219204, 1795219204, 'content 4 Ä''"\'),
  (1795219205, 'request_id 5 Ä''"\', 1795219205, 1795219205, 'content 5 Ä''"\'),
  (1795219206, 'request_id 6 Ä''"\', 1795219206, 1795219206, 'content 6 Ä''"\'),
  (1795219207, 'request_id 7 Ä''"\', 1795219207, 1795219207, 'content 7 Ä''"\'),
  (1795219208, 'request_id 8 Ä''"\', 1795219208, 1795219208, 'content 8 Ä''"\'),
  (1795219209, 'request_id 9 Ä''"\', 1795219209, 1795219209, 'content 9 Ä''"\'),
  (1795219210, 'request_id 10 Ä''"\', 1795219210, 1795219210, 'content 10 Ä''"\'),
  (1795219211, 'request_id 11 Ä''"\', 1795219211, 1795219211, 'content 11 Ä''"\');
INSERT INTO users (subject, username, username_key, password_hash, claims, disabled, tenant, origin, created_at, updated_at) VALUES
  ('subject 0 Ä''"\', 'username 0 Ä''"\', 'username_key 0 Ä''"\', NULL, 'claims 0 Ä''"\', 1795219200, NULL, 'config', 1795219200, 1795219200),
  ('subject 1 Ä''"\', 'username 1 Ä''"\', 'username_key 1 Ä''"\', 'password_hash 1 Ä''"\', 'claims 1 Ä''"\', 1795219201, 'tenant 1 Ä''"\', 'config', 1795219201, 1795219201),
  ('subject 2 Ä''"\', 'username 2 Ä''"\', 'username_key 2 Ä''"\', 'password_hash 2 Ä''"\', 'claims 2 Ä''"\', 1795219202, 'tenant 2 Ä''"\', 'config', 1795219202, 1795219202),
  ('subject 3 Ä''"\', 'username 3 Ä''"\', 'username_key 3 Ä''"\', NULL, 'claims 3 Ä''"\', 1795219203, NULL, 'config', 1795219203, 1795219203),
  ('subject 4 Ä''"\', 'username 4 Ä''"\', 'username_key 4 Ä''"\', 'password_hash 4 Ä''"\', 'claims 4 Ä''"\', 1795219204, 'tenant 4 Ä''"\', 'config', 1795219204, 1795219204),
  ('subject 5 Ä''"\', 'username 5 Ä''"\', 'username_key 5 Ä''"\', 'password_hash 5 Ä''"\', 'claims 5 Ä''"\', 1795219205, 'tenant 5 Ä''"\', 'config', 1795219205, 1795219205),
  ('subject 6 Ä''"\', 'username 6 Ä''"\', 'username_key 6 Ä''"\', NULL, 'claims 6 Ä''"\', 1795219206, NULL, 'config', 1795219206, 1795219206),
  ('subject 7 Ä''"\', 'username 7 Ä''"\', 'username_key 7 Ä''"\', 'password_hash 7 Ä''"\', 'claims 7 Ä''"\', 1795219207, 'tenant 7 Ä''"\', 'config', 1795219207, 1795219207),
  ('subject 8 Ä''"\', 'username 8 Ä''"\', 'username_key 8 Ä''"\', 'password_hash 8 Ä''"\', 'claims 8 Ä''"\', 1795219208, 'tenant 8 Ä''"\', 'config', 1795219208, 1795219208),
  ('subject 9 Ä''"\', 'username 9 Ä''"\', 'username_key 9 Ä''"\', NULL, 'claims 9 Ä''"\', 1795219209, NULL, 'config', 1795219209, 1795219209),
  ('subject 10 Ä''"\', 'username 10 Ä''"\', 'username_key 10 Ä''"\', 'password_hash 10 Ä''"\', 'claims 10 Ä''"\', 1795219210, 'tenant 10 Ä''"\', 'config', 1795219210, 1795219210),
  ('subject 11 Ä''"\', 'username 11 Ä''"\', 'username_key 11 Ä''"\', 'password_hash 11 Ä''"\', 'claims 11 Ä''"\', 1795219211, 'tenant 11 Ä''"\', 'config', 1795219211, 1795219211);
INSERT INTO uses (number, key, expires_at) VALUES
  (1795219200, 'key 0 Ä''"\', 1795219200),
  (1795219201, 'key 1 Ä''"\', 1795219201),
  (1795219202, 'key 2 Ä''"\', 1795219202),
  (1795219203, 'key 3 Ä''"\', 1795219203),
  (1795219204, 'key 4 Ä''"\', 1795219204),
  (1795219205, 'key 5 Ä''"\', 1795219205),
  (1795219206, 'key 6 Ä''"\', 1795219206),
  (1795219207, 'key 7 Ä''"\', 1795219207),
  (1795219208, 'key 8 Ä''"\', 1795219208),
  (1795219209, 'key 9 Ä''"\', 1795219209),
  (1795219210, 'key 10 Ä''"\', 1795219210),
  (1795219211, 'key 11 Ä''"\', 1795219211);
