/** Adds a row that was given whole, by column. */
const insert = (table: string): string =>
  `INSERT INTO postern.${table} SELECT * FROM jsonb_populate_record(NULL::postern.${table}, command->'row') ON CONFLICT DO NOTHING;`

/** Replaces a document by the version after it. */
const replace = (table: string): string => `
  UPDATE postern.${table} SET version = (command->'row'->>'version')::bigint, keep_until = (command->'row'->>'keep_until')::bigint,
    content = command->'row'->>'content'
  WHERE locator = command->'row'->>'locator' AND version = (command->'row'->>'version')::bigint - 1;`

/**
 * Reports whether a column is null, said so that no index of the rows where it is comes into question: such an index might be gone through from end
 * to end, where another one finds the row.
 */
const isNull = (column: string): string => `num_nulls(${column}) = 1`

/**
 * Revokes grants that stand, and those derived from them, generation by generation. Each is locked before its own are looked for, in one
 * order: two who revoke the same ones take turns, and whoever derives a grant meanwhile has locked what it comes from, and is waited for.
 * The order is no index's, so that none is gone through for it.
 */
const revokeGrants = (which: string, standing = isNull("revoked_at")): string => `
  ids := ARRAY(SELECT id FROM postern.grants WHERE ${standing} AND ${which} ORDER BY id || '' FOR UPDATE);
  WHILE cardinality(ids) > 0 LOOP
    UPDATE postern.grants SET revoked_at = (command->>'at')::bigint WHERE id = ANY (ids);
    ids := ARRAY(SELECT id FROM postern.grants WHERE parent_id = ANY (ids) AND parent_id IS NOT NULL AND ${isNull("revoked_at")} ORDER BY id || '' FOR UPDATE);
  END LOOP;`

const guarded = (code: string): string => `IF NOT FOUND THEN RAISE EXCEPTION 'postern: a guard failed' USING ERRCODE = '${code}'; END IF;`

/** The SQLSTATE of a failed guard. */
export const conflict = "PN409"

/**
 * What each command does, and whether it has a guard: then it is a conflict that it found no row. Each guard is the WHERE of its own
 * statement, and what is required is locked until the commit, so that nobody takes it away between judging and committing.
 */
