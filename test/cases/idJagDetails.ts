import { type IdJagOptions, type Json, defaultFeatures } from "@postern/core"
import { basic, claimsOf, post, tokensFor } from "../support/flows.ts"
import { detailResources, detailTypes, payment, written } from "../support/details.ts"
import { ask, assertion, asserting, crossing, redeem, todo } from "../support/idJags.ts"
import type { Said } from "../support/visitor.ts"
import type { World, WorldOptions } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const one = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

/** A world that has the types of payments and accounts beside its role. */
const withTypes = (options: IdJagOptions, format?: "reference"): WorldOptions =>
  crossing(
    options,
    { scope: "openid api.read pay", authorization_details_types: ["payment", "accounts"], access_token_format: format ?? "jwt" },
    { resources: detailResources, settings: { authorization_details_types: detailTypes } },
  )

const issuing = (changes: Parameters<typeof todo>[0] = {}) =>
  crossing({ authorizationServers: [todo({ detailTypes: ["list", "board"], ...changes })] })

const list = { type: "list", actions: ["read"], locations: ["https://api.todo.example"], of: { anything: [1, null] } } as const

const asked = async (w: World, details: string, changes: Record<string, string> = {}): Promise<Said> =>
  ask(w, (await tokensFor(w, "wiki", "openid email")).id_token, { authorization_details: details, ...changes })

const invalid = (problem: string) => refused("invalid_authorization_details", `The authorization_details are not valid: ${problem}.`)

const refusedAt = (title: string, rule: string, details: string, problem: string, options = issuing(), changes = {}): Case =>
  one(title, `id-jag.${rule}`, options, (w) => asked(w, details, changes), invalid(problem))

const issued: ReadonlyArray<Case> = [
  one(
    "ID-JAG §4.3.4.2: details go into the grant and into the answer as they were asked for, and ask for no scope",
    undefined,
    issuing(),
    async (w) => {
      const answer = await asked(w, written(list))
      const { authorization_details, scope = "none" } = claimsOf(String(answer.json?.["access_token"]))
      return {
        ...answer,
        json: { answered: answer.json?.["authorization_details"], granted: authorization_details, scope } as Record<string, Json>,
      }
    },
    { status: 200, json: { answered: [list], granted: [list], scope: "none" } },
  ),
  one(
    "ID-JAG §4.3.3: scopes beside details are judged as ever",
    undefined,
    issuing(),
    (w) => asked(w, written(list), { scope: "todo.read todo.admin" }),
    { status: 200, json: { scope: "todo.read", authorization_details: [list] } },
  ),
  one(
    "RFC 9396 §2: a request without details gets none, and all scopes",
    undefined,
    issuing(),
    async (w) => {
      const answer = await asked(w, "")
      return {
        ...answer,
        json: { scope: answer.json?.["scope"], has: "authorization_details" in (answer.json ?? {}) } as Record<string, Json>,
      }
    },
    { status: 200, json: { scope: "todo.read todo.write", has: false } },
  ),
  refusedAt("RFC 9396 §2: details that are no array are refused", "details-form", "{}", "it is not an array"),
  refusedAt("RFC 9396 §2: a detail without a type is refused", "details-form", "[{}]", "[0] is not an object with a type"),
  refusedAt("RFC 9396 §2: details that are no JSON are refused", "details-form", "list", "it is not JSON"),
  refusedAt(
    "ID-JAG §4.3.3: details that would make the grant too long are refused",
    "details-form",
    written({ type: "list", of: "x".repeat(6200) }),
    "it is longer than 6144 characters",
  ),
  refusedAt(
    "RFC 9396 §5: a type that the server does not have is refused",
    "details-allowed",
    written(list, { type: "money" }),
    "[1] has a type that is unknown or not allowed",
  ),
  refusedAt(
    "RFC 9396 §5: a type that the client may not have there is refused",
    "details-allowed",
    written({ type: "board" }),
    "[0] has a type that is unknown or not allowed",
    issuing({ clients: { wiki: { clientId: "wiki-at-todo", detailTypes: ["list"] } } }),
  ),
  refusedAt(
    "RFC 9396 §5: where the operator names no type there is none",
    "details-allowed",
    written(list),
    "[0] has a type that is unknown or not allowed",
    issuing({ detailTypes: undefined }),
  ),
  refusedAt(
    "RFC 9396 §2.2: locations that may not be named are refused",
    "details-locations",
    written({ ...list, locations: ["https://else.example"] }),
    "[0].locations must be resources that may be named",
  ),
  refusedAt(
    "ID-JAG §4.3.3: locations beyond the resource that is asked for contradict it",
    "details-locations",
    written(list),
    "[0].locations must be resources that may be named",
    issuing(),
    { resource: "https://files.todo.example" },
  ),
  refusedAt(
    "RFC 9396 §2.2: locations that are no list are refused",
    "details-locations",
    written({ type: "list", locations: "https://api.todo.example" }),
    "[0].locations must be resources that may be named",
  ),
]

const withoutDetails = defaultFeatures.filter(({ name }) => name !== "rich-authorization")

const taking = (format?: "reference") => withTypes({ identityProviders: [asserting({ detailTypes: ["payment", "unknown"] })] }, format)

const sends = async (w: World, details: Json, claims: Record<string, Json | undefined> = {}): Promise<Said> =>
  redeem(w, await assertion({ scope: undefined, authorization_details: details, ...claims }))

