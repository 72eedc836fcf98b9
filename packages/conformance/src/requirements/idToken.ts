import { textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, same, shown } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { type Jwt, halfHash, jwtOf } from "../steps/jwt.ts"
import type { Authorized, Steps } from "../steps/steps.ts"
import type { RoleName } from "../target/roles.ts"

/** The ID token of a code flow, and the values to compare it with. */
interface Seen extends Jwt {
  readonly issuer: string
  readonly clientId: string
  readonly now: number
  readonly authorized: Authorized
  readonly accessToken: unknown
}

const needs = { clients: ["web"], person: true } as const

const held = area("id-token", needs)

const received = async (t: Steps, changes: Readonly<Record<string, string | undefined>> = {}, role: RoleName = "web"): Promise<Seen> => {
  const { authorized, tokens } = await t.tokens(role, changes)
  const jwt = await jwtOf(t, tokens["id_token"])
  return {
    ...jwt,
    issuer: t.target.issuer,
    clientId: t.client(role).client_id,
    now: t.now(),
    authorized,
    accessToken: tokens["access_token"],
  }
}

const token = (
  id: string,
  paragraph: string,
  title: string,
  oracle: (seen: Seen) => Finding,
  level: Requirement["level"] = "MUST",
  changes = {},
): Requirement => held(id, paragraph, title, (t) => received(t, changes), oracle, level)

const isSeconds = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

/** Standard claims whose form is checked (OpenID Connect Core §5.1). */
const scoped = ["name", "email", "address", "phone_number", "birthdate", "picture", "gender"]