const commands: ReadonlyArray<readonly [tag: string, guarded: boolean, statement: string]> = [
  ["SaveGrant", true, insert("grants")],
  ["RequireGrant", true, `PERFORM 1 FROM postern.grants WHERE id = command->>'grantId' AND ${isNull("revoked_at")} FOR NO KEY UPDATE;`],
  [
    "KeepGrant",
    false,
    `UPDATE postern.grants SET keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE id = command->>'grantId' AND ${isNull("revoked_at")}
      RETURNING parent_id INTO above;
    ${guarded(conflict)}
    IF above IS NOT NULL THEN
      -- What it comes from must be there for as long, or revoking that would find nothing.
      WITH RECURSIVE chain (id, parent_id) AS (
        SELECT id, parent_id FROM postern.grants WHERE id = above
        UNION SELECT g.id, g.parent_id FROM chain JOIN postern.grants g ON g.id = chain.parent_id
      )
      UPDATE postern.grants SET keep_until = (command->>'keepUntil')::bigint
      WHERE id IN (SELECT id FROM chain) AND keep_until < (command->>'keepUntil')::bigint;
    END IF;`,
  ],
  ["RevokeGrant", false, revokeGrants(`id = command->>'grantId'`)],
  [
    "RevokeGrants",
    false,
    revokeGrants(
      `subject = command->>'subject' AND (command->>'clientId' IS NULL OR client_id = command->>'clientId')
      AND (command->>'sessionId' IS NULL OR session_id = command->>'sessionId')`,
      "revoked_at IS NULL",
    ),
  ],
  ["SaveCode", true, insert("codes")],
  [
    "ConsumeCode",
    true,
    `UPDATE postern.codes SET consumed_at = (command->>'at')::bigint, keep_until = greatest(keep_until, (command->>'keepUntil')::bigint)
      WHERE locator = command->>'locator' AND consumed_at IS NULL;`,
  ],
  ["SaveAccessToken", true, insert("access_tokens")],
  [
    "RevokeAccessToken",
    false,
    `UPDATE postern.access_tokens SET revoked_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND revoked_at IS NULL;`,
  ],
  ["SaveRefreshToken", true, insert("refresh_tokens")],
  [
    "RotateRefreshToken",
    true,
    `UPDATE postern.refresh_tokens SET rotated_at = (command->>'at')::bigint, successor = command->>'successor'
      WHERE locator = command->>'locator' AND rotated_at IS NULL;`,
  ],
  ["SaveSession", true, insert("sessions")],
  [
    "RequireSession",
    true,
    `PERFORM 1 FROM postern.sessions WHERE locator = command->>'locator' AND ${isNull("ended_at")} FOR NO KEY UPDATE;`,
  ],
  [
    "TouchSession",
    true,
    `UPDATE postern.sessions SET seen_at = (command->>'seenAt')::bigint, expires_at = (command->>'expiresAt')::bigint,
      keep_until = (command->>'keepUntil')::bigint
      WHERE locator = command->>'locator' AND ${isNull("ended_at")};`,
  ],
  [
    "EndSession",
    false,
    `UPDATE postern.sessions SET ended_at = (command->>'at')::bigint WHERE locator = command->>'locator' AND ${isNull("ended_at")};
    IF (command->>'grants')::boolean THEN
      ${revokeGrants(`session_id = command->>'locator' AND ends_with_session = 1`)}
    END IF;`,
  ],
  ["SaveInteraction", true, insert("interactions")],
  ["ReplaceInteraction", true, replace("interactions")],
  ["SaveDevice", true, insert("devices")],
  ["ReplaceDevice", true, replace("devices")],
  [
    "CountAttempt",
    false,
    `INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'resetAt')::bigint)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at ELSE a.reset_at END;`,
  ],
  [
    "ReserveAttempt",
    true,
    `INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1,
        CASE WHEN (command->>'most')::bigint = 1 THEN coalesce((command->>'fullUntil')::bigint, (command->>'resetAt')::bigint)
        ELSE (command->>'resetAt')::bigint END)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.reset_at <= (command->>'at')::bigint THEN 1 ELSE a.count + 1 END,
        reset_at = CASE
          WHEN a.reset_at <= (command->>'at')::bigint THEN excluded.reset_at
          WHEN a.count + 1 = (command->>'most')::bigint THEN coalesce((command->>'fullUntil')::bigint, a.reset_at)
          ELSE a.reset_at END
        WHERE a.reset_at <= (command->>'at')::bigint OR a.count < (command->>'most')::bigint;`,
  ],
  [
    "ReturnAttempt",
    false,
    `UPDATE postern.attempts SET count = count - 1
      WHERE key = command->>'key' AND count > 0 AND reset_at <= (command->>'until')::bigint;`,
  ],
  ["ForgetAttempts", false, `DELETE FROM postern.attempts WHERE key = command->>'key';`],
  [
    "UseOnce",
    true,
    `INSERT INTO postern.attempts AS a (key, count, reset_at) VALUES (command->>'key', 1, (command->>'until')::bigint)
      ON CONFLICT (key) DO UPDATE SET count = 1, reset_at = excluded.reset_at WHERE a.reset_at <= (command->>'at')::bigint;`,
  ],
  [
    "SaveConsent",
    true,
    `IF command->>'replaces' IS NULL THEN
      ${insert("consents")}
    ELSE
      UPDATE postern.consents SET scope = command->'row'->>'scope', granted_at = (command->'row'->>'granted_at')::bigint,
        expires_at = (command->'row'->>'expires_at')::bigint
      WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
        AND granted_at = (command->>'replaces')::bigint;
    END IF;`,
  ],
  [
    "RequireConsent",
    true,
    `PERFORM 1 FROM postern.consents WHERE subject = command->'row'->>'subject' AND client_id = command->'row'->>'client_id'
      AND granted_at = (command->'row'->>'granted_at')::bigint AND scope = command->'row'->>'scope' FOR NO KEY UPDATE;`,
  ],
  ["RemoveConsent", false, `DELETE FROM postern.consents WHERE subject = command->>'subject' AND client_id = command->>'clientId';`],
]

/**
 * Runs a set of commands in the order given, each seeing what those before it did. One failed guard is an error, which takes back
 * everything: so a commit is one statement, one round trip and one transaction, whatever its commands. Catching the error here and answering
 * false would spare the server's log a line for each lost race, and cost every commit a subtransaction: a seventh more work, measured.
 */
export const commitFunction = `
CREATE OR REPLACE FUNCTION postern.commit(commands jsonb) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  command jsonb;
  ids text[];
  above text;
BEGIN
  FOR place IN 0 .. jsonb_array_length(commands) - 1 LOOP
    command := commands -> place;
    ${commands
      .map(
        ([tag, hasGuard, statement], at) => `${at === 0 ? "IF" : "ELSIF"} command->>'_tag' = '${tag}' THEN
      ${statement}${hasGuard ? `\n      ${guarded(conflict)}` : ""}`,
      )
      .join("\n    ")}
    ELSE
      RAISE EXCEPTION 'no command is called %', command->>'_tag';
    END IF;
  END LOOP;
END
$function$`

/**
 * Runs several sets of commands, each as `postern.commit` would and each in a subtransaction, so that a failed guard takes back its own set
 * alone; answers with a `t` or `f` for each. It holds what it has locked until all of them are done: so it waits for no lock of another
 * for long, also because two of these that wait for each other would otherwise be found out only after a second.
 */
export const commitEachFunction = `
CREATE FUNCTION postern.commit_each(sets jsonb) RETURNS text LANGUAGE plpgsql SET lock_timeout = '100ms' AS $function$
DECLARE
  done text := '';
BEGIN
  FOR place IN 0 .. jsonb_array_length(sets) - 1 LOOP
    BEGIN
      PERFORM postern.commit(sets -> place);
      done := done || 't';
    EXCEPTION WHEN SQLSTATE '${conflict}' THEN
      done := done || 'f';
    END;
  END LOOP;
  RETURN done;
END
$function$`
