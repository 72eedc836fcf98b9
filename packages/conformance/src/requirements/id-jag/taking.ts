import { type Received, json, textOf } from "../../exchange/exchange.ts"
import { first, holds, oneOf, notStored, refused, same, shown, success } from "../../oracle/finding.ts"
import { type Level, type Needs, type Requirement, area } from "../../requirement/requirement.ts"
import { jwtOf } from "../../steps/jwt.ts"
import { assertion } from "../../steps/proof.ts"
import type { Steps } from "../../steps/steps.ts"
import { Inconclusive, Untried } from "../../target/target.ts"
import { type Changes, draft, idToken } from "./setting.ts"

const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

const taking: Needs = {
  clients: ["crossing", "web"],
  person: true,
  metadata: { authorization_grant_profiles_supported: "urn:ietf:params:oauth:grant-profile:id-jag" },
}

const byTaker = area("id-jag-bearer", taking)

type Claims = Readonly<Record<string, unknown>>

/** An ID-JAG for the role's client, signed with the key that the target trusts. */
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

/** Identity assertion JWT authorization grants presented to the target. */
export const idJagsTaken: ReadonlyArray<Requirement> = [
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
