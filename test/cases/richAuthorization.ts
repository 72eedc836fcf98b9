import { detailResources, payment, withDetails, written } from "../support/details.ts"
import { authorize, codeFor, post, redeem, refresh, request, signIn, signedIn, token } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { answer, atConsent, waitingAt } from "./interactions.ts"
import { type Case, type Expectation, refused, sentBack, shown } from "./case.ts"

const invalid = (problem: string): string => `The authorization_details are not valid: ${problem}.`
const error = "invalid_authorization_details"

const options = withDetails()

const asks =
  (details: string, clientId = "web", more: Record<string, string | undefined> = {}) =>
  (w: World) =>
    signedIn(w).then((visitor) => authorize(visitor, clientId, { authorization_details: details, ...more }))

const accounts = (...ids: ReadonlyArray<string>) => ({ type: "accounts", accounts: ids })

/** A request that is sent back with a fault of its details. */
const faulty = (title: string, rule: string, details: string, problem: string, clientId?: string): Case => ({
  title,
  rule,
  options,
  run: asks(details, clientId),
  expect: sentBack(error, invalid(problem)),
})

const form = "authorize.details-form"
const fields = "authorize.details-fields"

const authorizeCases: ReadonlyArray<Case> = [
  faulty("RFC 9396 §5: refuses details that are not JSON", form, "[{", "it is not JSON"),
  faulty("RFC 9396 §2: refuses details that are not an array", form, JSON.stringify(payment()), "it is not an array"),
  faulty("RFC 9396 §2: refuses an empty array", form, "[]", "it must have 1 to 20 details"),
  faulty(
    "RFC 9396 §2: refuses more details than anybody can read",
    form,
    written(...Array.from({ length: 21 }, (_, at) => ({ type: "report", pages: at + 1 }))),
    "it must have 1 to 20 details",
  ),
  faulty("RFC 9396 §2: refuses a detail without a type", form, written(payment(), {}), "[1] is not an object with a type"),
  faulty("RFC 9396 §2: refuses a detail that is no object", form, written("payment"), "[0] is not an object with a type"),
  faulty(
    "RFC 8259 §4: refuses a member that is named twice, however it is written",
    form,
    '[{"type":"report","pages":1,"p\\u0061ges":100}]',
    "it is JSON that names a member twice",
  ),
  faulty("RFC 9396 §5: refuses nesting without end", form, `${"[".repeat(200)}${"]".repeat(200)}`, "it is nested deeper than 8 levels"),
  faulty("RFC 9396 §2: refuses the same detail twice", form, written(payment(), payment()), "[1] is the same as an earlier one"),
  faulty("RFC 9396 §5: refuses an unknown type", "authorize.details-type", written({ type: "loan" }), "[0] has an unknown type"),
  faulty(
    "RFC 9396 §10: refuses a type that the client may not use",
    "authorize.details-type",
    written(payment()),
    "[0] has a type that the client may not use",
    "old",
  ),
  faulty(
    "RFC 9396 §5: refuses a field that the type does not have",
    fields,
    written(payment("1.00", { urgency: "high" })),
    "[0] has a field that its type does not have",
  ),
  faulty("RFC 9396 §5: refuses a detail that lacks a field", fields, written({ type: "payment", creditor: "A" }), "[0].amount is missing"),
  faulty(
    "RFC 9396 §5: refuses an amount that is none",
    fields,
    written(payment("1e3")),
    "[0].amount.value must be a decimal number such as 123.50",
  ),
  faulty(
    "RFC 9396 §5: refuses an account number whose check digits are wrong",
    fields,
    written(payment("1.00", { iban: "DE02100100109307118604" })),
    "[0].iban must be an IBAN without spaces",
  ),
  faulty(
    "RFC 9396 §12: refuses a text that would turn the words around it about",
    fields,
    written(payment("1.00", { creditor: "Bank\u202e A" })),
    "[0].creditor has characters that cannot be shown",
  ),
  faulty(
    "RFC 9396 §2.2: refuses an action that the type does not have",
    fields,
    written(payment("1.00", { actions: ["initiate", "refund"] })),
    "[0].actions[1] is not one of the values that its type has",
  ),
  faulty(
    "RFC 9396 §3.2: refuses a location that is no resource of the type",
    fields,
    written(payment("1.00", { locations: ["https://api.example"] })),
    "[0].locations[0] is not one of the values that its type has",
  ),
  faulty(
    "RFC 9396 §5: refuses a whole number that is too large",
    fields,
    written({ type: "report", pages: 1e300 }),
    "[0].pages must be a whole number from 1 to 100",
  ),
  {
    title: "RFC 6749 §3.1: the parameter comes once",
    rule: "authorize.parameters-once",
    options,
    run: async (w) => {
      const visitor = await signedIn(w)
      const query = new URLSearchParams([
        ...Object.entries(request("web")),
        ["authorization_details", "[]"],
        ["authorization_details", "[]"],
      ])
      return visitor.get(`/connect/authorize?${query.toString()}`)
    },
    expect: sentBack("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 9396 §3.1: details need no scope beside them",
    rule: undefined,
    options,
    run: asks(written(accounts("a")), "web", { scope: undefined }),
    expect: { status: 303, params: { state: "st" } },
  },
  {
    title: "RFC 9396 §3: a type that wants it has the person asked at each request, whatever the client may do without",
    rule: "person.consented",
    options,
    run: asks(written(payment())),
    expect: { status: 200, page: { _tag: "Consent", details: [{ type: "payment", resources: ["Payments"] }] } },
  },
  {
    title: "RFC 8707 §2: a resource that no scope and no detail belongs to is refused",
    rule: "authorize.resource-allowed",
    options,
    run: asks(written({ type: "report" }), "web", { resource: "https://pay.example" }),
    expect: sentBack("invalid_target", "A resource is unknown or not allowed."),
  },
]

const held = withDetails({ settings: { require_protected_authorization_details: true } })
const must = sentBack("invalid_request", "The authorization_details must be pushed, or in a signed request object.")

const protectedCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9396 §12: refuses details that a browser brings in a query, where they must be protected",
    rule: "authorize.details-protected",
    options: held,
    run: asks(written(accounts("a"))),
    expect: must,
  },
  {
    title: "RFC 9396 §12: refuses details that a browser brings in a form, where they must be protected",
    rule: "authorize.details-protected",
    options: held,
    run: async (w) => {
      const visitor = await signedIn(w)
      return visitor.post("/connect/authorize", request("web", { authorization_details: written(accounts("a")) }))
    },
    expect: must,
  },
  {
    title: "RFC 9396 §12: holds one client to it",
    rule: "authorize.details-protected",
    options: {
      ...options,
      clients: (options.clients ?? []).map((each) =>
        each.client_id === "web" ? { ...each, require_protected_authorization_details: true } : each,
      ),
    },
    run: asks(written(accounts("a"))),
    expect: must,
  },
  {
    title: "RFC 9396 §12: a profile holds its clients to it",
    rule: "authorize.details-protected",
    options: {
      ...options,
      clients: (options.clients ?? []).map((each) => (each.client_id === "web" ? { ...each, profile: "fapi1-advanced" } : each)),
      rulesOff: ["authorize.request-object-required", "authorize.response-mode-profile"],
    },
    run: asks(written(accounts("a"))),
    expect: must,
  },
  {
    title: "RFC 9396 §12: takes details that were pushed",
    rule: undefined,
    options: held,
    run: async (w) => {
      const visitor = await signedIn(w)
      const pushed = await post(w, "/connect/par", "web", request("web", { authorization_details: written(accounts("a")) }))
      return authorize(visitor, "web", { request_uri: String(pushed.json?.["request_uri"]) })
    },
    expect: { status: 303, params: { state: "st" } },
  },
  {
    title: "RFC 9126 §2.1: refuses faulty details where they are pushed",
    rule: "authorize.details-type",
    options,
    run: (w) => post(w, "/connect/par", "web", request("web", { authorization_details: written({ type: "loan" }) })),
    expect: refused(error, invalid("[0] has an unknown type")),
  },
]

