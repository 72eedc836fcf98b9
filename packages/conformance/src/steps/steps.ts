import { createHash, randomBytes } from "node:crypto"
import { Browser, type Choices, type Visit } from "../browser/browser.ts"
import { type Changes, type Pairs, type Received, type Sent, encoded, json, pairsOf, textOf } from "../exchange/exchange.ts"
import { shown } from "../oracle/finding.ts"
import { Inconclusive, type Person, type Target, Untried } from "../target/target.ts"
import { type RoleClient, type RoleName, redirectUri } from "../target/roles.ts"
import type { Posted, Published } from "../target/web.ts"
import { clientProof } from "./proof.ts"

export type { Browser, Choices, Visit }

/** The result of an authorization request. */
export interface Authorized extends Visit {
  /** The parameters of the request. */
  readonly asked: Pairs
  /** The code verifier for the request's challenge (RFC 7636 §4.1). */
  readonly verifier: string
  /** The place of the response's parameters; undefined if the client received none. */
  readonly place: "query" | "fragment" | "form_post" | undefined
  /** The parameters that the client received; empty if the browser stayed at the provider. */
  readonly params: Readonly<Record<string, string>>
}

/** Tokens with the response that issued them. */
export interface Granted {
  readonly received: Received
  readonly authorized: Authorized
  readonly tokens: Readonly<Record<string, unknown>>
}

/** Options of an authorization request, apart from its parameters. */
export interface Way {
  /** The browser; by default one without cookies. */
  readonly browser?: Browser
  readonly method?: "GET" | "POST"
  readonly choices?: Choices
}

// Clients ask for JSON: frameworks that serve pages too may otherwise answer with one.
const form = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" }

/** The operations on a target that a requirement's steps use. Each requirement has its own instance. */
export class Steps {
  readonly target: Target
  /** All responses so far, in order. */
  readonly exchanges: Array<Received> = []
  readonly #metadata: Readonly<Record<string, unknown>>

  constructor(target: Target, metadata: Readonly<Record<string, unknown>>) {
    this.#metadata = metadata
    this.target = {
      ...target,
      send: async (sent) => {
        const received = await target.send(sent)
        this.exchanges.push(received)
        return received
      },
    }
  }

  /** The same steps with another person. */
  as(person: Person): Steps {
    const steps = new Steps({ ...this.target, person }, this.#metadata)
    return steps
  }

  /** The provider's metadata (OpenID Connect Discovery §3, RFC 8414 §2). */
  get metadata(): Readonly<Record<string, unknown>> {
    return this.#metadata
  }

  /** The URL of an endpoint, by its metadata member. */
  endpoint(member: string): string {
    const url = this.#metadata[member]
    if (typeof url !== "string") throw new Inconclusive(`the metadata has no ${member}`)
    return url
  }

  /** The target's time, in seconds. */
  now(): number {
    return this.target.now()
  }

  /** Advances the target's clock. */
  async pass(seconds: number): Promise<void> {
    if (this.target.pass === undefined) throw new Inconclusive("the target's clock is not under control")
    await this.target.pass(seconds)
  }

  /** Waits a few seconds, by advancing the target's clock if it is controllable, else in real time. */
  async wait(seconds: number): Promise<void> {
    if (this.target.pass === undefined) await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    else await this.target.pass(seconds)
  }

  /** The client of a role. */
  client(role: RoleName): RoleClient {
    const client = this.target.clients[role]
    if (client === undefined) throw new Inconclusive(`there is no client of the role ${role}`)
    return client
  }

  /** The client of a role with a wrong secret. */
  impostor(role: RoleName): RoleClient {
    return { ...this.client(role), client_secret: "wrong" }
  }

  /** Runs an operation sixteen times in parallel. */
  race<A>(attempt: () => Promise<A>): Promise<ReadonlyArray<A>> {
    return Promise.all(Array.from({ length: 16 }, attempt))
  }

  /** Random text. */
  random(bytes = 16): string {
    return randomBytes(bytes).toString("base64url")
  }

  /** Sends a request without a browser. */
  send(sent: Sent): Promise<Received> {
    return this.target.send(sent)
  }

  /** Sends a GET request. */
  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send({ method: "GET", url, headers })
  }

