import { type Changes, type Received, json, textOf } from "../../exchange/exchange.ts"
import { type Finding, first, hasStatus, holds, oneOf, refused, same, shown, status, success } from "../../oracle/finding.ts"
import { type Needs, type Requirement, area, changed } from "../../requirement/requirement.ts"
import { jwtOf } from "../../steps/jwt.ts"
import { type Authorized, type Steps, outcome } from "../../steps/steps.ts"
import { Inconclusive } from "../../target/target.ts"
import { type Pushing, offered, push, redeemed, redeeming, visit } from "./pushing.ts"
import { signedBy, unsigned, withBrokenSignature } from "../../steps/signed.ts"

const profile = "FAPI 2.0 Message Signing"
const needs: Needs = {
  clients: ["messages"],
  person: true,
  metadata: { ...offered, request_parameter_supported: true, response_modes_supported: "jwt" },
}
/** The paragraph about signed requests. */
const objects = `${profile} §5.3.1`

const tried = area("messages", needs)

type Members = Readonly<Record<string, unknown>>

/** The claims of a valid request object, with changes. Undefined removes a claim. */
const claimsOf = (t: Steps, verifier: string, changes: Members = {}): Record<string, unknown> => {
  const now = t.now()
  const own = { iss: t.client("messages").client_id, aud: t.target.issuer, iat: now, nbf: now, exp: now + 300, jti: t.random() }
  const parameters = Object.fromEntries(t.request("messages", verifier, { response_mode: "jwt" }))
  return Object.fromEntries(Object.entries({ ...parameters, ...own, ...changes }).filter(([, value]) => value !== undefined))
}

const signed = (t: Steps, claims: Members): Promise<string> => signedBy(t.client("messages"), claims, { typ: "oauth-authz-req+jwt" })

/** Pushes a request object. */
const send = (t: Steps, request: string, beside: Changes = {}): Promise<Received> =>
  t.post("pushed_authorization_request_endpoint", { client_id: t.client("messages").client_id, request, ...beside }, "messages")

const pushed = async (t: Steps, changes: Members = {}): Promise<Pushing> => {
  const verifier = t.random(32)
  return { verifier, received: await send(t, await signed(t, claimsOf(t, verifier, changes))) }
}

const refusedObject = (received: Received): Finding =>
  first(
    status(received, 400),
    oneOf(json(received)?.["error"], ["invalid_request_object", "invalid_request"], "the error"),
    holds(json(received)?.["request_uri"] === undefined, "a request_uri came"),
  )

const pushedWith = async (t: Steps, changes: (t: Steps) => Members): Promise<Received> => (await pushed(t, changes(t))).received

/** A request object that must be refused when it is pushed. */
const wrong = changed(tried, pushedWith, refusedObject)

/** A request object that must be accepted. */
const right = changed(tried, pushedWith, hasStatus(201))

/** The authorization response, which must be a JWT. */
const answered = async (t: Steps, authorized: Authorized) => {
  const { response } = authorized.params
  if (response === undefined) throw new Inconclusive(`no response came as a JWT: ${outcome(authorized)}`, authorized.last)
  return { authorized, jwt: await jwtOf(t, response), issuer: t.target.issuer, client: t.client("messages").client_id, now: t.now() }
}

