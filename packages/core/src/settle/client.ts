import * as Effect from "effect/Effect"
import { type Client, type Command, type Refusal, type Secret, useOnce } from "../model/index.ts"
import { isPublic } from "../model/index.ts"
import type { JwtVerdict, PortFailed, Ports } from "../ports/index.ts"
import { afterwards, mapped, onward, steps, unbroken } from "../ports/steps.ts"
import { type ClientAssertion, algorithmsOf, clientAssertion, clientAssertionProof, momentOf } from "../rules/clientAssertion.ts"
import {
  type ClientSeen,
  type PresentedClient,
  clientAuthentication,
  clientPresentation,
  clientSecret,
  guessesSecret,
  presentedClient,
  tokenPath,
} from "../rules/clientAuthentication.ts"
import { counted, mostFailures } from "../rules/failures.ts"
import { holdTo, profileOf } from "../rules/profile.ts"
import { judge } from "../rules/rule.ts"
import { type Message, type Params, addressKey } from "../wire/index.ts"
import { takePlace } from "./guesses.ts"
import { verifyBy } from "./remote.ts"
import { type Inquiry, digestOf } from "./request.ts"
import { Decided, type Stage } from "./stage.ts"

/** Which client asks: every row of an endpoint for programs has this stage. */
export const authenticated: Stage<{ readonly message: Message; readonly params: Params }, { readonly client: Client }> = {
  tables: [clientPresentation, clientAuthentication, clientSecret, clientAssertion, clientAssertionProof],
  run: ({ message, params }, inquiry) =>
    mapped(authenticateClient(message, params, inquiry), ({ client, refusal }) =>
      client === undefined ? new Decided({ _tag: "RefuseJson", refusal }) : { client },
    ),
}

/** A client that is who it says, or why it is not. */
export type AuthenticatedClient =
  | { readonly client: Client; readonly refusal?: never }
  | { readonly client?: never; readonly refusal: Refusal }

/** Loads the client that a request presents and applies the tables of client authentication. */
export const authenticateClient = steps(function* (message: Message, params: Params, inquiry: Inquiry) {
  const { ports, now, address } = inquiry
  const presented = presentedClient(message.headers["authorization"], params)
  const client = presented.clientId === undefined ? undefined : yield* ports.clients.find(presented.clientId)
  inquiry.about.clientId = client?.clientId
  if (client !== undefined) {
    const profile = profileOf(client, ports.settings)
    inquiry.about.profile = profile
    holdTo(profile, inquiry.trace)
  }
  const guessed = presented.secret !== undefined || (client !== undefined && guessesSecret(client, presented))
  const failuresKey = guessed && address !== undefined ? yield* failuresKeyOf(client, presented.clientId ?? "", address, ports) : undefined
  const seen = { now, client, failuresKey }
  if (failuresKey === undefined) return (yield* prove(presented, { ...seen, failures: undefined }, message.path, inquiry)).client
  // Whoever hangs up has guessed all the same.
  return yield* unbroken(
    onward(takePlace(failuresKey, mostFailures, inquiry), ({ failures, leave }) => {
      let isCounted = false
      const proving = mapped(prove(presented, { ...seen, failures }, message.path, inquiry), (proven) => {
        isCounted = proven.counted
        return proven.client
      })
      return afterwards(proving, () => leave(isCounted))
    }),
  )
})

/** The verdict of the tables, and if a wrong secret was counted. */
interface Proven {
  readonly client: AuthenticatedClient
  readonly counted: boolean
}

/** Judges who the client is. A wrong secret is counted before anything is answered. */
const prove = steps(function* (presented: PresentedClient, seen: ClientSeen, path: string, inquiry: Inquiry) {
  const { client } = seen
  const shown = (refusal: Refusal): Refusal =>
    presented.presentedAssertion === undefined || presented.scheme !== undefined ? refusal : unchallenged(refusal)
  const unclear = judge(inquiry.trace, clientPresentation, presented, undefined)
  if (unclear !== undefined) return refused(shown(unclear))
  const unfit = judge(inquiry.trace, clientAuthentication, presented, seen)
  if (unfit !== undefined)
    return yield* presented.secret === undefined || unfit.tooMany === true
      ? Effect.succeed(refused(shown(unfit)))
      : refusedAsWrong(shown(unfit), presented.secret, presented.clientId ?? "", seen, inquiry)
  if (client === undefined) return yield* Effect.die(new Error("a client was authenticated that does not exist"))
  const { assertion, secret } = presented
  const mismatch = secret === undefined || isPublic(client) ? undefined : yield* judgeSecret(secret, presented, seen, client, inquiry)
  const wrong = mismatch ?? (assertion === undefined ? undefined : yield* judgeAssertion(assertion, seen, client, path, inquiry))
  if (wrong === undefined) return { client: { client }, counted: false } satisfies Proven as Proven
  return yield* refusedCounting(wrong, wrong.commands, inquiry)
})