/** ID tokens of the token endpoint (OpenID Connect Core §2, §3.1.3). */
export const idToken: ReadonlyArray<Requirement> = [
  token("signature", "OpenID Connect Core §2", "An ID token is signed with a published key", ({ isVerified }) =>
    holds(isVerified, "no published key verifies it"),
  ),
  token("key-found", "OpenID Connect Core §10.1", "Exactly one published key fits the header of an ID token", ({ candidates, header }) =>
    holds(candidates.length === 1, `${candidates.length} keys fit the header ${shown(header)}`),
  ),
  token("algorithm", "OpenID Connect Core §2", "An ID token is not signed with none", ({ header }) =>
    holds(header["alg"] !== "none", "its alg is none"),
  ),
  token(
    "rs256",
    "OpenID Connect Dynamic Client Registration §2",
    "An ID token is signed with RS256 where the client asked for nothing else",
    ({ header }) => same(header["alg"], "RS256", "the alg"),
  ),
  token(
    "kid",
    "OpenID Connect Core §10.1",
    "An ID token says which key signed it",
    ({ header }) => holds(textOf(header["kid"]) !== "", "it has no kid"),
    "SHOULD",
  ),
  token("no-foreign-keys", "RFC 8725 §3.10", "The header of an ID token brings no key of its own", ({ header }) =>
    first(...["jwk", "jku", "x5u", "x5c"].map((name) => holds(!(name in header), `the header has ${name}`))),
  ),
  token("crit", "RFC 7515 §4.1.11", "The header of an ID token demands no extension that nobody knows", ({ header }) =>
    holds(!("crit" in header), `crit is ${shown(header["crit"])}`),
  ),
  token("iss", "OpenID Connect Core §2", "iss is the issuer", ({ claims, issuer }) => same(claims["iss"], issuer, "iss")),
  token("aud", "OpenID Connect Core §2", "aud holds the client", ({ claims, clientId }) =>
    holds([claims["aud"]].flat().includes(clientId), `aud is ${shown(claims["aud"])}`),
  ),
  token("aud-alone", "OpenID Connect Core §3.1.3.7", "aud holds nobody whom the client does not know", ({ claims, clientId }) =>
    holds(
      [claims["aud"]].flat().every((each) => each === clientId),
      `aud is ${shown(claims["aud"])}`,
    ),
  ),
  token("azp", "OpenID Connect Core §2", "azp, where it is there, is the client", ({ claims, clientId }) =>
    holds(!("azp" in claims) || claims["azp"] === clientId, `azp is ${shown(claims["azp"])}`),
  ),
  token("sub", "OpenID Connect Core §2", "sub is a text of 1 to 255 ASCII characters", ({ claims }) =>
    holds(/^[\x20-\x7e]{1,255}$/.test(textOf(claims["sub"])), `sub is ${shown(claims["sub"])}`),
  ),
  token("exp", "OpenID Connect Core §2", "exp is a time to come", ({ claims: { exp }, now }) =>
    holds(isSeconds(exp) && exp > now, `exp is ${shown(exp)}`),
  ),
  token(
    "exp-near",
    "OpenID Connect Core §2",
    "exp is no more than a day ahead",
    ({ claims: { exp }, now }) => holds(isSeconds(exp) && exp <= now + 86_400, `exp is ${shown(exp)}`),
    "SHOULD",
  ),
  token("iat", "OpenID Connect Core §2", "iat is now, within five minutes", ({ claims: { iat }, now }) =>
    holds(isSeconds(iat) && Math.abs(iat - now) <= 300, `iat is ${shown(iat)}`),
  ),
  token("nonce", "OpenID Connect Core §2", "nonce is that of the request", ({ claims, authorized }) =>
    same(claims["nonce"], authorized.asked.find(([name]) => name === "nonce")?.[1], "nonce"),
  ),
  token(
    "nonce-absent",
    "OpenID Connect Core §2",
    "There is no nonce where the request had none",
    ({ claims }) => holds(!("nonce" in claims), `nonce is ${shown(claims["nonce"])}`),
    "MUST",
    { nonce: undefined },
  ),
  token(
    "auth-time",
    "OpenID Connect Core §2",
    "auth_time is there where max_age was asked for, and is no time to come",
    ({ claims: { auth_time: at }, now }) => holds(isSeconds(at) && at <= now + 60 && at > now - 86_400, `auth_time is ${shown(at)}`),
    "MUST",
    { max_age: "10000" },
  ),
  token("acr", "OpenID Connect Core §2", "acr, where it is there, is a text", ({ claims }) =>
    holds(!("acr" in claims) || textOf(claims["acr"]) !== "", `acr is ${shown(claims["acr"])}`),
  ),
  token("amr", "OpenID Connect Core §2", "amr, where it is there, is a list of texts", ({ claims: { amr } }) =>
    holds(amr === undefined || (Array.isArray(amr) && amr.every((each) => typeof each === "string")), `amr is ${shown(amr)}`),
  ),
  token(
    "at-hash",
    "OpenID Connect Core §3.1.3.6",
    "at_hash, where it is there, is that of the access token",
    ({ claims, header, accessToken }) =>
      holds(!("at_hash" in claims) || claims["at_hash"] === halfHash(accessToken, header["alg"]), `at_hash is ${shown(claims["at_hash"])}`),
  ),
  token(
    "no-scope-claims",
    "OpenID Connect Core §5.4",
    "Claims of scopes come from userinfo where there is an access token",
    ({ claims }) => first(...scoped.map((name) => holds(!(name in claims), `the ID token has ${name}`))),
    "SHOULD",
    { scope: "openid profile email address phone" },
  ),
  token("no-more", "OpenID Connect Core §5.4", "An ID token tells nothing that no scope asked for", ({ claims }) =>
    first(...scoped.map((name) => holds(!(name in claims), `the ID token has ${name}`))),
  ),
  held(
    "sub-stable",
    "OpenID Connect Core §2",
    "sub is the same at each sign-in",
    async (t) => [(await received(t)).claims["sub"], (await received(t)).claims["sub"]],
    ([one, other]) => same(one, other, "sub"),
  ),
  held(
    "sub-pairwise",
    "OpenID Connect Core §8.1",
    "A client with pairwise subjects sees another sub than one with public subjects",
    async (t) => [(await received(t)).claims["sub"], (await received(t, {}, "pairwise")).claims["sub"]],
    ([one, other]) => holds(one !== other, `both see ${shown(one)}`),
    "MUST",
    { clients: ["web", "pairwise"], person: true, metadata: { subject_types_supported: "pairwise" } },
  ),
  held(
    "not-access-token",
    "RFC 8725 §3.12",
    "An access token cannot be taken for an ID token: it has another typ, or another audience",
    async (t) => {
      const { tokens } = await t.tokens("web")
      const text = textOf(tokens["access_token"])
      return text.split(".").length === 3 ? { access: await jwtOf(t, text), clientId: t.client("web").client_id } : undefined
    },
    (seen) =>
      seen === undefined
        ? undefined
        : holds(
            textOf(seen.access.header["typ"]).toLowerCase().endsWith("at+jwt") ||
              ![seen.access.claims["aud"]].flat().includes(seen.clientId),
            `typ is ${shown(seen.access.header["typ"])} and aud ${shown(seen.access.claims["aud"])}`,
          ),
    "SHOULD",
  ),
]