const unsigned =
  (details: unknown, more: object = {}) =>
  (w: World) =>
    signedIn(w).then((visitor) =>
      authorize(visitor, "web", {
        request: [
          Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url"),
          Buffer.from(JSON.stringify({ ...request("web"), authorization_details: details, ...more })).toString("base64url"),
          "",
        ].join("."),
      }),
    )

const takesUnsigned = (settings: object = {}) => ({
  ...withDetails({ settings: { ...settings } }),
  clients: (options.clients ?? []).map((each) =>
    each.client_id === "web" ? { ...each, request_object_signing_alg: "none" as const } : each,
  ),
})

const objectCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9396 §12: refuses details in a request object that nobody signed, where they must be protected",
    rule: "request-object.details-signed",
    options: takesUnsigned({ require_protected_authorization_details: true }),
    run: unsigned([accounts("a")]),
    expect: sentBack("invalid_request_object", "The request object is not valid."),
  },
  {
    title: "RFC 9101 §4: takes details as an array of a request object",
    rule: undefined,
    options: takesUnsigned(),
    run: unsigned([accounts("a")]),
    expect: { status: 303, params: { state: "st" } },
  },
]

/** A code of details that were granted. */
const granted = (w: World, details: string, more: Record<string, string> = {}, clientId = "web") =>
  codeFor(w, clientId, { scope: "openid offline_access", authorization_details: details, ...more })

