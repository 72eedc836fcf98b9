import * as Effect from "effect/Effect"
import type { Client, Refusal } from "../model/index.ts"
import { isPublic } from "../model/index.ts"
import type { JwtVerdict, PortFailed, Ports } from "../ports/index.ts"
import { mapped, steps } from "../ports/steps.ts"
import { type ClientAssertion, algorithmsOf, clientAssertion, clientAssertionProof, momentOf } from "../rules/clientAssertion.ts"
import { type ClientSeen, clientAuthentication, clientSecret, presentedClient, tokenPath } from "../rules/clientAuthentication.ts"
import { judge } from "../rules/rule.ts"
import { type Message, type Params, addressKey } from "../wire/index.ts"
import { verifyBy } from "./remote.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** A client that is who it says, or why it is not. */
export type AuthenticatedClient =
  | { readonly client: Client; readonly refusal?: never }
  | { readonly client?: never; readonly refusal: Refusal }

/** Loads the client that a request presents and applies the tables of client authentication. */
export const authenticateClient = steps(function* (message: Message, params: Params, inquiry: Inquiry) {
  const { ports, now, address } = inquiry
  const { clients } = ports
  const presented = presentedClient(message.headers["authorization"], params)
  const client = presented.clientId === undefined ? undefined : yield* clients.find(presented.clientId)
  const judged = client !== undefined && !isPublic(client) && presented.secret !== undefined
  const failuresKey = judged && address !== undefined ? yield* failuresKeyOf(client, address, ports) : undefined
  const failures = failuresKey === undefined ? undefined : yield* ports.tokens.findAttempts(failuresKey)
  const seen: ClientSeen = { now, client, failuresKey, failures }
  inquiry.about.clientId = client?.clientId
  const refusal = judge(inquiry.trace, clientAuthentication, presented, seen)
  if (refusal !== undefined)
    return refused(presented.presentedAssertion === undefined || presented.scheme !== undefined ? refusal : unchallenged(refusal))
  if (client === undefined) return yield* Effect.die(new Error("a client was authenticated that does not exist"))
  if (judged) {
    const secretMatches = yield* clients.verifySecret(client.clientId, presented.secret)
    const wrong = judge(inquiry.trace, clientSecret, presented, { now, failuresKey, secretMatches })
    if (wrong !== undefined) return refused(wrong)
  }
  const unproven = presented.assertion === undefined ? undefined : yield* judgeAssertion(presented.assertion, client, message.path, inquiry)
  return unproven === undefined ? ({ client } satisfies AuthenticatedClient as AuthenticatedClient) : refused(unchallenged(unproven))
})

/** Under what wrong secrets are counted, by address. A machine comes from few, with every token it gets. */
const failuresKeys = new WeakMap<Client, Map<string, string>>()

/** Addresses of a client whose key is remembered. */
const mostAddresses = 100

const failuresKeyOf = (client: Client, address: string, ports: Ports): Effect.Effect<string, PortFailed> => {
  const known = failuresKeys.get(client) ?? new Map<string, string>()
  const key = known.get(address)
  if (key !== undefined) return Effect.succeed(key)
  return mapped(digestOf(ports, `postern client ${JSON.stringify([client.clientId, addressKey(address)])}`), (made) => {
    if (known.size >= mostAddresses) known.clear()
    failuresKeys.set(client, known.set(address, made))
    return made
  })
}

const refused = (refusal: Refusal): AuthenticatedClient => ({ refusal })

/** A client that came with an assertion did not try an HTTP scheme, and none would help it (RFC 6749 §5.2). */
const unchallenged = (refusal: Refusal): Refusal => ({ ...refusal, challenge: undefined })

/** Applies the tables of assertions. One that passes is used up, whatever else the request comes to. */
const judgeAssertion = steps(function* (assertion: ClientAssertion, client: Client, path: string, inquiry: Inquiry) {
  const { ports, now, trace } = inquiry
  const { issuer } = ports.settings
  const [origin] = /^[a-z]+:\/\/[^/]+/.exec(issuer) ?? [issuer]
  const audiences = [...new Set([issuer, issuer.replace(/\/$/, "") + tokenPath, origin + path])]
  const unfit = judge(trace, clientAssertion, assertion, { client, issuer, audiences, now })
  if (unfit !== undefined) return unfit
  const verdict = yield* verified(assertion.jwt, client, inquiry)
  const key = yield* digestOf(ports, `postern client assertion ${JSON.stringify([client.clientId, assertion.claims["jti"]])}`)
  const known = yield* ports.tokens.findAttempts(key)
  const unverified = verdict._tag === "Verified" ? undefined : verdict.reason
  const unproven = judge(trace, clientAssertionProof, undefined, { unverified, used: known !== undefined && known.resetAt > now })
  if (unproven !== undefined) return unproven
  inquiry.about.proven = [{ _tag: "UseOnce", key, at: now, until: Math.ceil(momentOf(assertion.claims, "exp") ?? now) }]
  return undefined
})

const verified = steps(function* (jwt: string, client: Client, inquiry: Inquiry) {
  if (client.tokenEndpointAuthMethod !== "client_secret_jwt") return yield* verifyBy(jwt, client.keys, algorithmsOf(client), inquiry)
  const secret = yield* inquiry.ports.clients.secretOf(client.clientId)
  return secret === undefined
    ? ({ _tag: "Invalid", reason: "no secret of the client is kept to verify with" } satisfies JwtVerdict as JwtVerdict)
    : yield* inquiry.ports.jwts.verifySecret(jwt, secret, algorithmsOf(client))
})