/** FAPI 2.0 Message Signing, for a client with that profile. */
export const fapiMessages: ReadonlyArray<Requirement> = [
  tried(
    "flow",
    `${profile} §5.3.1, §5.4.1`,
    "A signed request that was pushed is answered with a code in a JWT, and the code with tokens",
    async (t) => {
      const pushing = await pushed(t)
      const { jwt } = await answered(t, await visit(t, "messages", pushing))
      return redeemed(t, "messages", textOf(jwt.claims["code"]), pushing.verifier)
    },
    success,
  ),
  tried(
    "response",
    `${profile} §5.4.1, JARM §2.1`,
    "The response is one JWT of the issuer for the client, signed by an algorithm of the profile",
    async (t) => answered(t, await visit(t, "messages", await pushed(t))),
    ({ authorized, jwt, issuer, client, now }) =>
      first(
        same(Object.keys(authorized.params), ["response"], "the parameters"),
        holds(jwt.isVerified, "no published key verifies it"),
        oneOf(jwt.header["alg"], ["PS256", "ES256", "EdDSA", "Ed25519"], "alg"),
        same(jwt.claims["iss"], issuer, "iss"),
        same(jwt.claims["aud"], client, "aud"),
        holds(Number(jwt.claims["exp"]) > now, `exp is ${shown(jwt.claims["exp"])}, at ${now}`),
      ),
  ),
  tried(
    "error",
    `${profile} §5.4.1, JARM §2.1`,
    "So is an error",
    async (t) => answered(t, await visit(t, "messages", await pushed(t, { prompt: "none" }))),
    ({ jwt }) =>
      first(holds(jwt.isVerified, "no published key verifies it"), holds(textOf(jwt.claims["error"]) !== "", "there is no error")),
  ),
  tried(
    "unsigned",
    objects,
    "A request that is pushed as a form is refused",
    async (t) => (await push(t, "messages", { response_mode: "jwt" })).received,
    refusedObject,
  ),
  tried(
    "plain-response",
    `${profile} §5.4.1`,
    "A response that nobody signed is not given",
    async (t) => {
      const pushing = await pushed(t, { response_mode: "query" })
      return pushing.received.status === 201 ? (await visit(t, "messages", pushing)).params["code"] : undefined
    },
    (code) => holds(code === undefined, "a code came without a signature"),
  ),
  tried(
    "other-mode",
    "OAuth 2.0 Multiple Response Types §2.1",
    "A request for a response that nobody signed is refused, and not answered in another mode",
    async (t) => {
      const pushing = await pushed(t, { response_mode: "query" })
      if (pushing.received.status !== 201) return undefined
      const authorized = await visit(t, "messages", pushing)
      return authorized.params["response"] === undefined ? undefined : (await answered(t, authorized)).jwt.claims["code"]
    },
    (code) => holds(code === undefined, "a code came as a JWT, where a query was asked for"),
    "SHOULD",
  ),
  tried(
    "unproved",
    "FAPI 2.0 Security Profile §5.3.2.1",
    "A client that proves no key gets no token",
    async (t) => {
      const pushing = await pushed(t)
      const { jwt } = await answered(t, await visit(t, "messages", pushing))
      return t.token(redeeming(t, "messages", textOf(jwt.claims["code"]), pushing.verifier), "messages")
    },
    (received) => refused(received, [400, 401], "invalid_request", "invalid_grant", "invalid_dpop_proof", "invalid_client"),
  ),
  right("audience-list", objects, "A request object for a list with the issuer is taken", (t) => ({
    aud: [t.target.issuer, "https://other.conformance.test"],
  })),
  right("ahead", objects, "A request object of a clock that is 8 seconds ahead is taken", (t) => ({ iat: t.now() + 8, nbf: t.now() + 8 })),
  wrong("exp-missing", objects, "A request object without exp is refused", () => ({ exp: undefined })),
  wrong("nbf-missing", objects, "A request object without nbf is refused", () => ({ nbf: undefined })),
  wrong("expired", objects, "A request object that has expired is refused", (t) => ({
    exp: t.now() - 120,
    nbf: t.now() - 300,
    iat: t.now() - 300,
  })),
  wrong("audience", objects, "A request object for another server is refused", () => ({ aud: "https://other.conformance.test" })),
  wrong("audience-missing", objects, "A request object without aud is refused", () => ({ aud: undefined })),
  wrong("long-lived", objects, "A request object whose exp is more than an hour after its nbf is refused", (t) => ({
    exp: t.now() + 3700,
  })),
  wrong("old", objects, "A request object whose nbf is more than an hour ago is refused", (t) => ({
    iat: t.now() - 3700,
    nbf: t.now() - 3700,
    exp: t.now() + 60,
  })),
  wrong("issuer", "RFC 9101 §4", "A request object of another client is refused", () => ({ iss: "somebody-else" }), "SHOULD"),
  wrong("nested", "RFC 9101 §4", "A request object that holds a request_uri is refused", () => ({
    request_uri: "urn:conformance:another",
  })),
  tried(
    "beside",
    "RFC 9126 §3",
    "A parameter that stands beside a pushed request object, which nobody signed, is refused",
    async (t) => send(t, await signed(t, claimsOf(t, t.random(32))), { scope: "openid" }),
    refusedObject,
    "SHOULD",
  ),
  tried(
    "alg-none",
    objects,
    "A request object that nobody signed is refused",
    (t) => send(t, unsigned(claimsOf(t, t.random(32)))),
    refusedObject,
  ),
  tried(
    "signature",
    objects,
    "A request object with a broken signature is refused",
    async (t) => send(t, withBrokenSignature(await signed(t, claimsOf(t, t.random(32))))),
    refusedObject,
  ),
]
