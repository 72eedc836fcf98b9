import { json, mediaType, textOf } from "../exchange/exchange.ts"
import { type Finding, first, header, holds, same, shown, status } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import type { Steps } from "../steps/steps.ts"
import { arrays, booleans, endpointMembers } from "./discoveryMembers.ts"

const addressOf = ({ target }: Steps): string => `${target.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`

const isStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "")

const secure = (value: unknown, issuer: string): boolean =>
  typeof value === "string" &&
  URL.canParse(value) &&
  (new URL(value).protocol === "https:" || new URL(value).protocol === new URL(issuer).protocol)

const stated = area("discovery", {})

/** A requirement of a metadata member, if it is present. */
const member = (
  id: string,
  paragraph: string,
  level: Requirement["level"],
  title: string,
  oracle: (metadata: Readonly<Record<string, unknown>>) => Finding,
  metadata: Readonly<Record<string, string | undefined>> = {},
): Requirement => stated(id, paragraph, title, async (t) => t.metadata, oracle, level, { metadata })

const lists = (name: string, value: string) => (metadata: Readonly<Record<string, unknown>>) => {
  const found = metadata[name]
  return first(
    holds(isStrings(found) && found.length > 0, `${name} is ${shown(found)}, and no list of texts`),
    holds(isStrings(found) && found.includes(value), `${name} is ${shown(found)}, without ${value}`),
  )
}

/** Returns an oracle that requires a list of algorithms without `none`, which provides no protection. */
const withoutNone = (name: string) => (metadata: Readonly<Record<string, unknown>>) => {
  const found = metadata[name]
  return first(
    holds(isStrings(found), `${name} is ${shown(found)}, and no list of texts`),
    holds(!isStrings(found) || !found.includes("none"), `${name} offers none`),
  )
}

