import { type JWK, SignJWT, importJWK } from "jose"
import { type Finding, first, holds, oneOf, same } from "../oracle/finding.ts"
import { area, type Needs, type Requirement, requirement } from "../requirement/requirement.ts"
import type { Authorized, Steps } from "../steps/steps.ts"
import { textOf, type Changes } from "../exchange/exchange.ts"
import { stopped } from "./answer.ts"

const needs: Needs = { clients: ["requests"], person: true, metadata: { request_parameter_supported: true } }

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The claims of a request object that is right. */
const claimsOf = (t: Steps, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const { client_id } = t.client("requests")
  return {
    ...Object.fromEntries(t.request("requests", t.random(32))),
    iss: client_id,
    aud: t.target.issuer,
    iat: t.now(),
    exp: t.now() + 60,
    nbf: t.now() - 5,
    jti: t.random(),
    ...changes,
  }
}

const signed = async (
  t: Steps,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const { key = {} } = t.client("requests")
  const alg = textOf(key["alg"]) || "ES256"
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg, kid: textOf(key["kid"]), typ: "oauth-authz-req+jwt", ...header })
    .sign(await importJWK(key as JWK, alg))
}

const send = (t: Steps, request: string, changes: Changes = {}): Promise<Authorized> =>
  t.authorizeWith(
    Object.entries({ client_id: t.client("requests").client_id, response_type: "code", scope: "openid", request, ...changes }).flatMap(
      ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
    ),
  )

const refusedObject = (authorized: Authorized): Finding =>
  first(
    holds(authorized.params["code"] === undefined, "a code came"),
    authorized.leaving === undefined
      ? stopped(authorized)
      : oneOf(authorized.params["error"], ["invalid_request_object", "invalid_request", "invalid_client"], "the error"),
  )

const tried = area("request-object", needs)

/** Signed authorization requests (RFC 9101). */
export const requestObjects: ReadonlyArray<Requirement> = [
  requirement({
    id: "request-object.honored",
    paragraph: "RFC 9101 §6.3",
    level: "MUST",
    title: "What the client signed is what is answered",
    needs,
    steps: async (t) => {
      const claims = claimsOf(t)
      return { claims, authorized: await send(t, await signed(t, claims)) }
    },
    oracle: ({ claims, authorized }) =>
      first(holds(authorized.params["code"] !== undefined, "no code came"), same(authorized.params["state"], claims["state"], "the state")),
  }),
  requirement({
    id: "request-object.query-ignored",
    paragraph: "RFC 9101 §6.3",
    level: "MUST",
    title: "Parameters outside of the object change nothing",
    needs,
    steps: async (t) => {
      const claims = claimsOf(t)
      return { claims, authorized: await send(t, await signed(t, claims), { state: "of the query" }) }
    },
    oracle: ({ claims, authorized }) =>
      holds(authorized.params["code"] === undefined || authorized.params["state"] === claims["state"], "the state of the query came back"),
  }),
  tried(
    "signature",
    "RFC 9101 §6.2",
    "An object with a broken signature is refused",
    async (t) => {
      const whole = await signed(t, claimsOf(t))
      const at = whole.lastIndexOf(".") + 1
      return send(t, `${whole.slice(0, at)}${whole[at] === "A" ? "B" : "A"}${whole.slice(at + 1)}`)
    },
    refusedObject,
  ),
  tried(
    "unsigned",
    "RFC 9101 §10.5",
    "An object that nobody signed is refused",
    (t) => send(t, `${part({ alg: "none" })}.${part(claimsOf(t))}.`),
    (authorized) => first(holds(authorized.params["code"] === undefined, "a code came")),
  ),
  tried(
    "expired",
    "RFC 9101 §4",
    "An object that has expired is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { exp: t.now() - 600 }))),
    refusedObject,
  ),
  tried(
    "not-yet",
    "RFC 7519 §4.1.5",
    "An object that is not valid yet is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { nbf: t.now() + 3600 }))),
    refusedObject,
  ),
  tried(
    "audience",
    "RFC 9101 §4",
    "An object for another server is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { aud: "https://other.conformance.test" }))),
    refusedObject,
    "SHOULD",
  ),
  tried(
    "issuer",
    "RFC 9101 §4",
    "An object of another issuer is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { iss: "somebody-else" }))),
    refusedObject,
    "SHOULD",
  ),
  tried(
    "client-id",
    "RFC 9101 §5",
    "An object of another client is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { client_id: "somebody-else" }))),
    refusedObject,
  ),
  tried(
    "nested-request",
    "RFC 9101 §4",
    "An object that holds another object is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { request: "x.y.z" }))),
    refusedObject,
  ),
  tried(
    "nested-request-uri",
    "RFC 9101 §4",
    "An object that holds a request_uri is refused",
    async (t) => send(t, await signed(t, claimsOf(t, { request_uri: "https://client.conformance.test/r" }))),
    refusedObject,
  ),
  tried("garbage", "RFC 9101 §6.2", "What is no JWT is refused", (t) => send(t, "not.a.jwt"), refusedObject),
  tried(
    "redirect-uri",
    "RFC 6749 §3.1.2.4",
    "An object with an address that is not registered sends nobody there",
    async (t) => send(t, await signed(t, claimsOf(t, { redirect_uri: "https://evil.conformance.test/" }))),
    stopped,
  ),
  tried(
    "type",
    "RFC 8725 §3.11",
    "A client assertion is no request object",
    async (t) =>
      send(
        t,
        await signed(
          t,
          {
            iss: t.client("requests").client_id,
            sub: t.client("requests").client_id,
            aud: t.target.issuer,
            exp: t.now() + 60,
            jti: t.random(),
          },
          { typ: "JWT" },
        ),
      ),
    (authorized) => holds(authorized.params["code"] === undefined, "a code came"),
  ),
]
