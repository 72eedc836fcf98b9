import { type Changes, type Received, json, textOf } from "../../exchange/exchange.ts"
import { type Finding, first, hasStatus, holds, oneOf, refused, refuses, same, shown, status, success } from "../../oracle/finding.ts"
import { type Level, type Needs, type Requirement, area } from "../../requirement/requirement.ts"
import { proofKey } from "../../steps/dpop.ts"
import { jwtOf } from "../../steps/jwt.ts"
import { assertion } from "../../steps/proof.ts"
import { type Steps, outcome, tokensOf } from "../../steps/steps.ts"
import { Inconclusive } from "../../target/target.ts"
import { stopsOrSends } from "../answer.ts"
import { offered, proving, push, redeeming, visit } from "./pushing.ts"

const profile = "FAPI 2.0 Security Profile"
const needs: Needs = { clients: ["fapi"], person: true, metadata: offered }
const tried = area("fapi", needs)
const timed = area("fapi", { ...needs, time: true })

/** A code for a client with the profile. */
const code = async (t: Steps, changes: Changes = {}) => {
  const pushing = await push(t, "fapi", changes)
  const authorized = await visit(t, "fapi", pushing)
  const { code: found } = authorized.params
  if (found === undefined) throw new Inconclusive(`no code came: ${outcome(authorized)}`, authorized.last)
  return { authorized, fields: redeeming(t, "fapi", found, pushing.verifier) }
}

/** Tokens for such a client. */
const tokens = async (t: Steps, changes: Changes = {}) => {
  const { authorized, fields } = await code(t, changes)
  return { authorized, received: await proving(t, "fapi", fields, await proofKey()) }
}

const refusedPush = (received: Received): Finding =>
  first(status(received, 400, 401), holds(json(received)?.["request_uri"] === undefined, "a request_uri came"))

/** A request that must be refused when it is pushed. */
const wrong = (
  id: string,
  section: string,
  title: string,
  changes: Changes,
  codes: ReadonlyArray<string> = ["invalid_request"],
): Requirement =>
  tried(
    id,
    `${profile} ${section}`,
    title,
    async (t) => (await push(t, "fapi", changes)).received,
    (received) => refused(received, [400], ...codes),
  )

/** A client assertion with changed claims. */
const asserting = (
  id: string,
  title: string,
  claims: (t: Steps) => Readonly<Record<string, unknown>>,
  oracle: (received: Received) => Finding = refusedPush,
  level: Level = "MUST",
): Requirement =>
  tried(
    id,
    `${profile} §5.3.2.1`,
    title,
    async (t) => {
      const client_assertion = await assertion(t.client("fapi"), t.target.issuer, t.now(), claims(t))
      const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
      return (await push(t, "fapi", {}, { client_assertion, client_assertion_type })).received
    },
    oracle,
    level,
  )

