import { type Changes, type Received, json, objectOf, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, oneOf, same, shown } from "../oracle/finding.ts"
import { type Needs, type Requirement, area, changed } from "../requirement/requirement.ts"
import { type Authorized, type Steps, outcome, tokensOf, told } from "../steps/steps.ts"
import type { Detail, RoleDetails } from "../target/details.ts"
import type { RoleName } from "../target/roles.ts"
import { Inconclusive, Untried } from "../target/target.ts"
import { stopsOrSends } from "./answer.ts"

const offered = { authorization_details_types_supported: undefined } as const
const needs: Needs = { clients: ["details"], person: true, metadata: offered }
const tried = area("details", needs)

/** The authorization details that the role's client may request. */
const detailsOf = (t: Steps): RoleDetails => {
  const known = t.client("details").authorization_details
  if (known === undefined) throw new Untried("the client of the role details is known, and no authorization_details of it")
  return known
}

/** An authorization detail of the client that is narrower or wider than the requested one. */
const other = (t: Steps, which: "narrower" | "wider"): Detail => {
  const found = detailsOf(t)[which]
  if (found === undefined) throw new Untried(`no ${which} authorization detail is known of the client of the role details`)
  return found
}

const written = (...details: ReadonlyArray<unknown>): string => JSON.stringify(details)

/** Sends an authorization request with unmodified details. */
const ask = (t: Steps, details: string, role: RoleName = "details"): Promise<Authorized> =>
  t.authorize(role, { authorization_details: details })

/** Tokens for the usual detail and a scope. */
const granted = async (t: Steps, scope = "openid offline_access") => {
  const { asked } = detailsOf(t)
  const { tokens } = await t.tokens("details", { scope, authorization_details: written(asked) })
  return { asked, tokens }
}

/** The authorization details in a token response or in claims. */
const detailsIn = (members: Readonly<Record<string, unknown>> | undefined): ReadonlyArray<Detail> => {
  const found = members?.["authorization_details"]
  return Array.isArray(found) ? found : []
}

const isSame = (found: unknown, asked: unknown): boolean => {
  if (Array.isArray(asked) && Array.isArray(found))
    return asked.length === found.length && asked.every((each, at) => isSame(found[at], each))
  if (typeof asked !== "object" || asked === null || typeof found !== "object" || found === null) return found === asked
  return Object.entries(asked).every(([name, value]) => isSame((found as Detail)[name], value))
}

/** Requires a single detail with everything that was requested. The provider may add members (RFC 9396 §7.1). */
const holdsOne = (found: ReadonlyArray<Detail>, asked: Detail): Finding =>
  holds(found.length === 1 && isSame(found[0], asked), `authorization_details are ${shown(found)}, not ${shown([asked])}`)

const refused = (received: Received): Finding =>
  first(
    oneOf(json(received)?.["error"], ["invalid_authorization_details", "invalid_grant"], "the error"),
    holds(json(received)?.["access_token"] === undefined, "an access token came"),
  )

/** Details that the authorization endpoint must refuse. */
const wrong = changed(tried, (t, details: (t: Steps) => string) => ask(t, details(t)), stopsOrSends("invalid_authorization_details"))

const redeemed = async (t: Steps, details: unknown): Promise<Received> => {
  const authorized = await t.code("details", { authorization_details: written(detailsOf(t).asked) })
  return t.redeem("details", authorized, { authorization_details: written(details) })
}

/** Refreshes tokens with additional parameters. */
const refreshedBy = async (t: Steps, tokens: Readonly<Record<string, unknown>>, changes: Changes = {}): Promise<Received> => {
  const refresh_token = textOf(tokens["refresh_token"])
  if (refresh_token === "") throw new Untried("no refresh token came")
  return t.token({ grant_type: "refresh_token", refresh_token, ...changes }, "details")
}

const refreshed = async (t: Steps, details: unknown): Promise<Received> =>
  refreshedBy(t, (await granted(t)).tokens, { authorization_details: written(details) })

/** Requires tokens with the single requested detail. */
const grantedOne = ({ asked, tokens }: { readonly asked: Detail; readonly tokens: Readonly<Record<string, unknown>> }): Finding =>
  holdsOne(detailsIn(tokens), asked)

/** A request for narrower details than were granted. */
const narrows = (id: string, title: string, request: (t: Steps, details: unknown) => Promise<Received>): Requirement =>
  tried(
    id,
    "RFC 9396 §6",
    title,
    async (t) => ({ asked: other(t, "narrower"), tokens: tokensOf(await request(t, other(t, "narrower"))) }),
    grantedOne,
  )