  /** Posts a form to an endpoint, as a client of a role or without a client. */
  async post(
    member: string,
    changes: Changes | Pairs,
    as?: RoleName | RoleClient,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Received> {
    const url = this.endpoint(member)
    const client = typeof as === "string" ? this.client(as) : as
    const proof = client === undefined ? { headers: {}, fields: {} } : await clientProof(client, this.target.issuer, this.now())
    const own = isPairs(changes) ? changes : pairsOf(changes)
    const named = new Set(own.map(([name]) => name))
    const pairs = [...own, ...pairsOf(proof.fields).filter(([name]) => !named.has(name))]
    return this.send({ method: "POST", url, headers: { ...form, ...proof.headers, ...headers }, body: encoded(pairs) })
  }

  /** Sends a token request. */
  token(changes: Changes | Pairs, as?: RoleName | RoleClient): Promise<Received> {
    return this.post("token_endpoint", changes, as)
  }

  /** Creates a browser without cookies. */
  browser(): Browser {
    const registered = new Set(Object.values(this.target.clients).flatMap(hostsOf))
    const endpoints = Object.entries(this.#metadata).filter(([name]) => /_endpoint$|^jwks_uri$|^check_session_iframe$/.test(name))
    return new Browser(
      this.target,
      (url) => registered.has(new URL(url).host),
      endpoints.map(([, url]) => textOf(url)),
    )
  }

  /** The parameters of a role's authorization request, with changes. Undefined removes a parameter. */
  request(role: RoleName, verifier: string, changes: Changes = {}): Pairs {
    const client = this.client(role)
    return pairsOf({
      client_id: client.client_id,
      redirect_uri: redirectUri(client),
      response_type: "code",
      scope: "openid",
      state: this.random(),
      nonce: this.random(),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...changes,
    })
  }

  /** Sends an authorization request, signs in and consents if the target asks for it, and returns the client's response. */
  async authorize(role: RoleName, changes: Changes = {}, way: Way = {}): Promise<Authorized> {
    const verifier = this.random(32)
    return { ...(await this.authorizeWith(this.request(role, verifier, changes), way)), verifier }
  }

  /** Does the same with the given parameters, unmodified. */
  async authorizeWith(asked: Pairs, { browser = this.browser(), method = "GET", choices = {} }: Way = {}): Promise<Authorized> {
    const endpoint = this.endpoint("authorization_endpoint")
    const query = encoded(asked)
    const sent: Sent =
      method === "POST"
        ? { method, url: endpoint, headers: form, body: query }
        : { method, url: `${endpoint}${endpoint.includes("?") ? "&" : "?"}${query}`, headers: {} }
    const visit = await browser.visit(sent, choices)
    return { ...visit, asked, verifier: "", ...parametersOf(visit) }
  }

  /** Obtains a code for a role. Throws `Inconclusive` with the outcome if none is issued. */
  async code(role: RoleName, changes: Changes = {}, way: Way = {}): Promise<Authorized & { readonly code: string }> {
    const authorized = await this.authorize(role, changes, way)
    const { code } = authorized.params
    if (code === undefined) throw new Inconclusive(`no code came: ${outcome(authorized)}`, authorized.last)
    return { ...authorized, code }
  }

  /** Redeems a code. */
  redeem(role: RoleName, { code, verifier, asked }: Authorized & { readonly code: string }, changes: Changes = {}): Promise<Received> {
    const redirect = asked.find(([name]) => name === "redirect_uri")?.[1]
    return this.token({ grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier, ...changes }, role)
  }

  /** Obtains tokens for a role with a code. */
  async tokens(role: RoleName, changes: Changes = {}, way: Way = {}): Promise<Granted> {
    const authorized = await this.code(role, changes, way)
    const received = await this.redeem(role, authorized)
    return { authorized, received, tokens: tokensOf(received) }
  }

  /**
   * The logout tokens that the client of a role has received. In real time it waits up to five seconds for the expected number. Rejects
   * with `Untried` if the run does not listen for them.
   */
  async logouts(role: RoleName, atLeast: number): Promise<ReadonlyArray<string>> {
    const client = this.client(role)
    const { logouts } = this.target
    if (logouts === undefined || client.backchannel_logout_uri === undefined)
      throw new Untried(`the client of the role ${role} has no backchannel_logout_uri on loopback`)
    return this.#awaited(() => logouts(client), atLeast)
  }

  /** The notices about CIBA requests that the client of a role has received. It waits as `logouts` does. */
  async notices(role: RoleName, atLeast: number): Promise<ReadonlyArray<Posted>> {
    const client = this.client(role)
    const { notices } = this.target
    if (notices?.(client) === undefined)
      throw new Untried(`the client of the role ${role} has no backchannel_client_notification_endpoint on loopback`)
    return this.#awaited(() => notices(client) ?? [], atLeast)
  }

  /** Publishes a client's document at a path, and returns its URL. Throws `Untried` if the target could not reach it. */
  publish(path: string, published: Published): string {
    const { publisher } = this.target
    if (publisher === undefined) throw new Untried("no document that is published here can be reached by the provider")
    publisher.publish(path, published)
    return `${publisher.origin}${path}`
  }

  /** Waits up to five seconds for the expected number of messages. If the target's clock is controllable, it does not wait. */
  async #awaited<A>(messages: () => ReadonlyArray<A>, atLeast: number): Promise<ReadonlyArray<A>> {
    for (let wait = 0; wait < 50 && messages().length < atLeast && this.target.pass === undefined; wait++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    return messages()
  }

  /** Sends the CORS preflight of a cross-origin request with an Authorization header (Fetch §4.8). */
  preflight(endpoint: string, method: string): Promise<Received> {
    const asked = { "access-control-request-method": method, "access-control-request-headers": "authorization" }
    return this.send({ method: "OPTIONS", url: this.endpoint(endpoint), headers: { origin: "https://app.conformance.test", ...asked } })
  }

  /** Sends a userinfo request with an access token. */
  userinfo(accessToken: unknown, method: "GET" | "POST" = "GET"): Promise<Received> {
    return this.send({
      method,
      url: this.endpoint("userinfo_endpoint"),
      headers: { accept: "application/json, application/jwt", authorization: `Bearer ${String(accessToken)}` },
    })
  }
}

/** Reads a member of the metadata. */
export const told =
  (member: string) =>
  async ({ metadata }: Steps): Promise<unknown> =>
    metadata[member]

/** The tokens of a response that must be a success. */
export const tokensOf = (received: Received): Readonly<Record<string, unknown>> => {
  const tokens = json(received)
  if (received.status !== 200 || tokens?.["access_token"] === undefined)
    throw new Inconclusive(`no token came: status ${received.status}, error ${shown(tokens?.["error"])}`, received)
  return tokens
}

const hostsOf = ({ redirect_uris, post_logout_redirect_uris = [] }: RoleClient): ReadonlyArray<string> =>
  [...redirect_uris, ...post_logout_redirect_uris].flatMap((uri) => (URL.canParse(uri) ? [new URL(uri).host] : []))

const isPairs = (changes: Changes | Pairs): changes is Pairs => Array.isArray(changes)

const parametersOf = ({ leaving }: Visit): Pick<Authorized, "place" | "params"> => {
  if (leaving === undefined) return { place: undefined, params: {} }
  if (leaving.form !== undefined) return { place: "form_post", params: Object.fromEntries(leaving.form.pairs) }
  const url = new URL(leaving.url)
  const fragment = Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
  return Object.keys(fragment).length > 0
    ? { place: "fragment", params: fragment }
    : { place: "query", params: Object.fromEntries(url.searchParams) }
}

/** Describes the result of an authorization request in a few words. */
export const outcome = ({ params, last, leaving }: Authorized): string =>
  leaving === undefined
    ? `a page with status ${last.status} from ${new URL(last.sent.url).pathname}`
    : `the client got ${Object.keys(params).join(", ")}${params["error"] === undefined ? "" : ` (${params["error"]})`}`
