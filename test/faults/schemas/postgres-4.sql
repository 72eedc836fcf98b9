-- Version 4, as it was released, with rows of every table.
CREATE SCHEMA postern;
-- next
CREATE TABLE postern.migrations (version bigint PRIMARY KEY, name text NOT NULL, taken_at timestamptz NOT NULL DEFAULT now());
-- next
CREATE TABLE postern.grants (
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
      );
-- next
CREATE INDEX grants_of_subject ON postern.grants (subject, id) WHERE revoked_at IS NULL;
-- next
CREATE INDEX grants_of_session ON postern.grants (session_id) WHERE ends_with_session = 1 AND session_id IS NOT NULL;
-- next
CREATE INDEX grants_of_parent ON postern.grants (parent_id) WHERE parent_id IS NOT NULL;
-- next
CREATE TABLE postern.codes (
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
      );
-- next
CREATE TABLE postern.access_tokens (
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
      );
-- next
CREATE TABLE postern.refresh_tokens (
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
      );
-- next
CREATE TABLE postern.sessions (
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
      );
-- next
CREATE INDEX sessions_of_subject ON postern.sessions (subject, locator) WHERE ended_at IS NULL;
-- next
CREATE TABLE postern.interactions (
        locator text COLLATE "C" PRIMARY KEY,
        version bigint NOT NULL,
        keep_until bigint NOT NULL,
        content text NOT NULL
      );
-- next
CREATE TABLE postern.devices (
        locator text COLLATE "C" PRIMARY KEY,
        user_code text COLLATE "C" NOT NULL UNIQUE,
        version bigint NOT NULL,
        keep_until bigint NOT NULL,
        content text NOT NULL
      );
-- next
CREATE TABLE postern.attempts (
        key text COLLATE "C" PRIMARY KEY,
        count bigint NOT NULL,
        reset_at bigint NOT NULL
      );
-- next
CREATE INDEX attempts_that_end ON postern.attempts (reset_at);
-- next
CREATE TABLE postern.consents (
        subject text COLLATE "C" NOT NULL,
        client_id text COLLATE "C" NOT NULL,
        scope text NOT NULL,
        granted_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (subject, client_id)
      );
-- next
CREATE INDEX consents_that_expire ON postern.consents (expires_at) WHERE expires_at > 0;
-- next
CREATE INDEX grants_that_leave ON postern.grants (keep_until);
-- next
CREATE INDEX codes_that_leave ON postern.codes (keep_until);
-- next
CREATE INDEX access_tokens_that_leave ON postern.access_tokens (keep_until);
-- next
CREATE INDEX refresh_tokens_that_leave ON postern.refresh_tokens (keep_until);
-- next
CREATE INDEX sessions_that_leave ON postern.sessions (keep_until);
-- next
CREATE INDEX interactions_that_leave ON postern.interactions (keep_until);
-- next
CREATE INDEX devices_that_leave ON postern.devices (keep_until);
-- next
ALTER TABLE postern.grants SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.codes SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.access_tokens SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.refresh_tokens SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.sessions SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.interactions SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.devices SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
ALTER TABLE postern.attempts SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
CREATE TABLE postern.clients (
        client_id text COLLATE "C" PRIMARY KEY,
        metadata text NOT NULL,
        secret_hash text,
        secret_sealed text,
        origin text NOT NULL CHECK (origin IN ('config', 'command')),
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL
      );
-- next
CREATE TABLE postern.users (
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
      );
-- next
CREATE TABLE postern.identities (
        issuer text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        user_subject text COLLATE "C" NOT NULL,
        provider text NOT NULL,
        created_at bigint NOT NULL,
        last_seen bigint NOT NULL,
        PRIMARY KEY (issuer, subject)
      );
-- next
CREATE INDEX identities_of_user ON postern.identities (user_subject);
-- next
CREATE TABLE postern.signing_keys (
        kid text COLLATE "C" PRIMARY KEY,
        alg text NOT NULL,
        private_jwk text NOT NULL,
        public_jwk text NOT NULL,
        created_at bigint NOT NULL,
        active_at bigint NOT NULL
      );
-- next
CREATE TABLE postern.trails (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        request_id text COLLATE "C" NOT NULL UNIQUE,
        at bigint NOT NULL,
        refused smallint NOT NULL,
        content text NOT NULL
      );
-- next
CREATE TABLE postern.audit_events (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at bigint NOT NULL,
        event text NOT NULL,
        client_id text,
        subject text,
        content text NOT NULL
      );
-- next
CREATE TABLE postern.tries (
        key text COLLATE "C" PRIMARY KEY,
        points bigint NOT NULL DEFAULT 0,
        expire bigint
      );
-- next
CREATE INDEX tries_that_end ON postern.tries (expire);
-- next
CREATE UNLOGGED TABLE postern.request_counts (
        key text COLLATE "C" PRIMARY KEY,
        full_at double precision NOT NULL,
        taken double precision NOT NULL
      );
-- next
CREATE INDEX request_counts_that_end ON postern.request_counts (full_at);
-- next
ALTER TABLE postern.request_counts SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- next
CREATE TABLE postern.revisions (
        name text COLLATE "C" PRIMARY KEY,
        value bigint NOT NULL
      );
-- next
INSERT INTO postern.revisions (name, value) VALUES ('clients', 0), ('users', 0), ('signing_keys', 0);
-- next
INSERT INTO postern.revisions (name, value) VALUES ('table', 'postern.revisions'::regclass::oid::bigint) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
-- next
CREATE OR REPLACE FUNCTION postern.commit(commands jsonb) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  command jsonb;
  ids text[];
  above text;