/** Rich authorization requests (RFC 9396). */
export const authorizationDetails: ReadonlyArray<Requirement> = [
  tried(
    "types",
    "RFC 9396 §10",
    "The metadata lists the types, each a text",
    told("authorization_details_types_supported"),
    (types) =>
      holds(
        Array.isArray(types) && types.length > 0 && types.every((each) => typeof each === "string" && each !== ""),
        `authorization_details_types_supported is ${shown(types)}`,
      ),
    "MUST",
    { metadata: offered },
  ),
  tried("granted", "RFC 9396 §7", "The token response has the details that were granted", (t) => granted(t), grantedOne),
  tried(
    "with-scope",
    "RFC 9396 §3.1",
    "A scope beside the details is granted too",
    (t) => granted(t, "openid email"),
    ({ asked, tokens }) =>
      first(
        holdsOne(detailsIn(tokens), asked),
        holds(textOf(tokens["id_token"]) !== "", "no ID token came"),
        holds(
          tokens["scope"] === undefined || textOf(tokens["scope"]).split(" ").includes("email"),
          `the scope is ${shown(tokens["scope"])}`,
        ),
      ),
  ),
  tried(
    "pushed",
    "RFC 9396 §3, RFC 9126 §2.1",
    "Details can be pushed",
    async (t) => {
      const { asked } = detailsOf(t)
      const verifier = t.random(32)
      const pairs = t.request("details", verifier, { authorization_details: written(asked) })
      const received = await t.post("pushed_authorization_request_endpoint", pairs, "details")
      const request_uri = textOf(json(received)?.["request_uri"])
      if (received.status !== 201) throw new Inconclusive(`no request_uri came: status ${received.status}`, received)
      const authorized = await t.authorizeWith([
        ["client_id", t.client("details").client_id],
        ["request_uri", request_uri],
      ])
      const { code } = authorized.params
      if (code === undefined) throw new Inconclusive(`no code came: ${outcome(authorized)}`, authorized.last)
      return { asked, tokens: tokensOf(await t.redeem("details", { ...authorized, asked: pairs, verifier, code })) }
    },
    grantedOne,
    "MUST",
    { ...needs, metadata: { ...offered, pushed_authorization_request_endpoint: undefined } },
  ),
  tried(
    "pushed-wrong",
    "RFC 9396 §5, RFC 9126 §2.1",
    "Details that are wrong are refused when they are pushed",
    (t) => {
      const pairs = t.request("details", t.random(32), { authorization_details: written({ type: "conformance_unknown" }) })
      return t.post("pushed_authorization_request_endpoint", pairs, "details")
    },
    (received) => oneOf(json(received)?.["error"], ["invalid_authorization_details"], "the error"),
    "MUST",
    { clients: ["details"], metadata: { ...offered, pushed_authorization_request_endpoint: undefined } },
  ),
  tried(
    "jwt",
    "RFC 9396 §9.1",
    "An access token that is a JWT has the details",
    async (t) => {
      const { asked, tokens } = await granted(t)
      const [, payload = ""] = textOf(tokens["access_token"]).split(".")
      const claims = objectOf(Buffer.from(payload, "base64url").toString())
      if (claims === undefined) throw new Untried("the access token is no JWT")
      return { asked, claims }
    },
    ({ asked, claims }) => holdsOne(detailsIn(claims), asked),
    "SHOULD",
  ),
  tried(
    "introspection",
    "RFC 9396 §9.2",
    "Where introspection tells the details of an access token, they are those that were granted",
    async (t) => {
      const { asked, tokens } = await granted(t)
      const received = await t.post("introspection_endpoint", { token: textOf(tokens["access_token"]) }, "details")
      const claims = json(received)
      if (claims?.["active"] !== true) throw new Untried("the client is not told about its own token")
      if (claims["authorization_details"] === undefined) throw new Untried("introspection tells this client no authorization_details")
      return { asked, claims }
    },
    ({ asked, claims }) => holdsOne(detailsIn(claims), asked),
    "MUST",
    { ...needs, metadata: { ...offered, introspection_endpoint: undefined } },
  ),
  tried(
    "available",
    "RFC 9396 §9",
    "The API learns the details: the access token has them, or introspection tells them",
    async (t) => {
      const { asked, tokens } = await granted(t)
      const token = textOf(tokens["access_token"])
      const inToken = objectOf(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
      const received = await t.post("introspection_endpoint", { token }, "details")
      const told = json(received)
      if (inToken === undefined && told?.["active"] !== true)
        throw new Untried("the client is not told about its own token, which is no JWT")
      return { asked, all: [inToken, told] }
    },
    ({ asked, all }) => {
      const found = all.map((each) => holdsOne(detailsIn(each), asked))
      return found.includes(undefined) ? undefined : found[0]
    },
    "MUST",
    { ...needs, metadata: { ...offered, introspection_endpoint: undefined } },
  ),
  tried(
    "not-unasked",
    "RFC 9396 §7",
    "A token for which no details were asked has none",
    async (t) => (await t.tokens("details")).tokens,
    (tokens) => same(detailsIn(tokens), [], "authorization_details"),
  ),
  tried(
    "consent",
    "RFC 9396 §11.2",
    "The page that asks for consent shows what the details say",
    async (t) => {
      const { asked } = detailsOf(t)
      const { last, met } = await t.authorize(
        "details",
        { authorization_details: written(asked), prompt: "consent" },
        { choices: { consent: "stop" } },
      )
      const texts = Object.entries(asked).flatMap(([name, value]) => (name !== "type" && typeof value === "string" ? [value] : []))
      if (texts.length === 0 || last.status >= 300) throw new Untried(`no page asked for consent (${met.join(", ") || "none was shown"})`)
      return { texts, last }
    },
    ({ texts, last }) =>
      holds(
        texts.every((text) => last.body.includes(text)),
        `the page does not show ${texts.map(shown).join(", ")}`,
      ),
    "SHOULD",
  ),
  wrong("not-json", "RFC 9396 §5", "Details that are no JSON are refused", () => "[{"),
  wrong("no-list", "RFC 9396 §2", "Details that are no list are refused", (t) => JSON.stringify(detailsOf(t).asked)),
  wrong("no-object", "RFC 9396 §2", "A detail that is no object is refused", (t) => written(textOf(detailsOf(t).asked["type"]))),
  wrong("no-type", "RFC 9396 §2", "A detail without a type is refused", (t) => written({ ...detailsOf(t).asked, type: undefined })),
  wrong("type-number", "RFC 9396 §2", "A detail whose type is no text is refused", (t) => written({ ...detailsOf(t).asked, type: 1 })),
  wrong("type-unknown", "RFC 9396 §5", "A detail of an unknown type is refused", (t) =>
    written({ ...detailsOf(t).asked, type: "conformance_unknown" }),
  ),
  wrong("second-unknown", "RFC 9396 §5", "One unknown detail among known ones is enough to refuse them", (t) =>
    written(detailsOf(t).asked, { type: "conformance_unknown" }),
  ),
  wrong("field-unknown", "RFC 9396 §5", "A detail with a field that its type does not have is refused", (t) =>
    written({ ...detailsOf(t).asked, conformance_unknown_field: 1 }),
  ),
  wrong("field-wrong", "RFC 9396 §5", "A detail with a field of another form than its type's is refused", (t) =>
    written(
      Object.fromEntries(Object.entries(detailsOf(t).asked).map(([name, value]) => [name, name === "type" ? value : { wrong: true }])),
    ),
  ),
  tried(
    "type-of-others",
    "RFC 9396 §5, §10",
    "A type that the client is not registered for is refused",
    (t) => ask(t, written(detailsOf(t).asked), "web"),
    stopsOrSends("invalid_authorization_details", "unauthorized_client"),
    "SHOULD",
    { ...needs, clients: ["details", "web"] },
  ),
  narrows("narrower", "A token request can ask for less than was granted, and gets no more", redeemed),
  tried("wider", "RFC 9396 §6.1", "A token request for more than was granted is refused", (t) => redeemed(t, other(t, "wider")), refused),
  tried(
    "other-type",
    "RFC 9396 §6.1",
    "So is one for details of another type",
    (t) => redeemed(t, { type: "conformance_unknown" }),
    refused,
  ),
  narrows("refresh-narrower", "A refresh can ask for less than was granted, and gets no more", refreshed),
  tried(
    "refresh-wider",
    "RFC 9396 §6.1",
    "A refresh for more than was granted is refused",
    (t) => refreshed(t, other(t, "wider")),
    refused,
  ),
  tried(
    "refresh-same",
    "RFC 9396 §6, RFC 6749 §6",
    "A refresh that names no details gets those that were granted",
    async (t) => {
      const { asked, tokens } = await granted(t)
      return { asked, tokens: tokensOf(await refreshedBy(t, tokens)) }
    },
    grantedOne,
  ),
]