/** The FAPI 2.0 Security Profile, for a client with that profile. */
export const fapiSecurity: ReadonlyArray<Requirement> = [
  tried(
    "flow",
    `${profile} §5.3.2.2`,
    "A request that was pushed is answered with a code, and the code with a token that is bound",
    (t) => tokens(t),
    ({ received, authorized }) =>
      first(
        success(received),
        holds(/^dpop$/i.test(textOf(json(received)?.["token_type"])), `the token_type is ${shown(json(received)?.["token_type"])}`),
        holds(authorized.params["iss"] !== undefined, "the response names no issuer"),
      ),
  ),
  tried(
    "pushed-only",
    `${profile} §5.3.2.2`,
    "A request that was not pushed is refused",
    (t) => t.authorize("fapi"),
    stopsOrSends("invalid_request", "invalid_request_object"),
  ),
  tried(
    "unproved",
    `${profile} §5.3.2.1`,
    "A client that proves no key gets no token",
    async (t) => t.token((await code(t)).fields, "fapi"),
    (received) => refused(received, [400, 401], "invalid_request", "invalid_grant", "invalid_dpop_proof", "invalid_client"),
  ),
  asserting("audience-endpoint", "An assertion for the token endpoint is refused", (t) => ({ aud: t.endpoint("token_endpoint") })),
  asserting("audience-pushing", "So is one for the endpoint that requests are pushed to", (t) => ({
    aud: t.endpoint("pushed_authorization_request_endpoint"),
  })),
  asserting("audience-list", "So is one for a list, even with the issuer alone in it", (t) => ({ aud: [t.target.issuer] })),
  asserting(
    "assertion-ahead",
    "An assertion of a clock that is 8 seconds ahead is taken",
    (t) => ({ iat: t.now() + 8, nbf: t.now() + 8, exp: t.now() + 68 }),
    hasStatus(201),
  ),
  asserting("assertion-far-ahead", "One of a clock that is more than a minute ahead is refused", (t) => ({
    iat: t.now() + 120,
    nbf: t.now() + 120,
    exp: t.now() + 180,
  })),
  wrong("challenge", "§5.3.2.2", "A pushed request without a challenge is refused", {
    code_challenge: undefined,
    code_challenge_method: undefined,
  }),
  wrong("challenge-plain", "§5.3.2.2", "So is one with a plain challenge", { code_challenge_method: "plain" }),
  wrong("redirect-uri", "§5.3.2.2", "So is one without redirect_uri", { redirect_uri: undefined }),
  wrong("response-type", "§5.3.2.2", "So is one for more than a code", { response_type: "code id_token" }, [
    "unsupported_response_type",
    "invalid_request",
    "unauthorized_client",
  ]),
  tried(
    "request-life",
    `${profile} §5.3.2.2`,
    "A request that was pushed lives for less than ten minutes",
    async (t) => (await push(t, "fapi")).received,
    (received) => {
      const life = json(received)?.["expires_in"]
      return holds(typeof life === "number" && life > 0 && life < 600, `expires_in is ${shown(life)}`)
    },
  ),
  tried(
    "state-pushed",
    `${profile} §5.3.2.2, RFC 9126 §4`,
    "Parameters beside the request_uri change nothing",
    async (t) => visit(t, "fapi", await push(t, "fapi", { state: "pushed" }), { state: "beside" }),
    ({ params }) => oneOf(params["state"], ["pushed"], "the state"),
  ),
  tried(
    "nonce-long",
    `${profile} §5.3.2.2, OpenID Connect Core §3.1.2.1`,
    "A nonce of 64 characters comes back",
    async (t) => {
      const nonce = t.random(48)
      const { received } = await tokens(t, { nonce })
      return { nonce, jwt: await jwtOf(t, tokensOf(received)["id_token"]) }
    },
    ({ nonce, jwt }) => same(jwt.claims["nonce"], nonce, "the nonce"),
  ),
  tried(
    "algorithm",
    `${profile} §5.4.1`,
    "ID tokens are signed by PS256, ES256 or EdDSA",
    async (t) => jwtOf(t, tokensOf((await tokens(t)).received)["id_token"]),
    (jwt) =>
      first(holds(jwt.isVerified, "no published key verifies it"), oneOf(jwt.header["alg"], ["PS256", "ES256", "EdDSA", "Ed25519"], "alg")),
  ),
  timed(
    "code-life",
    `${profile} §5.3.2.1`,
    "A code is good for a minute at the most",
    async (t) => {
      const { fields } = await code(t)
      await t.pass(61)
      return proving(t, "fapi", fields, await proofKey())
    },
    refuses("invalid_grant"),
  ),
  tried(
    "refresh-kept",
    `${profile} §5.3.2.1`,
    "A refresh token is not rotated: it is good again, with another key",
    async (t) => {
      const { received } = await tokens(t, { scope: "openid offline_access" })
      const refresh_token = textOf(tokensOf(received)["refresh_token"])
      if (refresh_token === "") throw new Inconclusive("no refresh token came", received)
      const again = async () => proving(t, "fapi", { grant_type: "refresh_token", refresh_token }, await proofKey())
      tokensOf(await again())
      return again()
    },
    hasStatus(200),
    "SHOULD",
  ),
]