const narrowing = (title: string, had: unknown, wanted: unknown): Case => ({
  title,
  rule: "code.details-narrow",
  options,
  run: async (w) => redeem(w, await granted(w, JSON.stringify(had)), "web", { authorization_details: JSON.stringify(wanted) }),
  expect: refused(error, invalid("[0] goes beyond what was granted")),
})

const tokenFault = (rule: string, details: string, problem: string): ReadonlyArray<Case> => [
  {
    title: `RFC 9396 §6: at the token endpoint a code's request has ${problem}`,
    rule: `code.${rule}`,
    options,
    run: async (w) => redeem(w, await granted(w, written(accounts("a"))), "web", { authorization_details: details }),
    expect: refused(error, invalid(problem)),
  },
  {
    title: `RFC 9396 §6: at the token endpoint a refresh has ${problem}`,
    rule: `refresh.${rule}`,
    options,
    run: async (w) => {
      const { json } = await redeem(w, await granted(w, written(accounts("a"))))
      return refresh(w, String(json?.["refresh_token"]), "web", { authorization_details: details })
    },
    expect: refused(error, invalid(problem)),
  },
  {
    title: `RFC 9396 §6: a client's own request has ${problem}`,
    rule: `client-credentials.${rule}`,
    options,
    run: (w) => token(w, "machine", { grant_type: "client_credentials", authorization_details: details }),
    expect: refused(error, invalid(problem)),
  },
  {
    title: `RFC 9396 §3: a device's request has ${problem}`,
    rule: `device-authorization.${rule}`,
    options,
    run: (w) => post(w, "/connect/deviceauthorization", "tv", { authorization_details: details }),
    expect: refused(error, invalid(problem)),
  },
  {
    title: `RFC 9396 §6: a device that fetches its tokens has ${problem}`,
    rule: `device.${rule}`,
    options,
    run: async (w) => {
      const code = await approvedDevice(w, { authorization_details: written(accounts("a")) })
      return token(w, "tv", { ...code, authorization_details: details })
    },
    expect: refused(error, invalid(problem)),
  },
]

/** A device that a person has let in. */
export const approvedDevice = async (w: World, fields: Record<string, string>): Promise<Record<string, string>> => {
  const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid offline_access", ...fields })
  const visitor: Visitor = w.visitor()
  await signIn(visitor)
  const confirm = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
  await visitor.submit(confirm.page, [["decision", "allow"]])
  w.pass(6)
  return { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json?.["device_code"]) }
}

