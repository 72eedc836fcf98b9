import { randomUUID } from "node:crypto"
import { decodeJwt } from "jose"
import type { Ledger } from "./ledger.ts"
import type { Forge } from "./forge.ts"
import type { KnownClient } from "./misbehaving.ts"
import type { Misbehavior, Outcome } from "./misbehavior.ts"
import { logoutEvent } from "./ofLogout.ts"

/** A client cannot receive logout tokens, because it has no address for them or nobody has signed in there. */
export class CannotSignOut extends Error {
  override readonly name = "CannotSignOut"
}

/** The data needed to make and send logout tokens. */
export interface Leaving {
  readonly client: KnownClient
  /** The client's last correct ID token. */
  readonly idToken: string | undefined
  readonly offered: ReadonlyArray<Misbehavior>
  readonly forge: Forge
  readonly ledger: Ledger
  /** Seconds since 1970. */
  readonly now: number
}

/** Posts a logout token (OpenID Connect Back-Channel Logout §2.5), and returns the status; undefined if no response came. */
const post = async (uri: string, jwt: string): Promise<number | undefined> => {
  const body = new URLSearchParams({ logout_token: jwt })
  try {
    const answer = await fetch(uri, { method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(10_000) })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

/**
 * Sends a client each wrong logout token, then a correct one, and then the same one again. A correct one at the start would end the session
 * that the others name.
 */
export const sendLogoutTokens = async ({ client, idToken, offered, forge, ledger, now }: Leaving): Promise<void> => {
  const uri = client.backchannel_logout_uri
  if (uri === undefined) throw new CannotSignOut(`${client.client_id} has no backchannel_logout_uri`)
  if (idToken === undefined) throw new CannotSignOut(`nobody has signed in at ${client.client_id} yet`)
  const { iss = "", aud, sub, sid } = decodeJwt(idToken)
  const alg = forge.read(idToken)?.header.alg ?? "RS256"
  const header = { alg, typ: "logout+jwt", kid: forge.keyFor(alg)?.kid }
  const made = () => forge.sign(header, { iss, aud, sub, sid, iat: now, exp: now + 120, jti: randomUUID(), events: { [logoutEvent]: {} } })
  const usual = await made()
  const late = ["logout.usual", "logout.replayed"]
  const theirs = offered.filter(({ transform }) => transform.logout !== undefined)
  const inOrder = [...theirs.filter(({ id }) => !late.includes(id)), ...late.flatMap((id) => theirs.filter((each) => each.id === id))]
  const none = new URLSearchParams()
  for (const { id, transform } of inOrder) {
    const answer = { status: 200, headers: [], body: late.includes(id) ? usual : await made() }
    const change = {
      answer,
      issuer: iss,
      forge,
      sent: none,
      nonce: undefined,
      asked: none,
      kept: { jwt: usual },
      other: iss,
      planted: `${iss}/planted`,
      plain: undefined,
      client: client.client_id,
      now,
    }
    const outcome: Outcome = await transform.logout?.(change)
    const jwt = outcome === undefined ? undefined : "answer" in outcome ? outcome.answer.body : outcome.body
    const status = jwt === undefined ? undefined : await post(uri, jwt)
    if (status !== undefined) ledger.add(id, client.client_id, { kind: "answered", status })
  }
}