const saying = (answer: Said): Said => ({ ...answer, json: claimsOf(String(answer.json?.["access_token"])) })

const taken: ReadonlyArray<Case> = [
  one(
    "ID-JAG §4.4.1: details become those of the access token, for the resources that their type is for, with no scope",
    undefined,
    taking(),
    async (w) => {
      const answer = await sends(w, [payment()])
      const { authorization_details, aud, scope = "none" } = claimsOf(String(answer.json?.["access_token"]))
      return {
        ...answer,
        json: { answered: answer.json?.["authorization_details"], has: authorization_details, aud, scope } as Record<string, Json>,
      }
    },
    { status: 200, json: { answered: [payment()], has: [payment()], aud: "https://pay.example", scope: "none" } },
  ),
  one(
    "ID-JAG §4.4.1: scopes and details are given together, for the resources of both",
    undefined,
    taking(),
    async (w) => saying(await sends(w, [payment()], { scope: "api.read" })),
    { status: 200, json: { scope: "api.read", aud: ["https://api.example", "https://pay.example"], authorization_details: [payment()] } },
  ),
  one(
    "ID-JAG §4.4.1: the resource of the grant may be one that its details are for alone",
    undefined,
    taking(),
    async (w) => saying(await sends(w, [payment()], { resource: "https://pay.example" })),
    { status: 200, json: { aud: "https://pay.example", authorization_details: [payment()] } },
  ),
  one(
    "RFC 9396 §9.2: introspection has the details of a reference token",
    undefined,
    taking("reference"),
    async (w) => {
      const token = String((await sends(w, [payment()])).json?.["access_token"])
      return post(w, "/connect/introspect", undefined, { token }, { authorization: basic("wiki") })
    },
    { status: 200, json: { active: true, authorization_details: [payment()] } },
  ),
  one("ID-JAG §4.4.1: an empty list asks for nothing", undefined, taking(), (w) => sends(w, [], { scope: "api.read" }), {
    status: 200,
    json: { scope: "api.read" },
  }),
  ...[{}, "payment", [7], [{}], [{ type: 7 }], null].map((details) =>
    one(
      `ID-JAG §4.4.1, RFC 9396 §2: details that are no list of objects with a type are refused: ${JSON.stringify(details)}`,
      "id-jag-bearer.details-form",
      taking(),
      (w) => sends(w, details as Json, { scope: "api.read" }),
      refused("invalid_grant", "The assertion's authorization_details have no sound form."),
    ),
  ),
  one(
    "RFC 9396 §5: details of a type that the identity provider may not give are refused, since its scopes would be wider than meant",
    "id-jag-bearer.details-allowed",
    taking(),
    (w) => sends(w, [{ type: "accounts" }], { scope: "api.read" }),
    refused("invalid_authorization_details", "The assertion's authorization_details have a type that is unknown or not allowed."),
  ),
  one(
    "RFC 9396 §5: where the operator names no type, none is given",
    "id-jag-bearer.details-allowed",
    withTypes({ identityProviders: [asserting()] }),
    (w) => sends(w, [payment()], { scope: "api.read" }),
    refused("invalid_authorization_details", "The assertion's authorization_details have a type that is unknown or not allowed."),
  ),
  one(
    "RFC 9396 §5: a type that the provider does not have is refused",
    "extension.details-type",
    taking(),
    (w) => sends(w, [{ type: "unknown" }]),
    invalid("[0] has an unknown type"),
  ),
  one(
    "RFC 9396 §5: a provider without the feature of authorization details gives none, and no scope without them",
    "extension.details-type",
    crossing({ identityProviders: [asserting({ detailTypes: ["payment"] })] }, {}, { features: withoutDetails }),
    (w) => sends(w, [payment()], { scope: "api.read" }),
    invalid("[0] has an unknown type"),
  ),
  one(
    "RFC 9396 §5, §10: a type that the client may not use is refused",
    "extension.details-type",
    withTypes({ identityProviders: [asserting({ detailTypes: ["report"] })] }),
    (w) => sends(w, [{ type: "report" }]),
    invalid("[0] has a type that the client may not use"),
  ),
  one(
    "RFC 9396 §5: a detail without a field that its type needs is refused",
    "extension.details-fields",
    taking(),
    (w) => sends(w, [{ type: "payment", amount: { currency: "EUR", value: "1.00" } }]),
    invalid("[0].creditor is missing"),
  ),
  one(
    "RFC 9396 §2: more details than a request may have are refused",
    "extension.details-form",
    taking(),
    (w) =>
      sends(
        w,
        Array.from({ length: 21 }, (_, at) => payment(`${at}.00`)),
      ),
    invalid("it must have 1 to 20 details"),
  ),
  one(
    "RFC 9396 §6: the request itself takes none beside those of the grant",
    "token.details-taken",
    taking(),
    async (w) => redeem(w, await assertion(), { authorization_details: written(payment()) }),
    refused("invalid_authorization_details", "This grant_type takes no authorization_details."),
  ),
  one(
    "RFC 8707 §2.2: a resource that neither scopes nor details are for is refused",
    "extension.answer-resource",
    taking(),
    (w) => sends(w, [payment()], { resource: "https://billing.example" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
]

/** Authorization details that travel in ID-JAGs: draft-ietf-oauth-identity-assertion-authz-grant §4.3, §4.4, RFC 9396. */
export const cases: ReadonlyArray<Case> = [...issued, ...taken]