const refusedCounting = (refusal: Refusal, commands: ReadonlyArray<Command>, { ports }: Inquiry): Effect.Effect<Proven, PortFailed> =>
  commands.length === 0
    ? Effect.succeed(refused(refusal))
    : mapped(ports.tokens.commit(commands), (outcome) => ({
        ...refused({ ...refusal, commands: [] }),
        counted: outcome === "Committed",
      }))

/**
 * Refuses at the cost of a wrong secret, and counts it as one: nobody learns by time or limit which clients there are. It is no client's secret
 * that is compared, so that none can be guessed here.
 */
const refusedAsWrong = (refusal: Refusal, secret: Secret, clientId: string, seen: ClientSeen, inquiry: Inquiry) =>
  onward(inquiry.ports.clients.verifySecret(noClient(clientId), secret, inquiry.address), () =>
    refusedCounting(refusal, counted(seen), inquiry),
  )

/** An id that no client can have (RFC 6749 appendix A.1). */
const noClient = (clientId: string): string => `\n${clientId}`

const judgeSecret = (secret: Secret, presented: PresentedClient, seen: ClientSeen, client: Client, { ports, trace, address }: Inquiry) =>
  mapped(ports.clients.verifySecret(client.clientId, secret, address), (secretMatches) =>
    judge(trace, clientSecret, presented, { ...seen, secretMatches }),
  )

/** Under what wrong secrets are counted, by address. A machine comes from few, with every token it gets. */
const failuresKeys = new WeakMap<Client, Map<string, string>>()

/** Addresses of a client whose key is remembered. */
const mostAddresses = 100

const failuresKeyOf = (client: Client | undefined, clientId: string, address: string, ports: Ports): Effect.Effect<string, PortFailed> => {
  const known = (client && failuresKeys.get(client)) ?? new Map<string, string>()
  const key = known.get(address)
  if (key !== undefined) return Effect.succeed(key)
  return mapped(digestOf(ports, `postern client ${JSON.stringify([clientId, addressKey(address)])}`), (made) => {
    if (client === undefined) return made
    if (known.size >= mostAddresses) known.clear()
    failuresKeys.set(client, known.set(address, made))
    return made
  })
}

const refused = (refusal: Refusal): Proven => ({ client: { refusal }, counted: false })

/** A client that came with an assertion did not try an HTTP scheme, and none would help it (RFC 6749 §5.2). */
const unchallenged = (refusal: Refusal): Refusal => ({ ...refusal, challenge: undefined })

/** Applies the tables of assertions. One that passes is used up, whatever else the request comes to. */
const judgeAssertion = steps(function* (assertion: ClientAssertion, seen: ClientSeen, client: Client, path: string, inquiry: Inquiry) {
  const { ports, now, trace } = inquiry
  const { issuer } = ports.settings
  const [origin] = /^[a-z]+:\/\/[^/]+/.exec(issuer) ?? [issuer]
  const audiences = [...new Set([issuer, issuer.replace(/\/$/, "") + tokenPath, origin + path])]
  const unfit = judge(trace, clientAssertion, assertion, { client, issuer, audiences, now })
  if (unfit !== undefined) return unchallenged(unfit)
  const verdict = yield* verified(assertion.jwt, client, inquiry)
  const key = yield* digestOf(ports, `postern client assertion ${JSON.stringify([client.clientId, assertion.claims["jti"]])}`)
  const known = yield* ports.tokens.findAttempts(key)
  const unverified = verdict._tag === "Verified" ? undefined : verdict.reason
  const used = known !== undefined && known.resetAt > now
  const unproven = judge(trace, clientAssertionProof, undefined, { ...seen, unverified, used })
  if (unproven !== undefined) return unchallenged(unproven)
  inquiry.changes.push(useOnce(key, now, Math.ceil(momentOf(assertion.claims, "exp") ?? now)))
  return undefined
})

const verified = steps(function* (jwt: string, client: Client, inquiry: Inquiry) {
  if (client.tokenEndpointAuthMethod !== "client_secret_jwt") return yield* verifyBy(jwt, client.keys, algorithmsOf(client), inquiry)
  const secret = yield* inquiry.ports.clients.secretOf(client.clientId)
  return secret === undefined
    ? ({ _tag: "Invalid", reason: "no secret of the client is kept to verify with" } satisfies JwtVerdict as JwtVerdict)
    : yield* inquiry.ports.jwts.verifySecret(jwt, secret, algorithmsOf(client))
})
