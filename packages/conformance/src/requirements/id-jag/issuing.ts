import { type Received, json, textOf } from "../../exchange/exchange.ts"
import { first, holds, oneOf, notStored, refused, same, shown, success } from "../../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../../requirement/requirement.ts"
import { type Jwt, jwtOf } from "../../steps/jwt.ts"
import type { Steps } from "../../steps/steps.ts"
import { Untried } from "../../target/target.ts"
import { type Changes, draft, exchange, idToken, tokenType } from "./setting.ts"

const issuing: Needs = {
  clients: ["crossing", "web"],
  person: true,
  metadata: { identity_chaining_requested_token_types_supported: tokenType("id-jag") },
}
const byIssuer = area("id-jag", issuing)

/** The authorization server that the target issues ID-JAGs for to the role's client. */
const audienceOf = (t: Steps): string => {
  const { id_jag_audience: audience } = t.client("crossing")
  if (audience === undefined) throw new Untried("the client of the role crossing has no id_jag_audience")
  return audience
}

const asked = (t: Steps, subject: string | undefined, changes: Changes = {}): Promise<Received> =>
  t.token(
    {
      grant_type: exchange,
      requested_token_type: tokenType("id-jag"),
      subject_token: subject,
      subject_token_type: tokenType("id_token"),
      audience: audienceOf(t),
      ...changes,
    },
    "crossing",
  )

/** An issued ID-JAG with its response. */
const issued = async (t: Steps): Promise<{ readonly received: Received; readonly jwt: Jwt; readonly audience: string }> => {
  const received = await asked(t, await idToken(t))
  return { received, jwt: await jwtOf(t, json(received)?.["access_token"]), audience: audienceOf(t) }
}

const noTarget = (received: Received) => refused(received, [400], "invalid_target", "invalid_request", "invalid_grant", "access_denied")
const noSubject = (received: Received) => refused(received, [400], "invalid_request", "invalid_grant")

/** Identity assertion JWT authorization grants issued by the target. */
export const idJagsIssued: ReadonlyArray<Requirement> = [
  byIssuer("answer", `${draft} §4.3.4`, "A grant is answered as a token of its type that is no access token", issued, ({ received }) =>
    first(
      success(received),
      notStored(received),
      same(json(received)?.["issued_token_type"], tokenType("id-jag"), "issued_token_type"),
      same(textOf(json(received)?.["token_type"]).toLowerCase(), "n_a", "token_type"),
    ),
  ),
  byIssuer(
    "no-refresh-token",
    `${draft} §4.3.4`,
    "No refresh token comes with a grant",
    issued,
    ({ received }) => holds(json(received)?.["refresh_token"] === undefined, "there is a refresh token"),
    "SHOULD",
  ),
  byIssuer("typ", `${draft} §3.1`, "The typ of a grant is oauth-id-jag+jwt", issued, ({ jwt }) =>
    same(jwt.header["typ"], "oauth-id-jag+jwt", "typ"),
  ),
  byIssuer("signed", `${draft} §4.3.4`, "A published key verifies a grant", issued, ({ jwt }) =>
    holds(jwt.isVerified, "no published key verifies the grant"),
  ),
  byIssuer(
    "issuer",
    `${draft} §3.1`,
    "A grant names its issuer",
    async (t) => ({ ...(await issued(t)), issuer: t.target.issuer }),
    ({ jwt, issuer }) => same(jwt.claims["iss"], issuer, "iss"),
  ),
  byIssuer(
    "audience",
    `${draft} §3.1, §4.4.1`,
    "A grant is for the server that was asked for, and for no other",
    issued,
    ({ jwt, audience }) => {
      const { aud } = jwt.claims
      return same(Array.isArray(aud) && aud.length === 1 ? aud[0] : aud, audience, "aud")
    },
  ),
  byIssuer("claims", `${draft} §3.1`, "A grant has sub, client_id, jti, exp and iat", issued, ({ jwt: { claims } }) =>
    first(
      ...["sub", "client_id", "jti"].map((name) => holds(textOf(claims[name]) !== "", `${name} is ${shown(claims[name])}`)),
      ...["exp", "iat"].map((name) => holds(typeof claims[name] === "number", `${name} is ${shown(claims[name])}`)),
    ),
  ),
  byIssuer(
    "short",
    `${draft} §4.3.4`,
    "A grant lives an hour at most",
    issued,
    ({ jwt: { claims } }) => holds(Number(claims["exp"]) - Number(claims["iat"]) <= 3600, "it lives longer than an hour"),
    "SHOULD",
  ),
  byIssuer(
    "jti",
    "RFC 7519 §4.1.7",
    "Two grants have a jti each",
    async (t) => [await issued(t), await issued(t)],
    ([one, other]) => holds(one?.jwt.claims["jti"] !== other?.jwt.claims["jti"], "both have the same jti"),
  ),
  byIssuer(
    "sign-in",
    `${draft} §3.1, OpenID Connect Core §2`,
    "A grant tells of the sign-in that the ID token tells of, and of none that is later",
    async (t) => {
      const token = await idToken(t)
      const { claims: known } = await jwtOf(t, token)
      return { known, jwt: await jwtOf(t, json(await asked(t, token))?.["access_token"]) }
    },
    ({ known, jwt: { claims } }) =>
      first(...["auth_time", "acr", "amr"].map((name) => (claims[name] === undefined ? undefined : same(claims[name], known[name], name)))),
  ),
  byIssuer(
    "no-access",
    `${draft} §9.3, RFC 8725 §3.11`,
    "A grant is no access token of its issuer",
    async (t) => {
      const { received } = await issued(t)
      return t.send({
        method: "GET",
        url: t.endpoint("userinfo_endpoint"),
        headers: { authorization: `Bearer ${textOf(json(received)?.["access_token"])}` },
      })
    },
    (received) => oneOf(received.status, [401, 400], "the status"),
    "MUST",
    { ...issuing, metadata: { ...issuing.metadata, userinfo_endpoint: undefined } },
  ),
  byIssuer("subject-missing", `${draft} §4.3`, "A request without a subject_token is refused", (t) => asked(t, undefined), noSubject),
  byIssuer("subject-unknown", `${draft} §4.3.3`, "A subject_token that nobody issued is refused", (t) => asked(t, t.random(32)), noSubject),
  byIssuer(
    "subject-other-client",
    `${draft} §4.3.3`,
    "An ID token of another client is refused",
    async (t) => asked(t, await idToken(t, "web")),
    noSubject,
  ),
  byIssuer(
    "subject-access-token",
    `${draft} §4.3`,
    "An access token is not taken for an ID token",
    async (t) => asked(t, textOf((await t.tokens("crossing", { scope: "openid" })).tokens["access_token"])),
    noSubject,
  ),
  byIssuer(
    "subject-expired",
    `${draft} §4.3.3`,
    "An ID token that has expired is refused",
    async (t) => {
      const token = await idToken(t)
      await t.pass(Number((await jwtOf(t, token)).claims["exp"]) - t.now() + 60)
      return asked(t, token)
    },
    noSubject,
    "MUST",
    { ...issuing, time: true },
  ),
  byIssuer(
    "audience-missing",
    `${draft} §4.3`,
    "A request without an audience is refused",
    async (t) => asked(t, await idToken(t), { audience: undefined }),
    noTarget,
  ),
  byIssuer(
    "audience-unknown",
    `${draft} §4.3.3`,
    "No grant is issued for a server that nobody agreed on",
    async (t) => asked(t, await idToken(t), { audience: `${audienceOf(t)}/of-nobody` }),
    noTarget,
  ),
]