/** The metadata of a provider (OpenID Connect Discovery, RFC 8414). */
export const discovery: ReadonlyArray<Requirement> = [
  stated(
    "json",
    "OpenID Connect Discovery §4.2",
    "The metadata is a JSON object, served as application/json with status 200",
    (t) => t.get(addressOf(t)),
    (received) =>
      first(
        status(received, 200),
        same(mediaType(received), "application/json", "the media type"),
        holds(json(received) !== undefined, "it is no JSON object"),
      ),
  ),
  stated(
    "issuer-same",
    "OpenID Connect Discovery §4.3",
    "The issuer of the metadata is the issuer that was asked, character by character",
    async (t) => ({ found: t.metadata["issuer"], expected: t.target.issuer }),
    ({ found, expected }) => same(found, expected, "the issuer"),
  ),
  stated(
    "issuer-form",
    "RFC 8414 §2",
    "The issuer has no query and no fragment",
    async (t) => textOf(t.metadata["issuer"]),
    (issuer) => holds(URL.canParse(issuer) && !/[?#]/.test(issuer), `the issuer is ${shown(issuer)}`),
  ),
  stated(
    "oauth-document",
    "RFC 8414 §3",
    "The metadata of RFC 8414, where it is served, names the same issuer",
    async (t) => {
      const { origin, pathname } = new URL(t.target.issuer)
      const received = await t.get(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`)
      return { received, expected: t.target.issuer }
    },
    ({ received, expected }) =>
      received.status === 404 ? undefined : first(status(received, 200), same(json(received)?.["issuer"], expected, "the issuer")),
    "MAY",
  ),
  stated(
    "signed",
    "RFC 8414 §2.1",
    "signed_metadata, where it is there, says who attests to it; where that is the issuer itself, a published key verifies it, and it is of the same issuer",
    async (t) => ({ jwt: await jwtOf(t, textOf(t.metadata["signed_metadata"])), issuer: t.target.issuer }),
    // Another party may sign the metadata with its own keys. Signed members take precedence over unsigned ones.
    ({ jwt: { isVerified, claims }, issuer }) =>
      first(
        holds(textOf(claims["iss"]) !== "", "it has no iss"),
        claims["iss"] === issuer
          ? first(
              holds(isVerified, "no published key verifies it"),
              holds([undefined, issuer].includes(claims["issuer"] as string), `issuer is ${shown(claims["issuer"])} in it`),
            )
          : undefined,
      ),
    "MUST",
    { metadata: { signed_metadata: undefined } },
  ),
  ...endpointMembers.map((name) =>
    stated(
      name.replaceAll("_", "-"),
      "OpenID Connect Discovery §3",
      `${name} is an absolute address without a fragment, as secure as the issuer's`,
      async (t) => ({ found: t.metadata[name], issuer: t.target.issuer }),
      ({ found, issuer }) =>
        first(holds(secure(found, issuer), `${name} is ${shown(found)}`), holds(!textOf(found).includes("#"), `${name} has a fragment`)),
      "MUST",
      name === "authorization_endpoint" || name === "token_endpoint" || name === "jwks_uri" ? {} : { metadata: { [name]: undefined } },
    ),
  ),
  member("booleans", "OpenID Connect Discovery §3", "MUST", "Members that say yes or no are true or false", (metadata) =>
    first(
      ...booleans.map((name) => holds(!(name in metadata) || typeof metadata[name] === "boolean", `${name} is ${shown(metadata[name])}`)),
    ),
  ),
  member("lists", "OpenID Connect Discovery §3", "MUST", "Members that list values are arrays of texts, without repeats", (metadata) =>
    first(
      ...arrays
        .filter((name) => name in metadata)
        .map((name) => {
          const found = metadata[name]
          return first(
            holds(isStrings(found), `${name} is ${shown(found)}`),
            holds(!isStrings(found) || new Set(found).size === found.length, `${name} repeats a value: ${shown(found)}`),
          )
        }),
    ),
  ),
  member("no-empty-members", "RFC 8414 §2", "MUST", "Members without a value are left out", (metadata) =>
    first(
      ...Object.entries(metadata).map(([name, value]) =>
        holds(value !== null && value !== "" && !(Array.isArray(value) && value.length === 0), `${name} is ${shown(value)}`),
      ),
    ),
  ),
  member(
    "response-types",
    "OpenID Connect Discovery §3",
    "MUST",
    "response_types_supported holds code",
    lists("response_types_supported", "code"),
  ),
  member(
    "subject-types",
    "OpenID Connect Discovery §3",
    "MUST",
    "subject_types_supported holds public or pairwise, and nothing else",
    ({ subject_types_supported: found }) =>
      holds(
        isStrings(found) && found.length > 0 && found.every((each) => each === "public" || each === "pairwise"),
        `subject_types_supported is ${shown(found)}`,
      ),
  ),
  member(
    "id-token-rs256",
    "OpenID Connect Discovery §3",
    "MUST",
    "id_token_signing_alg_values_supported holds RS256",
    lists("id_token_signing_alg_values_supported", "RS256"),
  ),
  member(
    "scopes-openid",
    "OpenID Connect Discovery §3",
    "MUST",
    "scopes_supported, where it is there, holds openid",
    lists("scopes_supported", "openid"),
    {
      scopes_supported: undefined,
    },
  ),
  member(
    "scope-form",
    "RFC 6749 §3.3",
    "MUST",
    "Scopes are of the characters of a scope token",
    ({ scopes_supported: found }) =>
      holds(isStrings(found) && found.every((each) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each)), `scopes_supported is ${shown(found)}`),
    { scopes_supported: undefined },
  ),
  member(
    "challenge-s256",
    "RFC 9700 §2.1.1",
    "SHOULD",
    "code_challenge_methods_supported holds S256",
    lists("code_challenge_methods_supported", "S256"),
  ),
  member(
    "token-auth-no-none-alg",
    "RFC 8414 §2",
    "MUST",
    "token_endpoint_auth_signing_alg_values_supported does not hold none",
    withoutNone("token_endpoint_auth_signing_alg_values_supported"),
    { token_endpoint_auth_signing_alg_values_supported: undefined },
  ),
  member("token-auth-algs", "RFC 8414 §2", "MUST", "Where clients may authenticate by JWT, the algorithms are listed", (metadata) => {
    const methods = metadata["token_endpoint_auth_methods_supported"]
    const byJwt = isStrings(methods) && methods.some((each) => each.endsWith("_jwt"))
    return holds(
      !byJwt || isStrings(metadata["token_endpoint_auth_signing_alg_values_supported"]),
      "token_endpoint_auth_signing_alg_values_supported is missing",
    )
  }),
  member(
    "implicit-listed",
    "RFC 8414 §2",
    "MUST",
    "Response types of the front channel and the implicit grant are offered together",
    (metadata) => {
      const types = metadata["response_types_supported"]
      const grants = metadata["grant_types_supported"]
      const front = isStrings(types) && types.some((each) => each !== "code" && each !== "none")
      return holds(
        !isStrings(grants) || !front || grants.includes("implicit"),
        `grant_types_supported is ${shown(grants)}, without implicit`,
      )
    },
  ),
  member(
    "locales",
    "OpenID Connect Discovery §3",
    "MUST",
    "ui_locales_supported holds BCP 47 language tags",
    ({ ui_locales_supported: found }) =>
      holds(
        isStrings(found) && found.every((each) => /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(each)),
        `ui_locales_supported is ${shown(found)}`,
      ),
    { ui_locales_supported: undefined },
  ),
  member(
    "claims-supported",
    "OpenID Connect Discovery §3",
    "SHOULD",
    "claims_supported lists claims, sub among them",
    lists("claims_supported", "sub"),
  ),
  member("userinfo", "OpenID Connect Discovery §3", "SHOULD", "There is a userinfo_endpoint", ({ userinfo_endpoint: found }) =>
    holds(typeof found === "string", "there is none"),
  ),
  stated(
    "cors",
    "Fetch §3.2",
    "Applications in a browser may read the metadata",
    (t) => t.get(addressOf(t), { origin: "https://app.conformance.test" }),
    (received) => header(received, "Access-Control-Allow-Origin", /^(\*|https:\/\/app\.conformance\.test)$/),
    "SHOULD",
  ),
]