BEGIN
  FOR place IN 0 .. jsonb_array_length(commands) - 1 LOOP
    command := commands -> place;
    IF command->>'_tag' = 'SaveGrant' THEN
      INSERT INTO postern.grants SELECT * FROM jsonb_populate_record(NULL::postern.grants, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireGrant' THEN
      PERFORM 1 FROM postern.grants WHERE id = command->>'grantId' AND num_nulls(revoked_at) = 1 FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'KeepGrant' THEN
      UPDATE postern.grants SET keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE id = command->>'grantId' AND num_nulls(revoked_at) = 1
      RETURNING parent_id INTO above;
    IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    IF above IS NOT NULL THEN
      -- What it comes from must be there for as long, or revoking that would find nothing.
      WITH RECURSIVE chain (id, parent_id) AS (
        SELECT id, parent_id FROM postern.grants WHERE id = above
        UNION SELECT g.id, g.parent_id FROM chain JOIN postern.grants g ON g.id = chain.parent_id
      )
      UPDATE postern.grants SET keep_until = (command->>'keepUntil')::bigint
      WHERE id IN (SELECT id FROM chain) AND keep_until < (command->>'keepUntil')::bigint;
    END IF;
    ELSIF command->>'_tag' = 'RevokeGrant' THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE num_nulls(revoked_at) = 1 AND id = command->>'grantId' ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    ELSIF command->>'_tag' = 'RevokeGrants' THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE revoked_at IS NULL AND subject = command->>'subject' AND (command->>'clientId' IS NULL OR client_id = command->>'clientId')
      AND (command->>'sessionId' IS NULL OR session_id = command->>'sessionId') ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    ELSIF command->>'_tag' = 'SaveCode' THEN
      INSERT INTO postern.codes SELECT * FROM jsonb_populate_record(NULL::postern.codes, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ConsumeCode' THEN
      UPDATE postern.codes SET consumed_at = (command->>'at')::bigint, keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE locator = command->>'locator' AND consumed_at IS NULL;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveAccessToken' THEN
      INSERT INTO postern.access_tokens SELECT * FROM jsonb_populate_record(NULL::postern.access_tokens, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RevokeAccessToken' THEN
      UPDATE postern.access_tokens SET revoked_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND revoked_at IS NULL;
    ELSIF command->>'_tag' = 'SaveRefreshToken' THEN
      INSERT INTO postern.refresh_tokens SELECT * FROM jsonb_populate_record(NULL::postern.refresh_tokens, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RotateRefreshToken' THEN
      UPDATE postern.refresh_tokens SET rotated_at = (command->>'at')::bigint, successor = command->>'successor'
      WHERE locator = command->>'locator' AND rotated_at IS NULL;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveSession' THEN
      INSERT INTO postern.sessions SELECT * FROM jsonb_populate_record(NULL::postern.sessions, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireSession' THEN
      PERFORM 1 FROM postern.sessions WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1 FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'TouchSession' THEN
      UPDATE postern.sessions SET seen_at = (command->>'seenAt')::bigint, expires_at = (command->>'expiresAt')::bigint,
      keep_until = (command->>'keepUntil')::bigint
      WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'EndSession' THEN
      UPDATE postern.sessions SET ended_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1;
    IF (command->>'grants')::boolean THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE num_nulls(revoked_at) = 1 AND session_id = command->>'locator' AND ends_with_session = 1 ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    END IF;
    ELSIF command->>'_tag' = 'SaveInteraction' THEN
      INSERT INTO postern.interactions SELECT * FROM jsonb_populate_record(NULL::postern.interactions, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReplaceInteraction' THEN
      
  UPDATE postern.interactions SET version = (command->'row'->>'version')::bigint, keep_until = (command->'row'->>'keep_until')::bigint,
    content = command->'row'->>'content'
  WHERE locator = command->'row'->>'locator' AND version = (command->'row'->>'version')::bigint - 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveDevice' THEN
      INSERT INTO postern.devices SELECT * FROM jsonb_populate_record(NULL::postern.devices, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReplaceDevice' THEN
      
  UPDATE postern.devices SET version = (command->'row'->>'version')::bigint, keep_until = (command->'row'->>'keep_until')::bigint,
    content = command->'row'->>'content'
  WHERE locator = command->'row'->>'locator' AND version = (command->'row'->>'version')::bigint - 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'CountAttempt' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'resetAt')::bigint)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at ELSE a.reset_at END;
    ELSIF command->>'_tag' = 'ReserveAttempt' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1,
        CASE WHEN (command->>'most')::bigint = 1 THEN coalesce((command->>'fullUntil')::bigint, (command->>'resetAt')::bigint)
        ELSE (command->>'resetAt')::bigint END)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE
          WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at
          WHEN a.count + 1 = (command->>'most')::bigint THEN coalesce((command->>'fullUntil')::bigint, a.reset_at)
          ELSE a.reset_at END
        WHERE a.reset_at <= (command->>'at')::bigint OR a.count < (command->>'most')::bigint;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReturnAttempt' THEN
      UPDATE postern.attempts SET count = count - 1
      WHERE key = command->>'key' AND count > 0 AND reset_at <= (command->>'until')::bigint;
    ELSIF command->>'_tag' = 'ForgetAttempts' THEN
      DELETE FROM postern.attempts WHERE key = command->>'key';
    ELSIF command->>'_tag' = 'UseOnce' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'until')::bigint)
      ON CONFLICT (key) DO UPDATE SET count = 1, reset_at = excluded.reset_at WHERE a.reset_at <= (command->>'at')::bigint;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveConsent' THEN
      IF command->>'replaces' IS NULL THEN
      INSERT INTO postern.consents SELECT * FROM jsonb_populate_record(NULL::postern.consents, command->'row') ON CONFLICT DO NOTHING;
    ELSE
      UPDATE postern.consents SET scope = command->'row'->>'scope', granted_at = (command->'row'->>'granted_at')::bigint,
        expires_at = (command->'row'->>'expires_at')::bigint
      WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
        AND granted_at = (command->>'replaces')::bigint;
    END IF;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireConsent' THEN
      PERFORM 1 FROM postern.consents WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
      AND granted_at = (command->'row'->>'granted_at')::bigint AND scope = command->'row'->>'scope' FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RemoveConsent' THEN
      DELETE FROM postern.consents WHERE subject = command->>'subject' AND client_id = command->>'clientId';
    ELSE
      RAISE EXCEPTION 'no command is called %', command->>'_tag';
    END IF;
  END LOOP;
END
$function$;
-- next
CREATE FUNCTION postern.commit_each(sets jsonb) RETURNS text LANGUAGE plpgsql SET lock_timeout = '100ms' AS $function$
DECLARE
  done text := '';
BEGIN
  FOR place IN 0 .. jsonb_array_length(sets) - 1 LOOP
    BEGIN
      PERFORM postern.commit(sets -> place);
      done := done || 't';
    EXCEPTION WHEN SQLSTATE 'PN409' THEN
      done := done || 'f';
    END;
  END LOOP;
  RETURN done;
END
$function$;
-- next
ALTER TABLE postern.sessions ADD COLUMN address text;
-- next
CREATE OR REPLACE FUNCTION postern.commit(commands jsonb) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  command jsonb;
  ids text[];
  above text;
BEGIN
  FOR place IN 0 .. jsonb_array_length(commands) - 1 LOOP
    command := commands -> place;
    IF command->>'_tag' = 'SaveGrant' THEN
      INSERT INTO postern.grants SELECT * FROM jsonb_populate_record(NULL::postern.grants, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireGrant' THEN
      PERFORM 1 FROM postern.grants WHERE id = command->>'grantId' AND num_nulls(revoked_at) = 1 FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'KeepGrant' THEN
      UPDATE postern.grants SET keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE id = command->>'grantId' AND num_nulls(revoked_at) = 1
      RETURNING parent_id INTO above;
    IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    IF above IS NOT NULL THEN
      -- What it comes from must be there for as long, or revoking that would find nothing.
      WITH RECURSIVE chain (id, parent_id) AS (
        SELECT id, parent_id FROM postern.grants WHERE id = above
        UNION SELECT g.id, g.parent_id FROM chain JOIN postern.grants g ON g.id = chain.parent_id
      )
      UPDATE postern.grants SET keep_until = (command->>'keepUntil')::bigint
      WHERE id IN (SELECT id FROM chain) AND keep_until < (command->>'keepUntil')::bigint;
    END IF;
    ELSIF command->>'_tag' = 'RevokeGrant' THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE num_nulls(revoked_at) = 1 AND id = command->>'grantId' ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    ELSIF command->>'_tag' = 'RevokeGrants' THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE revoked_at IS NULL AND subject = command->>'subject' AND (command->>'clientId' IS NULL OR client_id = command->>'clientId')
      AND (command->>'sessionId' IS NULL OR session_id = command->>'sessionId') ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    ELSIF command->>'_tag' = 'SaveCode' THEN
      INSERT INTO postern.codes SELECT * FROM jsonb_populate_record(NULL::postern.codes, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ConsumeCode' THEN
      UPDATE postern.codes SET consumed_at = (command->>'at')::bigint, keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE locator = command->>'locator' AND consumed_at IS NULL;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveAccessToken' THEN
      INSERT INTO postern.access_tokens SELECT * FROM jsonb_populate_record(NULL::postern.access_tokens, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RevokeAccessToken' THEN
      UPDATE postern.access_tokens SET revoked_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND revoked_at IS NULL;
    ELSIF command->>'_tag' = 'SaveRefreshToken' THEN
      INSERT INTO postern.refresh_tokens SELECT * FROM jsonb_populate_record(NULL::postern.refresh_tokens, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RotateRefreshToken' THEN
      UPDATE postern.refresh_tokens SET rotated_at = (command->>'at')::bigint, successor = command->>'successor'
      WHERE locator = command->>'locator' AND rotated_at IS NULL;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveSession' THEN
      INSERT INTO postern.sessions SELECT * FROM jsonb_populate_record(NULL::postern.sessions, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireSession' THEN
      PERFORM 1 FROM postern.sessions WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1 FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'TouchSession' THEN
      UPDATE postern.sessions SET seen_at = (command->>'seenAt')::bigint, expires_at = (command->>'expiresAt')::bigint,
      keep_until = (command->>'keepUntil')::bigint
      WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'EndSession' THEN
      UPDATE postern.sessions SET ended_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND num_nulls(ended_at) = 1;
    IF (command->>'grants')::boolean THEN
      
  ids := ARRAY(SELECT id FROM postern.grants WHERE num_nulls(revoked_at) = 1 AND session_id = command->>'locator' AND ends_with_session = 1 ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND num_nulls(revoked_at) = 1 ORDER BY id || '' FOR UPDATE);
  END LOOP;
    END IF;
    ELSIF command->>'_tag' = 'SaveInteraction' THEN
      INSERT INTO postern.interactions SELECT * FROM jsonb_populate_record(NULL::postern.interactions, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReplaceInteraction' THEN
      
  UPDATE postern.interactions SET version = (command->'row'->>'version')::bigint, keep_until = (command->'row'->>'keep_until')::bigint,
    content = command->'row'->>'content'
  WHERE locator = command->'row'->>'locator' AND version = (command->'row'->>'version')::bigint - 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveDevice' THEN
      INSERT INTO postern.devices SELECT * FROM jsonb_populate_record(NULL::postern.devices, command->'row') ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReplaceDevice' THEN
      
  UPDATE postern.devices SET version = (command->'row'->>'version')::bigint, keep_until = (command->'row'->>'keep_until')::bigint,
    content = command->'row'->>'content'
  WHERE locator = command->'row'->>'locator' AND version = (command->'row'->>'version')::bigint - 1;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'CountAttempt' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'resetAt')::bigint)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at ELSE a.reset_at END;
    ELSIF command->>'_tag' = 'ReserveAttempt' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1,
        CASE WHEN (command->>'most')::bigint = 1 THEN coalesce((command->>'fullUntil')::bigint, (command->>'resetAt')::bigint)
        ELSE (command->>'resetAt')::bigint END)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE
          WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at
          WHEN a.count + 1 = (command->>'most')::bigint THEN coalesce((command->>'fullUntil')::bigint, a.reset_at)
          ELSE a.reset_at END
        WHERE a.reset_at <= (command->>'at')::bigint OR a.count < (command->>'most')::bigint;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'ReturnAttempt' THEN
      UPDATE postern.attempts SET count = count - 1
      WHERE key = command->>'key' AND count > 0 AND reset_at <= (command->>'until')::bigint;
    ELSIF command->>'_tag' = 'ForgetAttempts' THEN
      DELETE FROM postern.attempts WHERE key = command->>'key';
    ELSIF command->>'_tag' = 'UseOnce' THEN
      INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'until')::bigint)
      ON CONFLICT (key) DO UPDATE SET count = 1, reset_at = excluded.reset_at WHERE a.reset_at <= (command->>'at')::bigint;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'SaveConsent' THEN
      IF command->>'replaces' IS NULL THEN
      INSERT INTO postern.consents SELECT * FROM jsonb_populate_record(NULL::postern.consents, command->'row') ON CONFLICT DO NOTHING;
    ELSE
      UPDATE postern.consents SET scope = command->'row'->>'scope', granted_at = (command->'row'->>'granted_at')::bigint,
        expires_at = (command->'row'->>'expires_at')::bigint
      WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
        AND granted_at = (command->>'replaces')::bigint;
    END IF;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RequireConsent' THEN
      PERFORM 1 FROM postern.consents WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
      AND granted_at = (command->'row'->>'granted_at')::bigint AND scope = command->'row'->>'scope' FOR NO KEY UPDATE;
      IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = 'PN409'; END IF;
    ELSIF command->>'_tag' = 'RemoveConsent' THEN
      DELETE FROM postern.consents WHERE subject = command->>'subject' AND client_id = command->>'clientId';
    ELSE
      RAISE EXCEPTION 'no command is called %', command->>'_tag';
    END IF;
  END LOOP;
END
$function$;
-- next
CREATE TABLE postern.secrets (
        name text COLLATE "C" PRIMARY KEY,
        value text NOT NULL
      );
-- next
ALTER TABLE postern.sessions ADD COLUMN tenant text;
-- next
UPDATE postern.users SET claims = replace(replace(claims, '"email_verified":true', '"email_verified":false'),
        '"phone_number_verified":true', '"phone_number_verified":false') WHERE origin = 'upstream';
-- next
INSERT INTO postern.migrations (version, name) VALUES (1, 'grants, codes, tokens, sessions, interactions, consents, clients, users, identities, keys, trails'), (2, 'the network a person signed in from'), (3, 'tries that are reserved; secrets of the provider''s own'), (4, 'the tenant a person signed in for; verified claims only of trusted providers');
-- next
INSERT INTO postern.access_tokens (locator, digest, grant_id, client_id, subject, scope, audience, created_at, expires_at, revoked_at, keep_until) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', NULL, 'client_id 0 Ä''"\', NULL, 'scope 0 Ä''"\', 'audience 0 Ä''"\', 1795219200, 1795219200, NULL, 1795219200),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'scope 1 Ä''"\', 'audience 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'scope 2 Ä''"\', 'audience 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', NULL, 'client_id 3 Ä''"\', NULL, 'scope 3 Ä''"\', 'audience 3 Ä''"\', 1795219203, 1795219203, NULL, 1795219203),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'scope 4 Ä''"\', 'audience 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'scope 5 Ä''"\', 'audience 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', NULL, 'client_id 6 Ä''"\', NULL, 'scope 6 Ä''"\', 'audience 6 Ä''"\', 1795219206, 1795219206, NULL, 1795219206),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'scope 7 Ä''"\', 'audience 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'scope 8 Ä''"\', 'audience 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', NULL, 'client_id 9 Ä''"\', NULL, 'scope 9 Ä''"\', 'audience 9 Ä''"\', 1795219209, 1795219209, NULL, 1795219209),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'scope 10 Ä''"\', 'audience 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'scope 11 Ä''"\', 'audience 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211);
-- next
INSERT INTO postern.attempts (key, count, reset_at) VALUES
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
-- next
INSERT INTO postern.audit_events (at, event, client_id, subject, content) VALUES
  (1795219200, 'event 0 Ä''"\', NULL, NULL, 'content 0 Ä''"\'),
  (1795219201, 'event 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'content 1 Ä''"\'),
  (1795219202, 'event 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'content 2 Ä''"\'),
  (1795219203, 'event 3 Ä''"\', NULL, NULL, 'content 3 Ä''"\'),
  (1795219204, 'event 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'content 4 Ä''"\'),
  (1795219205, 'event 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'content 5 Ä''"\'),
  (1795219206, 'event 6 Ä''"\', NULL, NULL, 'content 6 Ä''"\'),
  (1795219207, 'event 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'content 7 Ä''"\'),
  (1795219208, 'event 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'content 8 Ä''"\'),
  (1795219209, 'event 9 Ä''"\', NULL, NULL, 'content 9 Ä''"\'),
  (1795219210, 'event 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'content 10 Ä''"\'),
  (1795219211, 'event 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'content 11 Ä''"\');
-- next
INSERT INTO postern.clients (client_id, metadata, secret_hash, secret_sealed, origin, created_at, updated_at) VALUES
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
-- next
INSERT INTO postern.codes (locator, digest, grant_id, client_id, redirect_uri, challenge, created_at, expires_at, consumed_at, keep_until) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'grant_id 0 Ä''"\', 'client_id 0 Ä''"\', 'redirect_uri 0 Ä''"\', NULL, 1795219200, 1795219200, NULL, 1795219200),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'redirect_uri 1 Ä''"\', 'challenge 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'redirect_uri 2 Ä''"\', 'challenge 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'grant_id 3 Ä''"\', 'client_id 3 Ä''"\', 'redirect_uri 3 Ä''"\', NULL, 1795219203, 1795219203, NULL, 1795219203),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'redirect_uri 4 Ä''"\', 'challenge 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'redirect_uri 5 Ä''"\', 'challenge 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'grant_id 6 Ä''"\', 'client_id 6 Ä''"\', 'redirect_uri 6 Ä''"\', NULL, 1795219206, 1795219206, NULL, 1795219206),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'redirect_uri 7 Ä''"\', 'challenge 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'redirect_uri 8 Ä''"\', 'challenge 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'grant_id 9 Ä''"\', 'client_id 9 Ä''"\', 'redirect_uri 9 Ä''"\', NULL, 1795219209, 1795219209, NULL, 1795219209),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'redirect_uri 10 Ä''"\', 'challenge 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'redirect_uri 11 Ä''"\', 'challenge 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211);
-- next
INSERT INTO postern.consents (subject, client_id, scope, granted_at, expires_at) VALUES
  ('subject 0 Ä''"\', 'client_id 0 Ä''"\', 'scope 0 Ä''"\', 1795219200, 1795219200),
  ('subject 1 Ä''"\', 'client_id 1 Ä''"\', 'scope 1 Ä''"\', 1795219201, 1795219201),
  ('subject 2 Ä''"\', 'client_id 2 Ä''"\', 'scope 2 Ä''"\', 1795219202, 1795219202),
  ('subject 3 Ä''"\', 'client_id 3 Ä''"\', 'scope 3 Ä''"\', 1795219203, 1795219203),
  ('subject 4 Ä''"\', 'client_id 4 Ä''"\', 'scope 4 Ä''"\', 1795219204, 1795219204),
  ('subject 5 Ä''"\', 'client_id 5 Ä''"\', 'scope 5 Ä''"\', 1795219205, 1795219205),
  ('subject 6 Ä''"\', 'client_id 6 Ä''"\', 'scope 6 Ä''"\', 1795219206, 1795219206),
  ('subject 7 Ä''"\', 'client_id 7 Ä''"\', 'scope 7 Ä''"\', 1795219207, 1795219207),
  ('subject 8 Ä''"\', 'client_id 8 Ä''"\', 'scope 8 Ä''"\', 1795219208, 1795219208),
  ('subject 9 Ä''"\', 'client_id 9 Ä''"\', 'scope 9 Ä''"\', 1795219209, 1795219209),
  ('subject 10 Ä''"\', 'client_id 10 Ä''"\', 'scope 10 Ä''"\', 1795219210, 1795219210),
  ('subject 11 Ä''"\', 'client_id 11 Ä''"\', 'scope 11 Ä''"\', 1795219211, 1795219211);
-- next
INSERT INTO postern.devices (locator, user_code, version, keep_until, content) VALUES
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
-- next
INSERT INTO postern.grants (id, client_id, subject, sub, session_id, scope, resources, auth_time, amr, acr, nonce, claims, ends_with_session, parent_id, extension, created_at, keep_until, revoked_at) VALUES
  ('id 0 Ä''"\', 'client_id 0 Ä''"\', 'subject 0 Ä''"\', 'sub 0 Ä''"\', NULL, 'scope 0 Ä''"\', 'resources 0 Ä''"\', 1795219200, 'amr 0 Ä''"\', NULL, NULL, NULL, 0, NULL, NULL, 1795219200, 1795219200, NULL),
  ('id 1 Ä''"\', 'client_id 1 Ä''"\', 'subject 1 Ä''"\', 'sub 1 Ä''"\', 'session_id 1 Ä''"\', 'scope 1 Ä''"\', 'resources 1 Ä''"\', 1795219201, 'amr 1 Ä''"\', 'acr 1 Ä''"\', 'nonce 1 Ä''"\', 'claims 1 Ä''"\', 1, 'parent_id 1 Ä''"\', 'extension 1 Ä''"\', 1795219201, 1795219201, 1795219201),
  ('id 2 Ä''"\', 'client_id 2 Ä''"\', 'subject 2 Ä''"\', 'sub 2 Ä''"\', 'session_id 2 Ä''"\', 'scope 2 Ä''"\', 'resources 2 Ä''"\', 1795219202, 'amr 2 Ä''"\', 'acr 2 Ä''"\', 'nonce 2 Ä''"\', 'claims 2 Ä''"\', 0, 'parent_id 2 Ä''"\', 'extension 2 Ä''"\', 1795219202, 1795219202, 1795219202),
  ('id 3 Ä''"\', 'client_id 3 Ä''"\', 'subject 3 Ä''"\', 'sub 3 Ä''"\', NULL, 'scope 3 Ä''"\', 'resources 3 Ä''"\', 1795219203, 'amr 3 Ä''"\', NULL, NULL, NULL, 1, NULL, NULL, 1795219203, 1795219203, NULL),
  ('id 4 Ä''"\', 'client_id 4 Ä''"\', 'subject 4 Ä''"\', 'sub 4 Ä''"\', 'session_id 4 Ä''"\', 'scope 4 Ä''"\', 'resources 4 Ä''"\', 1795219204, 'amr 4 Ä''"\', 'acr 4 Ä''"\', 'nonce 4 Ä''"\', 'claims 4 Ä''"\', 0, 'parent_id 4 Ä''"\', 'extension 4 Ä''"\', 1795219204, 1795219204, 1795219204),
  ('id 5 Ä''"\', 'client_id 5 Ä''"\', 'subject 5 Ä''"\', 'sub 5 Ä''"\', 'session_id 5 Ä''"\', 'scope 5 Ä''"\', 'resources 5 Ä''"\', 1795219205, 'amr 5 Ä''"\', 'acr 5 Ä''"\', 'nonce 5 Ä''"\', 'claims 5 Ä''"\', 1, 'parent_id 5 Ä''"\', 'extension 5 Ä''"\', 1795219205, 1795219205, 1795219205),
  ('id 6 Ä''"\', 'client_id 6 Ä''"\', 'subject 6 Ä''"\', 'sub 6 Ä''"\', NULL, 'scope 6 Ä''"\', 'resources 6 Ä''"\', 1795219206, 'amr 6 Ä''"\', NULL, NULL, NULL, 0, NULL, NULL, 1795219206, 1795219206, NULL),
  ('id 7 Ä''"\', 'client_id 7 Ä''"\', 'subject 7 Ä''"\', 'sub 7 Ä''"\', 'session_id 7 Ä''"\', 'scope 7 Ä''"\', 'resources 7 Ä''"\', 1795219207, 'amr 7 Ä''"\', 'acr 7 Ä''"\', 'nonce 7 Ä''"\', 'claims 7 Ä''"\', 1, 'parent_id 7 Ä''"\', 'extension 7 Ä''"\', 1795219207, 1795219207, 1795219207),
  ('id 8 Ä''"\', 'client_id 8 Ä''"\', 'subject 8 Ä''"\', 'sub 8 Ä''"\', 'session_id 8 Ä''"\', 'scope 8 Ä''"\', 'resources 8 Ä''"\', 1795219208, 'amr 8 Ä''"\', 'acr 8 Ä''"\', 'nonce 8 Ä''"\', 'claims 8 Ä''"\', 0, 'parent_id 8 Ä''"\', 'extension 8 Ä''"\', 1795219208, 1795219208, 1795219208),
  ('id 9 Ä''"\', 'client_id 9 Ä''"\', 'subject 9 Ä''"\', 'sub 9 Ä''"\', NULL, 'scope 9 Ä''"\', 'resources 9 Ä''"\', 1795219209, 'amr 9 Ä''"\', NULL, NULL, NULL, 1, NULL, NULL, 1795219209, 1795219209, NULL),
  ('id 10 Ä''"\', 'client_id 10 Ä''"\', 'subject 10 Ä''"\', 'sub 10 Ä''"\', 'session_id 10 Ä''"\', 'scope 10 Ä''"\', 'resources 10 Ä''"\', 1795219210, 'amr 10 Ä''"\', 'acr 10 Ä''"\', 'nonce 10 Ä''"\', 'claims 10 Ä''"\', 0, 'parent_id 10 Ä''"\', 'extension 10 Ä''"\', 1795219210, 1795219210, 1795219210),
  ('id 11 Ä''"\', 'client_id 11 Ä''"\', 'subject 11 Ä''"\', 'sub 11 Ä''"\', 'session_id 11 Ä''"\', 'scope 11 Ä''"\', 'resources 11 Ä''"\', 1795219211, 'amr 11 Ä''"\', 'acr 11 Ä''"\', 'nonce 11 Ä''"\', 'claims 11 Ä''"\', 1, 'parent_id 11 Ä''"\', 'extension 11 Ä''"\', 1795219211, 1795219211, 1795219211);
-- next
INSERT INTO postern.identities (issuer, subject, user_subject, provider, created_at, last_seen) VALUES
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
-- next
INSERT INTO postern.interactions (locator, version, keep_until, content) VALUES
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
-- next
INSERT INTO postern.refresh_tokens (locator, digest, grant_id, client_id, scope, created_at, expires_at, absolute_expires_at, rotated_at, successor, keep_until) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'grant_id 0 Ä''"\', 'client_id 0 Ä''"\', 'scope 0 Ä''"\', 1795219200, 1795219200, 1795219200, NULL, NULL, 1795219200),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'grant_id 1 Ä''"\', 'client_id 1 Ä''"\', 'scope 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201, 'successor 1 Ä''"\', 1795219201),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'grant_id 2 Ä''"\', 'client_id 2 Ä''"\', 'scope 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202, 'successor 2 Ä''"\', 1795219202),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'grant_id 3 Ä''"\', 'client_id 3 Ä''"\', 'scope 3 Ä''"\', 1795219203, 1795219203, 1795219203, NULL, NULL, 1795219203),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'grant_id 4 Ä''"\', 'client_id 4 Ä''"\', 'scope 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204, 'successor 4 Ä''"\', 1795219204),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'grant_id 5 Ä''"\', 'client_id 5 Ä''"\', 'scope 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205, 'successor 5 Ä''"\', 1795219205),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'grant_id 6 Ä''"\', 'client_id 6 Ä''"\', 'scope 6 Ä''"\', 1795219206, 1795219206, 1795219206, NULL, NULL, 1795219206),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'grant_id 7 Ä''"\', 'client_id 7 Ä''"\', 'scope 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207, 'successor 7 Ä''"\', 1795219207),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'grant_id 8 Ä''"\', 'client_id 8 Ä''"\', 'scope 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208, 'successor 8 Ä''"\', 1795219208),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'grant_id 9 Ä''"\', 'client_id 9 Ä''"\', 'scope 9 Ä''"\', 1795219209, 1795219209, 1795219209, NULL, NULL, 1795219209),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'grant_id 10 Ä''"\', 'client_id 10 Ä''"\', 'scope 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210, 'successor 10 Ä''"\', 1795219210),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'grant_id 11 Ä''"\', 'client_id 11 Ä''"\', 'scope 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211, 'successor 11 Ä''"\', 1795219211);
-- next
INSERT INTO postern.request_counts (key, full_at, taken) VALUES
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
-- next
INSERT INTO postern.secrets (name, value) VALUES
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
-- next
INSERT INTO postern.sessions (locator, digest, subject, auth_time, amr, acr, idp, agent, created_at, seen_at, expires_at, ended_at, keep_until, address, tenant) VALUES
  ('locator 0 Ä''"\', 'digest 0 Ä''"\', 'subject 0 Ä''"\', 1795219200, 'amr 0 Ä''"\', NULL, NULL, 'agent 0 Ä''"\', 1795219200, 1795219200, 1795219200, NULL, 1795219200, NULL, NULL),
  ('locator 1 Ä''"\', 'digest 1 Ä''"\', 'subject 1 Ä''"\', 1795219201, 'amr 1 Ä''"\', 'acr 1 Ä''"\', 'idp 1 Ä''"\', 'agent 1 Ä''"\', 1795219201, 1795219201, 1795219201, 1795219201, 1795219201, 'address 1 Ä''"\', 'tenant 1 Ä''"\'),
  ('locator 2 Ä''"\', 'digest 2 Ä''"\', 'subject 2 Ä''"\', 1795219202, 'amr 2 Ä''"\', 'acr 2 Ä''"\', 'idp 2 Ä''"\', 'agent 2 Ä''"\', 1795219202, 1795219202, 1795219202, 1795219202, 1795219202, 'address 2 Ä''"\', 'tenant 2 Ä''"\'),
  ('locator 3 Ä''"\', 'digest 3 Ä''"\', 'subject 3 Ä''"\', 1795219203, 'amr 3 Ä''"\', NULL, NULL, 'agent 3 Ä''"\', 1795219203, 1795219203, 1795219203, NULL, 1795219203, NULL, NULL),
  ('locator 4 Ä''"\', 'digest 4 Ä''"\', 'subject 4 Ä''"\', 1795219204, 'amr 4 Ä''"\', 'acr 4 Ä''"\', 'idp 4 Ä''"\', 'agent 4 Ä''"\', 1795219204, 1795219204, 1795219204, 1795219204, 1795219204, 'address 4 Ä''"\', 'tenant 4 Ä''"\'),
  ('locator 5 Ä''"\', 'digest 5 Ä''"\', 'subject 5 Ä''"\', 1795219205, 'amr 5 Ä''"\', 'acr 5 Ä''"\', 'idp 5 Ä''"\', 'agent 5 Ä''"\', 1795219205, 1795219205, 1795219205, 1795219205, 1795219205, 'address 5 Ä''"\', 'tenant 5 Ä''"\'),
  ('locator 6 Ä''"\', 'digest 6 Ä''"\', 'subject 6 Ä''"\', 1795219206, 'amr 6 Ä''"\', NULL, NULL, 'agent 6 Ä''"\', 1795219206, 1795219206, 1795219206, NULL, 1795219206, NULL, NULL),
  ('locator 7 Ä''"\', 'digest 7 Ä''"\', 'subject 7 Ä''"\', 1795219207, 'amr 7 Ä''"\', 'acr 7 Ä''"\', 'idp 7 Ä''"\', 'agent 7 Ä''"\', 1795219207, 1795219207, 1795219207, 1795219207, 1795219207, 'address 7 Ä''"\', 'tenant 7 Ä''"\'),
  ('locator 8 Ä''"\', 'digest 8 Ä''"\', 'subject 8 Ä''"\', 1795219208, 'amr 8 Ä''"\', 'acr 8 Ä''"\', 'idp 8 Ä''"\', 'agent 8 Ä''"\', 1795219208, 1795219208, 1795219208, 1795219208, 1795219208, 'address 8 Ä''"\', 'tenant 8 Ä''"\'),
  ('locator 9 Ä''"\', 'digest 9 Ä''"\', 'subject 9 Ä''"\', 1795219209, 'amr 9 Ä''"\', NULL, NULL, 'agent 9 Ä''"\', 1795219209, 1795219209, 1795219209, NULL, 1795219209, NULL, NULL),
  ('locator 10 Ä''"\', 'digest 10 Ä''"\', 'subject 10 Ä''"\', 1795219210, 'amr 10 Ä''"\', 'acr 10 Ä''"\', 'idp 10 Ä''"\', 'agent 10 Ä''"\', 1795219210, 1795219210, 1795219210, 1795219210, 1795219210, 'address 10 Ä''"\', 'tenant 10 Ä''"\'),
  ('locator 11 Ä''"\', 'digest 11 Ä''"\', 'subject 11 Ä''"\', 1795219211, 'amr 11 Ä''"\', 'acr 11 Ä''"\', 'idp 11 Ä''"\', 'agent 11 Ä''"\', 1795219211, 1795219211, 1795219211, 1795219211, 1795219211, 'address 11 Ä''"\', 'tenant 11 Ä''"\');
-- next
INSERT INTO postern.signing_keys (kid, alg, private_jwk, public_jwk, created_at, active_at) VALUES
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
-- next
INSERT INTO postern.trails (request_id, at, refused, content) VALUES
  ('request_id 0 Ä''"\', 1795219200, 0, 'content 0 Ä''"\'),
  ('request_id 1 Ä''"\', 1795219201, 1, 'content 1 Ä''"\'),
  ('request_id 2 Ä''"\', 1795219202, 0, 'content 2 Ä''"\'),
  ('request_id 3 Ä''"\', 1795219203, 1, 'content 3 Ä''"\'),
  ('request_id 4 Ä''"\', 1795219204, 0, 'content 4 Ä''"\'),
  ('request_id 5 Ä''"\', 1795219205, 1, 'content 5 Ä''"\'),
  ('request_id 6 Ä''"\', 1795219206, 0, 'content 6 Ä''"\'),
  ('request_id 7 Ä''"\', 1795219207, 1, 'content 7 Ä''"\'),
  ('request_id 8 Ä''"\', 1795219208, 0, 'content 8 Ä''"\'),
  ('request_id 9 Ä''"\', 1795219209, 1, 'content 9 Ä''"\'),
  ('request_id 10 Ä''"\', 1795219210, 0, 'content 10 Ä''"\'),
  ('request_id 11 Ä''"\', 1795219211, 1, 'content 11 Ä''"\');
-- next
INSERT INTO postern.tries (key, points, expire) VALUES
  ('key 0 Ä''"\', 1795219200, NULL),
  ('key 1 Ä''"\', 1795219201, 1795219201),
  ('key 2 Ä''"\', 1795219202, 1795219202),
  ('key 3 Ä''"\', 1795219203, NULL),
  ('key 4 Ä''"\', 1795219204, 1795219204),
  ('key 5 Ä''"\', 1795219205, 1795219205),
  ('key 6 Ä''"\', 1795219206, NULL),
  ('key 7 Ä''"\', 1795219207, 1795219207),
  ('key 8 Ä''"\', 1795219208, 1795219208),
  ('key 9 Ä''"\', 1795219209, NULL),
  ('key 10 Ä''"\', 1795219210, 1795219210),
  ('key 11 Ä''"\', 1795219211, 1795219211);
-- next
INSERT INTO postern.users (subject, username, username_key, password_hash, claims, disabled, tenant, origin, created_at, updated_at) VALUES
  ('subject 0 Ä''"\', 'username 0 Ä''"\', 'username_key 0 Ä''"\', NULL, 'claims 0 Ä''"\', 0, NULL, 'config', 1795219200, 1795219200),
  ('subject 1 Ä''"\', 'username 1 Ä''"\', 'username_key 1 Ä''"\', 'password_hash 1 Ä''"\', 'claims 1 Ä''"\', 1, 'tenant 1 Ä''"\', 'config', 1795219201, 1795219201),
  ('subject 2 Ä''"\', 'username 2 Ä''"\', 'username_key 2 Ä''"\', 'password_hash 2 Ä''"\', 'claims 2 Ä''"\', 0, 'tenant 2 Ä''"\', 'config', 1795219202, 1795219202),
  ('subject 3 Ä''"\', 'username 3 Ä''"\', 'username_key 3 Ä''"\', NULL, 'claims 3 Ä''"\', 1, NULL, 'config', 1795219203, 1795219203),
  ('subject 4 Ä''"\', 'username 4 Ä''"\', 'username_key 4 Ä''"\', 'password_hash 4 Ä''"\', 'claims 4 Ä''"\', 0, 'tenant 4 Ä''"\', 'config', 1795219204, 1795219204),
  ('subject 5 Ä''"\', 'username 5 Ä''"\', 'username_key 5 Ä''"\', 'password_hash 5 Ä''"\', 'claims 5 Ä''"\', 1, 'tenant 5 Ä''"\', 'config', 1795219205, 1795219205),
  ('subject 6 Ä''"\', 'username 6 Ä''"\', 'username_key 6 Ä''"\', NULL, 'claims 6 Ä''"\', 0, NULL, 'config', 1795219206, 1795219206),
  ('subject 7 Ä''"\', 'username 7 Ä''"\', 'username_key 7 Ä''"\', 'password_hash 7 Ä''"\', 'claims 7 Ä''"\', 1, 'tenant 7 Ä''"\', 'config', 1795219207, 1795219207),
  ('subject 8 Ä''"\', 'username 8 Ä''"\', 'username_key 8 Ä''"\', 'password_hash 8 Ä''"\', 'claims 8 Ä''"\', 0, 'tenant 8 Ä''"\', 'config', 1795219208, 1795219208),
  ('subject 9 Ä''"\', 'username 9 Ä''"\', 'username_key 9 Ä''"\', NULL, 'claims 9 Ä''"\', 1, NULL, 'config', 1795219209, 1795219209),
  ('subject 10 Ä''"\', 'username 10 Ä''"\', 'username_key 10 Ä''"\', 'password_hash 10 Ä''"\', 'claims 10 Ä''"\', 0, 'tenant 10 Ä''"\', 'config', 1795219210, 1795219210),
  ('subject 11 Ä''"\', 'username 11 Ä''"\', 'username_key 11 Ä''"\', 'password_hash 11 Ä''"\', 'claims 11 Ä''"\', 1, 'tenant 11 Ä''"\', 'config', 1795219211, 1795219211);
