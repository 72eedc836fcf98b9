import { holds } from "../oracle/finding.ts"
import { type Needs, type Requirement, area, changed } from "../requirement/requirement.ts"
import { signedBy, unsigned, withBrokenSignature } from "../steps/signed.ts"
import type { Authorized, Steps } from "../steps/steps.ts"
import type { Changes } from "../exchange/exchange.ts"
import { codeWith, noCode, noCodeBut, stopped } from "./answer.ts"

const needs: Needs = { clients: ["requests"], person: true, metadata: { request_parameter_supported: true } }

/** The claims of a valid request object. */
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

const signed = (t: Steps, claims: Readonly<Record<string, unknown>>, typ = "oauth-authz-req+jwt"): Promise<string> =>
  signedBy(t.client("requests"), claims, { typ })

const send = (t: Steps, request: string, changes: Changes = {}): Promise<Authorized> =>
  t.authorizeWith(
    Object.entries({ client_id: t.client("requests").client_id, response_type: "code", scope: "openid", request, ...changes }).flatMap(
      ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
    ),
  )

const tried = area("request-object", needs)

const refusedObject = noCodeBut("invalid_request_object", "invalid_request", "invalid_client")

type Change = (t: Steps) => Readonly<Record<string, unknown>>

/** A request object with changed claims, which must be refused. */
const wrong = changed(tried, async (t, changes: Change) => send(t, await signed(t, claimsOf(t, changes(t)))), refusedObject)

/** Request objects (RFC 9101). */
export const requestObjects: ReadonlyArray<Requirement> = [
  tried(
    "honored",
    "RFC 9101 §6.3",
    "What the client signed is what is answered",
    async (t) => {
      const claims = claimsOf(t)
      return { claims, authorized: await send(t, await signed(t, claims)) }
    },
    ({ claims, authorized }) => codeWith(authorized, claims["state"]),
  ),
  tried(
    "query-ignored",
    "RFC 9101 §6.3",
    "Parameters outside of the object change nothing",
    async (t) => {
      const claims = claimsOf(t)
      return { claims, authorized: await send(t, await signed(t, claims), { state: "of the query" }) }
    },
    ({ claims, authorized }) =>
      holds(authorized.params["code"] === undefined || authorized.params["state"] === claims["state"], "the state of the query came back"),
  ),
  tried(
    "signature",
    "RFC 9101 §6.2",
    "An object with a broken signature is refused",
    async (t) => send(t, withBrokenSignature(await signed(t, claimsOf(t)))),
    refusedObject,
  ),
  tried("unsigned", "RFC 9101 §10.5", "An object that nobody signed is refused", (t) => send(t, unsigned(claimsOf(t))), noCode),
  wrong("expired", "RFC 9101 §4", "An object that has expired is refused", (t) => ({ exp: t.now() - 600 })),
  wrong("not-yet", "RFC 7519 §4.1.5", "An object that is not valid yet is refused", (t) => ({ nbf: t.now() + 3600 })),
  wrong("audience", "RFC 9101 §4", "An object for another server is refused", () => ({ aud: "https://other.conformance.test" }), "SHOULD"),
  wrong("issuer", "RFC 9101 §4", "An object of another issuer is refused", () => ({ iss: "somebody-else" }), "SHOULD"),
  wrong("client-id", "RFC 9101 §5", "An object of another client is refused", () => ({ client_id: "somebody-else" })),
  wrong("nested-request", "RFC 9101 §4", "An object that holds another object is refused", () => ({ request: "x.y.z" })),
  wrong("nested-request-uri", "RFC 9101 §4", "An object that holds a request_uri is refused", () => ({
    request_uri: "https://client.conformance.test/r",
  })),
  tried("garbage", "RFC 9101 §6.2", "What is no JWT is refused", (t) => send(t, "not.a.jwt"), refusedObject),
  wrong(
    "redirect-uri",
    "RFC 6749 §3.1.2.4",
    "An object with an address that is not registered sends nobody there",
    () => ({ redirect_uri: "https://evil.conformance.test/" }),
    "MUST",
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
          "JWT",
        ),
      ),
    noCode,
  ),
]
