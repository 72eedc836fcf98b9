import type { JWK } from "jose"
import { type Received, json, textOf } from "../exchange/exchange.ts"
import { type Finding, refused } from "../oracle/finding.ts"
import { Steps } from "../steps/steps.ts"
import { type RoleClient, callback, roles } from "../target/roles.ts"
import { Inconclusive, Untried } from "../target/target.ts"

/** Client metadata (RFC 7591 §2). */
export type Metadata = Readonly<Record<string, unknown>>

/** The metadata of a web application for dynamic registration. */
export const web: Metadata = { ...roles.web, client_name: "Conformance: registration" }

/** Sends metadata to the registration endpoint, with any further headers. */
const register = (t: Steps, metadata: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> =>
  t.send({
    method: "POST",
    url: t.endpoint("registration_endpoint"),
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
  })

/** The response to an open registration. Throws `Untried` if registration needs an initial access token. */
export const answerTo = async (t: Steps, metadata: unknown, headers?: Readonly<Record<string, string>>): Promise<Received> => {
  const received = await register(t, metadata, headers)
  if (received.status === 401 || received.status === 403)
    throw new Untried("registration is not open: it needs an initial access token (RFC 7591 §3)")
  return received
}

/** A registered client with its management data. */
export interface Made {
  /** The registration response. */
  readonly received: Received
  /** The registered metadata. */
  readonly answer: Metadata
  /** Its client_id. */
  readonly id: string
  /** The client configuration endpoint; empty if there is none. */
  readonly uri: string
  /** The registration access token. */
  readonly token: string
}

const madeOf = (received: Received): Made => {
  const answer = json(received) ?? {}
  if (received.status !== 201 || textOf(answer["client_id"]) === "")
    throw new Inconclusive(`no client was registered: status ${received.status}, error ${textOf(answer["error"]) || "none"}`, received)
  return {
    received,
    answer,
    id: textOf(answer["client_id"]),
    uri: textOf(answer["registration_client_uri"]),
    token: textOf(answer["registration_access_token"]),
  }
}

/** Sends a request to the client configuration endpoint with its token (RFC 7592 §2). */
export const manage = (t: Steps, { uri, token }: Pick<Made, "uri" | "token">, method: string, body?: unknown): Promise<Received> =>
  t.send({
    method,
    url: uri,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Registers a client, and deletes it afterwards if the provider allows it (RFC 7592 §2.3). */
export const withClient = async <A>(t: Steps, changes: Metadata, use: (made: Made) => Promise<A>): Promise<A> => {
  const made = madeOf(await answerTo(t, { ...web, ...changes }))
  try {
    return await use(made)
  } finally {
    if (made.uri !== "" && made.token !== "") await manage(t, made, "DELETE").catch(() => undefined)
  }
}

/** Does the same for a client that can be managed. Throws `Untried` if the provider does not support that. */
export const withManaged = <A>(t: Steps, changes: Metadata, use: (made: Made) => Promise<A>): Promise<A> =>
  withClient(t, changes, (made) => {
    if (made.uri === "" || made.token === "") throw new Untried("the provider lets nobody manage what they registered (RFC 7592)")
    return use(made)
  })

/** A registered client, for use in a role. */
export const clientOf = ({ answer, id }: Made, key?: JWK): RoleClient => ({
  client_id: id,
  client_secret: textOf(answer["client_secret"]) || undefined,
  token_endpoint_auth_method: textOf(answer["token_endpoint_auth_method"]) || "client_secret_basic",
  redirect_uris: [callback],
  post_logout_redirect_uris: [],
  scope: textOf(answer["scope"]) || roles.web.scope,
  key: key === undefined ? undefined : { ...key },
})

/** Steps in which a registered client has the role `web`. The original steps record their exchanges, too. */
export const asWeb = (t: Steps, client: RoleClient): Steps =>
  new Steps({ ...t.target, clients: { ...t.target.clients, web: client } }, t.metadata)

/** Tokens of a person for a registered client. */
export const tokensFor = async (t: Steps, made: Made): Promise<Readonly<Record<string, unknown>>> =>
  (await asWeb(t, clientOf(made)).tokens("web", { scope: "openid" })).tokens

/** The metadata of an update request: all members with the client's id (RFC 7592 §2.2). */
export const changed = ({ id, answer }: Made, changes: Metadata): Metadata => ({
  ...web,
  client_id: id,
  ...(answer["client_secret"] === undefined ? {} : { client_secret: answer["client_secret"] }),
  ...changes,
})

/** Requires that metadata was refused (RFC 7591 §3.2.2). */
export const refusedMetadata = (received: Received): Finding =>
  refused(received, [400], "invalid_redirect_uri", "invalid_client_metadata", "invalid_request")
