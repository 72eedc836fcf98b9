import { type Changes, type Received, json, textOf } from "../../exchange/exchange.ts"
import { shown } from "../../oracle/finding.ts"
import type { Needs } from "../../requirement/requirement.ts"
import { type ProofKey, proofKey, proved } from "../../steps/dpop.ts"
import type { Authorized, Steps } from "../../steps/steps.ts"
import { type RoleName, redirectUri } from "../../target/roles.ts"
import { Inconclusive } from "../../target/target.ts"

/** The metadata of providers that support PAR and sender-constrained tokens. */
export const offered = {
  pushed_authorization_request_endpoint: undefined,
  dpop_signing_alg_values_supported: undefined,
} as const satisfies Needs["metadata"]

/** The response to a pushed authorization request, and its verifier. */
export interface Pushing {
  readonly received: Received
  readonly verifier: string
}

/** Pushes a client's usual authorization request with changes. */
export const push = async (t: Steps, role: RoleName, changes: Changes = {}, beside: Changes = {}): Promise<Pushing> => {
  const verifier = t.random(32)
  const pairs = t.request(role, verifier, changes)
  const more = Object.entries(beside).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return { received: await t.post("pushed_authorization_request_endpoint", [...pairs, ...more], role), verifier }
}

/** Visits the authorization endpoint with a pushed request. */
export const visit = async (t: Steps, role: RoleName, { received, verifier }: Pushing, changes: Changes = {}): Promise<Authorized> => {
  const request_uri = textOf(json(received)?.["request_uri"])
  if (received.status !== 201 || request_uri === "")
    throw new Inconclusive(`no request_uri came: status ${received.status}, error ${shown(json(received)?.["error"])}`, received)
  const pairs = Object.entries({ client_id: t.client(role).client_id, request_uri, ...changes })
  return { ...(await t.authorizeWith(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))), verifier }
}

/** Sends a token request with a DPoP proof. */
export const proving = (t: Steps, role: RoleName, fields: Changes, key: ProofKey): Promise<Received> =>
  proved(
    (proof) => t.post("token_endpoint", fields, role, { dpop: proof }),
    (nonce) => key.proof("POST", t.endpoint("token_endpoint"), t.now(), { claims: nonce }),
  )

/** The form fields that redeem a code. */
export const redeeming = (t: Steps, role: RoleName, code: string, verifier: string): Changes => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri(t.client(role)),
  code_verifier: verifier,
})

/** Redeems a code with a DPoP proof of a new key. */
export const redeemed = async (t: Steps, role: RoleName, code: string, verifier: string): Promise<Received> =>
  proving(t, role, redeeming(t, role, code, verifier), await proofKey())
