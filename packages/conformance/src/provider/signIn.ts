import { createHash, randomBytes } from "node:crypto"
import type { JsonObject, Trail } from "@postern/core"
import { Browser } from "../browser/browser.ts"
import { type Received, type Sent, encoded, json, objectOf, pairsOf, textOf } from "../exchange/exchange.ts"
import { ownPages } from "../target/recipe.ts"
import { clientProof } from "../steps/proof.ts"
import type { KnownClient } from "./clients.ts"
import type { People } from "./people.ts"

/** The person who signs in. */
export interface Subject {
  /** The `sub` claim; `alice` by default. An unknown person is created. */
  readonly subject?: string | undefined
  /** The person's claims from now on; unchanged by default. */
  readonly claims?: JsonObject | undefined
}

/** A sign-in without a browser. */
export interface SigningIn extends Subject {
  /** The client by its identifier; the first one by default. */
  readonly client?: string | undefined
  /** The scopes; by default all that the client has. */
  readonly scope?: string | undefined
  /** The redirect URI; the client's first by default. */
  readonly redirectUri?: string | undefined
  /** Further parameters of the authorization request, such as `max_age`. Undefined removes a parameter. */
  readonly parameters?: Readonly<Record<string, string | undefined>> | undefined
}

/** The code and the tokens of a sign-in. */
export interface SignedIn {
  /** The code, already redeemed. */
  readonly code: string
  /** The whole token response. */
  readonly tokens: Readonly<Record<string, unknown>>
  readonly accessToken: string
  readonly idToken: string | undefined
  readonly refreshToken: string | undefined
  /** The claims of the ID token; empty without an ID token. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A sign-in got no code, or the code no tokens, because the provider refused it. The message names the rule. */
export class SignInRefused extends Error {
  override readonly name = "SignInRefused"
  /** The `error` that the client received; undefined if the person saw an error page instead. */
  readonly error: string | undefined
  constructor(message: string, error: string | undefined) {
    super(message)
    this.error = error
  }
}

/** The provider that people sign in at. */
export interface SignInPlace {
  readonly issuer: string
  /** The address that the provider is reached at from this process. */
  readonly address: string
  readonly clients: ReadonlyArray<KnownClient>
  readonly people: People
  readonly now: () => number
  /** The trail of a request, by the request id in its response. */
  readonly trail: (requestId: string | null) => Trail | undefined
}

/** Sends a request to the address that the provider listens at. The issuer may be a name that only other hosts can reach. */
const sendTo = async (sent: Sent, { issuer, address }: SignInPlace): Promise<Received> => {
  const { method, headers, body } = sent
  const [from, to] = [new URL(issuer).origin, new URL(address).origin]
  const response = await fetch(sent.url.startsWith(from) ? to + sent.url.slice(from.length) : sent.url, {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, headers: response.headers, body: await response.text(), sent }
}

const refusal = (place: SignInPlace, what: string, { headers, status }: Received, error?: string): SignInRefused => {
  const refused = place.trail(headers.get("x-request-id"))?.steps.findLast((step) => step.refused !== undefined)?.refused
  const why = refused === undefined ? `status ${status}` : `${refused.rule} (${refused.cites}): ${refused.reason}`
  return new SignInRefused(`${what}${error === undefined ? "" : ` (${error})`}: ${why}`, error)
}

/**
 * Opens an authorization request as a browser would, and passes the pages. Returns the client's address that the browser is redirected to.
 */
export const authorized = async (url: string, { subject = "alice", claims }: Subject, place: SignInPlace) => {
  const { issuer, people, now } = place
  const target = {
    issuer,
    clients: {},
    person: people.known(subject, claims),
    recipe: ownPages,
    send: (sent: Sent) => sendTo(sent, place),
    now,
  }
  const origin = new URL(issuer).origin
  const { leaving, last } = await new Browser(target, (address) => new URL(address).origin !== origin).visit({
    method: "GET",
    url,
    headers: {},
  })
  if (leaving === undefined) throw refusal(place, "the client got no answer", last)
  const back = new URL(leaving.url)
  // A form that submits itself is returned as a query, because `form_post` has the same parameters.
  for (const [name, value] of leaving.form?.pairs ?? []) back.searchParams.append(name, value)
  return { back, last }
}

/** Signs a person in to a client with PKCE and redeems the code. Rejects with {@link SignInRefused}. */
export const signedIn = async (asked: SigningIn, place: SignInPlace): Promise<SignedIn> => {
  const client = asked.client === undefined ? place.clients[0] : place.clients.find(({ client_id }) => client_id === asked.client)
  if (client === undefined) throw new TypeError(`there is no client ${JSON.stringify(asked.client)}`)
  if (client.token_endpoint_auth_method === "private_key_jwt")
    throw new TypeError(`the key of ${client.client_id} is the client's own: use authorize(), and redeem the code there`)
  const verifier = randomBytes(32).toString("base64url")
  const redirect = asked.redirectUri ?? client.redirect_uris[0]
  const request = pairsOf({
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: "code",
    scope: asked.scope ?? client.scope,
    state: randomBytes(16).toString("base64url"),
    nonce: randomBytes(16).toString("base64url"),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...asked.parameters,
  })
  const { back, last } = await authorized(`${place.issuer}/connect/authorize?${encoded(request)}`, asked, place)
  const { code, error } = Object.fromEntries(back.searchParams)
  if (code === undefined) throw refusal(place, "the client got no code", last, error)
  const proof = await clientProof(client, place.issuer, place.now())
  const fields = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier, ...proof.fields }
  const sent = {
    method: "POST",
    url: `${place.issuer}/connect/token`,
    headers: { "content-type": "application/x-www-form-urlencoded", ...proof.headers },
    body: encoded(pairsOf(fields)),
  }
  const received = await sendTo(sent, place)
  const tokens = json(received) ?? {}
  if (received.status !== 200) throw refusal(place, "the code came to no tokens", received, textOf(tokens["error"]) || undefined)
  const { access_token, id_token, refresh_token } = tokens
  const payload = Buffer.from(textOf(id_token).split(".")[1] ?? "", "base64url").toString()
  return {
    code,
    tokens,
    accessToken: textOf(access_token),
    idToken: textOf(id_token) || undefined,
    refreshToken: textOf(refresh_token) || undefined,
    claims: objectOf(payload) ?? {},
  }
}
