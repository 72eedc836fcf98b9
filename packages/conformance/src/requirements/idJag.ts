import { type Received, json, textOf } from "../exchange/exchange.ts"
import { first, holds, oneOf, notStored, refused, same, shown, success } from "../oracle/finding.ts"
import { type Level, type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Jwt, jwtOf } from "../steps/jwt.ts"
import { assertion } from "../steps/proof.ts"
import type { Steps } from "../steps/steps.ts"
import { Inconclusive, Untried } from "../target/target.ts"

const draft = "draft-ietf-oauth-identity-assertion-authz-grant"
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const tokenType = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`

const issuing: Needs = {
  clients: ["crossing", "web"],
  person: true,
  metadata: { identity_chaining_requested_token_types_supported: tokenType("id-jag") },
}
const taking: Needs = {
  clients: ["crossing", "web"],
  person: true,
  metadata: { authorization_grant_profiles_supported: "urn:ietf:params:oauth:grant-profile:id-jag" },
}

const byIssuer = area("id-jag", issuing)
const byTaker = area("id-jag-bearer", taking)

/** The authorization server that the target issues grants for to the client of the role. */
const audienceOf = (t: Steps): string => {
  const { id_jag_audience: audience } = t.client("crossing")
  if (audience === undefined) throw new Untried("the client of the role crossing has no id_jag_audience")
  return audience
}

type Changes = Readonly<Record<string, string | undefined>>

const idToken = async (t: Steps, role: "crossing" | "web" = "crossing"): Promise<string> =>
  textOf((await t.tokens(role, { scope: "openid" })).tokens["id_token"])

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

/** A grant with the answer that brought it. */
const issued = async (t: Steps): Promise<{ readonly received: Received; readonly jwt: Jwt; readonly audience: string }> => {
  const received = await asked(t, await idToken(t))
  return { received, jwt: await jwtOf(t, json(received)?.["access_token"]), audience: audienceOf(t) }
}

const noTarget = (received: Received) => refused(received, [400], "invalid_target", "invalid_request", "invalid_grant", "access_denied")
const noSubject = (received: Received) => refused(received, [400], "invalid_request", "invalid_grant")

/** Identity assertion JWT authorization grants that the target issues. */
const issues: ReadonlyArray<Requirement> = [
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

type Claims = Readonly<Record<string, unknown>>

/** A grant for the client of the role, signed with the key that the target trusts. */
const granted = async (t: Steps, claims: Claims = {}, header: Claims = {}): Promise<string> => {
  const client = t.client("crossing")
  if (client.id_jag_issuer === undefined || client.key === undefined)
    throw new Untried("the client of the role crossing has no id_jag_issuer and key")
  const { claims: own } = await jwtOf(t, await idToken(t))
  const about = { iss: client.id_jag_issuer, sub: own["sub"], client_id: client.client_id, scope: "openid", ...claims }
  return assertion(client, t.target.issuer, t.now(), about, { typ: "oauth-id-jag+jwt", ...header })
}

const redeemed = (t: Steps, jag: string, changes: Changes = {}): Promise<Received> =>
  t.token({ grant_type: bearer, assertion: jag, ...changes }, "crossing")

const noGrant = (received: Received) => refused(received, [400], "invalid_grant")

const refuses = (
  id: string,
  paragraph: string,
  title: string,
  claims: Claims | ((t: Steps) => Claims),
  header: Claims = {},
  level: Level = "MUST",
): Requirement =>
  byTaker(
    id,
    paragraph,
    title,
    async (t) => redeemed(t, await granted(t, typeof claims === "function" ? claims(t) : claims, header)),
    noGrant,
    level,
  )

/** Identity assertion JWT authorization grants that the target takes. */
const takes: ReadonlyArray<Requirement> = [
  byTaker(
    "answer",
    `${draft} §4.4.2, §4.4.3`,
    "A grant is exchanged for an access token",
    async (t) => redeemed(t, await granted(t)),
    (received) =>
      first(
        success(received),
        notStored(received),
        oneOf(textOf(json(received)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
      ),
  ),
  byTaker(
    "no-refresh-token",
    `${draft} §4.4.3`,
    "No refresh token comes for a grant: a new grant takes its place",
    async (t) => {
      const received = await redeemed(t, await granted(t))
      if (received.status !== 200) throw new Inconclusive(`no token came: status ${received.status}`, received)
      return received
    },
    (received) => holds(json(received)?.["refresh_token"] === undefined, "there is a refresh token"),
    "SHOULD",
  ),
  refuses("typ", `${draft} §4.4.1`, "A JWT of another type is refused", {}, { typ: "JWT" }),
  refuses("issuer", "RFC 7523 §3", "A grant of an issuer that is not trusted is refused", { iss: "https://stranger.conformance.test" }),
  refuses("audience", `${draft} §4.4.1`, "A grant for another server is refused", { aud: "https://other.conformance.test" }),
  refuses("audience-more", `${draft} §4.4.1`, "A grant for this server and another is refused", (t) => ({
    aud: [t.target.issuer, "https://other.conformance.test"],
  })),
  refuses("audience-endpoint", `${draft} §4.4.1`, "A grant for the token endpoint is refused", (t) => ({
    aud: t.endpoint("token_endpoint"),
  })),
  refuses("client", `${draft} §4.4.1`, "A grant for another client is refused", (t) => ({ client_id: t.client("web").client_id })),
  refuses("client-missing", `${draft} §4.4.1`, "A grant for no client is refused", { client_id: undefined }),
  refuses("jti-missing", `${draft} §3.1`, "A grant without a jti is refused", { jti: undefined }),
  refuses("expired", "RFC 7523 §3", "A grant that has expired is refused", (t) => ({ exp: t.now() - 120 })),
  refuses("exp-missing", "RFC 7523 §3", "A grant without an end is refused", { exp: undefined }),
  refuses("subject-unknown", "RFC 7523 §3", "A grant about nobody is refused", { sub: "nobody whom the target knows" }, {}, "SHOULD"),
  refuses("confirmation", `${draft} §9.8`, "A grant that is bound to a key is refused without a proof", {
    cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
  }),
  refuses("details-form", `${draft} §4.4.1, RFC 9396 §2`, "A grant whose authorization_details are no array is refused", {
    authorization_details: "everything",
  }),
  byTaker(
    "signature",
    "RFC 7523 §3",
    "A grant whose claims were changed is refused",
    async (t) => {
      const [header, , signature] = (await granted(t)).split(".")
      const [, claims] = (await granted(t, { scope: "openid email" })).split(".")
      return redeemed(t, [header, claims, signature].join("."))
    },
    noGrant,
  ),
  byTaker(
    "sign-in",
    "RFC 9068 §2.2.1",
    "An access token for a grant tells of the sign-in that the grant tells of, and of none that is later",
    async (t) => {
      const at = t.now() - 1000
      const tokens = json(await redeemed(t, await granted(t, { auth_time: at })))
      return { at, jwt: await jwtOf(t, tokens?.["access_token"]) }
    },
    ({ at, jwt: { claims } }) => (claims["auth_time"] === undefined ? undefined : same(claims["auth_time"], at, "auth_time")),
  ),
  byTaker(
    "sign-in-untold",
    "RFC 9068 §2.2.1",
    "An access token for a grant that tells of no sign-in tells of none",
    async (t) => jwtOf(t, json(await redeemed(t, await granted(t)))?.["access_token"]),
    ({ claims }) => holds(claims["auth_time"] === undefined, `auth_time is ${shown(claims["auth_time"])}`),
    "SHOULD",
  ),
  byTaker(
    "scope",
    `${draft} §4.4.1`,
    "A scope that the grant does not have is not given",
    async (t) => redeemed(t, await granted(t), { scope: "openid email" }),
    (received) =>
      received.status === 200
        ? holds(!textOf(json(received)?.["scope"]).split(" ").includes("email"), "the scope goes beyond the grant's")
        : refused(received, [400], "invalid_scope"),
  ),
  byTaker(
    "id-token",
    `${draft} §4.4.1, RFC 8725 §3.11`,
    "An ID token is not taken for a grant",
    async (t) => redeemed(t, await idToken(t)),
    noGrant,
  ),
]

/** Identity assertion JWT authorization grants, or cross-app access, in both roles. */
export const idJags: ReadonlyArray<Requirement> = [...issues, ...takes]
