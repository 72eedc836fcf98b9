import { type CibaOptions, ciba, defaultFeatures, deliveriesOf, type OutboundAnswer } from "@postern/core"
import { type ClientMetadata, outbox, secretOf } from "@postern/core/model"
import type { Undelivered } from "@postern/core/features"
import { claimOf, deliveryPolicy, settled } from "@postern/core/outbox"
import { post, signedIn, token } from "./flows.ts"
import { answering } from "./logouts.ts"
import { setOf } from "./requestObjects.ts"
import type { Said, Visitor } from "./visitor.ts"
import { type World, type WorldOptions, beginning, clients, issuer } from "./world.ts"

export const cibaGrant = "urn:openid:params:grant-type:ciba"
export const notifications = "https://till.example/notify"

const till = {
  client_secret: "secret of till",
  client_name: "Till",
  grant_types: [cibaGrant, "refresh_token"],
  response_types: [],
  scope: "openid email offline_access api.read",
}

/** Clients that ask people, one for each delivery and each form of request. */
const askers: ReadonlyArray<ClientMetadata> = [
  { ...till, client_id: "till", backchannel_token_delivery_mode: "poll" },
  { ...till, client_id: "pinged", backchannel_token_delivery_mode: "ping", backchannel_client_notification_endpoint: notifications },
  { ...till, client_id: "pushed", backchannel_token_delivery_mode: "push", backchannel_client_notification_endpoint: notifications },
  {
    ...till,
    client_id: "signs",
    client_secret: "secret of signs",
    backchannel_token_delivery_mode: "poll",
    backchannel_authentication_request_signing_alg: "ES256",
    jwks: setOf("p256", "rsa"),
  },
  {
    ...till,
    client_id: "may-sign",
    client_secret: "secret of may-sign",
    backchannel_token_delivery_mode: "poll",
    jwks: setOf("p256", "rsa"),
  },
]

/** The same with their secrets. */
export const tills: ReadonlyArray<ClientMetadata> = askers.map((each) => ({ ...each, client_secret: `secret of ${each.client_id}` }))

export const accountKey = secretOf("a key of the accounts, 32 characters")

/** Options of a world in which clients may ask people. */
export const asking = (options: CibaOptions = {}, more: ReadonlyArray<ClientMetadata> = []): WorldOptions => ({
  clients: [...clients, ...tills, ...more],
  more: { features: [...defaultFeatures, ciba(options)], accountKey },
})

/** Fields of a request; undefined removes one. */
export type Fields = Readonly<Record<string, string | undefined>>

/** Asks a person, with changes; undefined removes a parameter. */
export const ask = (w: World, clientId = "till", changes: Fields = {}): Promise<Said> => {
  const fields: Fields = {
    scope: "openid email",
    login_hint: "sub-alice",
    binding_message: "W4SCT",
    ...(clientId === "pinged" || clientId === "pushed" ? { client_notification_token: "notify~me+1/2=" } : {}),
    ...changes,
  }
  return post(
    w,
    "/connect/ciba",
    clientId,
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}

/** The claims of a signed request, with changes; undefined removes one. */
export const askedClaims = (clientId: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const base = { iss: clientId, aud: issuer, iat: beginning, nbf: beginning, exp: beginning + 300, jti: "j1" }
  const all = { ...base, scope: "openid email", login_hint: "sub-alice", binding_message: "W4SCT", ...changes }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Polls for the result of a request. */
export const poll = (w: World, asked: Said, clientId = "till", more: Readonly<Record<string, string>> = {}): Promise<Said> =>
  token(w, clientId, { grant_type: cibaGrant, auth_req_id: String(asked.json?.["auth_req_id"]), ...more })

/** The locator of a request, by which its page is found. */
export const locatorOf = (asked: Said): string => String(asked.json?.["auth_req_id"]).slice(2, 18)

/** The model of a page that a feature declares. */
export const modelOf = ({ page }: Said): Record<string, unknown> => (page?.["model"] ?? {}) as Record<string, unknown>

/** Opens the page of a request. */
export const open = (visitor: Visitor, asked: Said): Promise<Said> => visitor.get(`/approve?request=${locatorOf(asked)}`)

/** Answers a request as its person. */
export const decide = async (w: World, asked: Said, decision = "allow", visitor?: Visitor): Promise<Said> => {
  const person = visitor ?? (await signedIn(w))
  return person.submit(modelOf(await open(person, asked)), [["decision", decision]])
}

/** A message as a client, or the operator's channel to people, received it. */
export interface Received {
  readonly url: string
  readonly contentType: string
  readonly authorization: string | undefined
  readonly body: Record<string, unknown>
}

/** Makes one attempt at every message that is due, and settles it as a worker would. */
export const deliver = async (
  w: World,
  options: CibaOptions = {},
  answer: () => OutboundAnswer = () => answering(204),
  key = accountKey,
): Promise<{ readonly received: ReadonlyArray<Received>; readonly outcomes: ReadonlyArray<Undelivered | undefined> }> => {
  const received: Array<Received> = []
  const outcomes: Array<Undelivered | undefined> = []
  const handlers = deliveriesOf(
    { features: [...defaultFeatures, ciba(options)] },
    {
      issuer,
      clients: { find: (id) => w.clients.get(id) },
      tokens: w.tokens,
      signer: w.signer,
      accountKey: key,
      outbound: {
        fetch: () => ({ _tag: "Unfetched", reason: "nothing is published here" }),
        post: (url, { contentType, text, authorization }) => {
          received.push({ url, contentType, authorization: authorization?.reveal(), body: JSON.parse(text) as Record<string, unknown> })
          return answer()
        },
      },
      rulesOff: [...w.provider.settings.rulesOff],
      now: w.now,
    },
  )
  for (const message of await w.tokens.list(outbox, "due", { now: w.now() })) {
    await w.tokens.commit([claimOf(message, "claim", w.now(), deliveryPolicy)])
    const undelivered = (await handlers[message.kind]?.(message, new AbortController().signal)) ?? undefined
    outcomes.push(undelivered)
    await w.tokens.commit([settled(message, "claim", undelivered ?? { _tag: "Delivered" }, w.now(), 0, deliveryPolicy)])
  }
  return { received, outcomes }
}