const tokenCases: ReadonlyArray<Case> = [
  ...tokenFault("details-form", "{", "it is not JSON"),
  ...tokenFault("details-type", written({ type: "loan" }), "[0] has an unknown type"),
  ...tokenFault("details-fields", written({ type: "report", pages: 0 }), "[0].pages must be a whole number from 1 to 100"),
  narrowing("RFC 9396 §6.1: a token request cannot ask for another account", [accounts("a", "b")], [accounts("a", "c")]),
  narrowing("RFC 9396 §6.1: a token request cannot ask for a type that was not granted", [accounts("a")], [{ type: "report" }]),
  narrowing("RFC 9396 §6.1: a token request cannot leave out a restriction", [{ ...accounts("a"), until: "2026-12-31" }], [accounts("a")]),
  narrowing(
    "RFC 9396 §6.1: a token request cannot ask for longer",
    [{ ...accounts("a"), until: "2026-12-31" }],
    [{ ...accounts("a"), until: "2027-01-01" }],
  ),
  narrowing(
    "RFC 9396 §6.1: a token request cannot ask for more places",
    [{ ...accounts("a"), locations: ["https://pay.example"] }],
    [{ ...accounts("a"), locations: ["https://pay.example", "https://accounts.example"] }],
  ),
  narrowing(
    "RFC 9396 §6.1: a token request cannot ask for what had no details",
    [{ type: "report", pages: 3 }],
    [{ type: "report", pages: 4 }],
  ),
  {
    title: "RFC 9396 §6.1: two details do not fit into one",
    rule: "code.details-narrow",
    options,
    run: async (w) =>
      redeem(w, await granted(w, written({ type: "report", pages: 50 })), "web", {
        authorization_details: written({ type: "report", pages: 50 }, { type: "report", pages: 49 }),
      }),
    expect: refused(error, invalid("[1] goes beyond what was granted")),
  },
  {
    title: "RFC 9396 §6.1: a refresh cannot ask for more than was granted, whatever an earlier one had",
    rule: "refresh.details-narrow",
    options,
    run: async (w) => {
      const { json } = await redeem(w, await granted(w, written(accounts("a", "b"))), "web", {
        authorization_details: written(accounts("a")),
      })
      return refresh(w, String(json?.["refresh_token"]), "web", { authorization_details: written(accounts("a", "b", "c")) })
    },
    expect: refused(error, invalid("[0] goes beyond what was granted")),
  },
  {
    title: "RFC 9396 §6.1: a device cannot ask for more than its person allowed",
    rule: "device.details-narrow",
    options,
    run: async (w) => {
      const code = await approvedDevice(w, { authorization_details: written(accounts("a")) })
      return token(w, "tv", { ...code, authorization_details: written(accounts("b")) })
    },
    expect: refused(error, invalid("[0] goes beyond what was granted")),
  },
  {
    title: "RFC 9396 §6: a client has no detail for itself that needs a person",
    rule: "client-credentials.details-no-person",
    options,
    run: (w) => token(w, "machine", { grant_type: "client_credentials", authorization_details: written({ type: "report" }, payment()) }),
    expect: refused(error, invalid("[1] needs a person")),
  },
  {
    title: "RFC 9396 §6: a grant that nobody is asked by takes no details",
    rule: "token.details-taken",
    options,
    run: (w) =>
      token(w, "ropc", {
        grant_type: "password",
        username: "alice",
        password: "correct horse",
        authorization_details: written(accounts("a")),
      }),
    expect: refused(error, "This grant_type takes no authorization_details."),
  },
]

const ownPage = withDetails({ interactions: { signIn: "/own/sign-in", consent: "/own/consent", device: "/own/device" } })

const answering =
  (consent: object) =>
  async (w: World): Promise<Said> => {
    const at = await atConsent(w, { scope: "openid", authorization_details: written(payment("100.00")) })
    return answer(w, await waitingAt(w, at.visitor, at.target), { consent })
  }

const wrong: Expectation = shown("request_invalid", "invalid_request")

const ownPageCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9396 §7: a page of an embedder's own cannot allow more than was asked for",
    rule: "interaction.consent-details",
    options: ownPage,
    run: answering({ scopes: ["openid"], details: [payment("100.01")] }),
    expect: wrong,
  },
  {
    title: "RFC 9396 §7: a page of an embedder's own cannot allow what is no detail",
    rule: "interaction.consent-details",
    options: ownPage,
    run: answering({ scopes: ["openid"], details: [null, 3] }),
    expect: wrong,
  },
  {
    title: "RFC 9396 §7: details of an answer are a list",
    rule: "interaction.consent-scopes",
    options: ownPage,
    run: answering({ scopes: ["openid"], details: payment() }),
    expect: wrong,
  },
  {
    title: "RFC 9396 §7: a page of an embedder's own may allow less",
    rule: undefined,
    options: ownPage,
    run: answering({ scopes: ["openid"], details: [payment("99.99")] }),
    expect: { status: 303, params: { state: "st" } },
  },
]

const withoutTypes: ReadonlyArray<Case> = [
  {
    title: "RFC 9396 §5: a provider without types knows none",
    rule: "authorize.details-type",
    options: { more: { resources: detailResources } },
    run: asks(written(payment())),
    expect: sentBack(error, invalid("[0] has an unknown type")),
  },
]

/** Cases of authorization details. */
export const cases: ReadonlyArray<Case> = [
  ...authorizeCases,
  ...protectedCases,
  ...objectCases,
  ...tokenCases,
  ...ownPageCases,
  ...withoutTypes,
]
