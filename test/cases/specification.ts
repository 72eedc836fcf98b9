import { authorize, claimsOf, follow, redeem, request, signedIn } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, password } from "../support/world.ts"
import { type Case, page, sentBack } from "./case.ts"

/** Parameters that each response type of the specification answers with, beside `state` and `iss`. */
const answers: Readonly<Record<string, ReadonlyArray<string>>> = {
  code: ["code"],
  id_token: ["id_token"],
  token: ["access_token", "expires_in", "scope", "token_type"],
  "id_token token": ["access_token", "expires_in", "id_token", "scope", "token_type"],
  "code id_token": ["code", "id_token"],
  "code id_token token": ["access_token", "code", "expires_in", "id_token", "scope", "token_type"],
}
const responseTypes = Object.keys(answers)

/** A request of a response type that can be granted as it stands. */
const fitting = (response_type: string): Readonly<Record<string, string>> => ({
  response_type,
  scope: response_type === "token" ? "api.read" : "openid",
  nonce: "n-1",
})

/** Tells the way of an answer: in the query, in the fragment, or as the fields of a form. */
const carrier = ({ page, header }: Said): string => {
  if (page?.["_tag"] === "FormPost") return "form_post"
  return (header("location") ?? "").includes("#") ? "fragment" : "query"
}

const modes = (response_type: string): ReadonlyArray<string> =>
  response_type === "code" ? ["query", "fragment", "form_post"] : ["fragment", "form_post"]

const ask = async (w: World, changes: Readonly<Record<string, string | undefined>>): Promise<Said> =>
  authorize(await signedIn(w), "hybrid", changes)

const responseCases: ReadonlyArray<Case> = responseTypes.flatMap((response_type) =>
  [undefined, "form_post"].map((response_mode): Case => ({
    title: `specification §2.1 response_type: ${response_type} ${response_mode === undefined ? "without a response_mode" : "by form_post"} gives what it names, state and iss, and nothing else`,
    rule: undefined,
    run: async (w) => {
      const answer = await ask(w, { ...fitting(response_type), response_mode })
      return { ...answer, json: { carrier: carrier(answer), names: Object.keys(answer.params).sort().join(" ") } }
    },
    expect: {
      status: response_mode === undefined ? 303 : 200,
      json: {
        carrier: response_mode ?? (response_type === "code" ? "query" : "fragment"),
        names: [...(answers[response_type] ?? []), "iss", "state"].sort().join(" "),
      },
    },
  })),
)

const stateCases: ReadonlyArray<Case> = responseTypes.flatMap((response_type) =>
  modes(response_type).flatMap((response_mode) => [
    {
      title: `specification §2.1 state: comes back with ${response_type} by ${response_mode}; without one none does`,
      rule: undefined,
      run: async (w) => {
        const without = await ask(w, { ...fitting(response_type), response_mode, state: undefined })
        const answer = await ask(w, { ...fitting(response_type), response_mode, state: "s t&=#" })
        return { ...answer, json: { carrier: carrier(answer), without: "state" in without.params } }
      },
      expect: {
        status: response_mode === "form_post" ? 200 : 303,
        params: { state: "s t&=#" },
        json: { carrier: response_mode, without: false },
      },
    } satisfies Case,
    {
      title: `specification §2.1 state: comes back with the error of ${response_type} by ${response_mode}; without one none does`,
      rule: "authorize.scope-allowed",
      run: async (w) => {
        const wrong = { ...fitting(response_type), response_mode, scope: "nonsense" }
        const without = await ask(w, { ...wrong, state: undefined })
        const answer = await ask(w, { ...wrong, state: "s t&=#" })
        return { ...answer, json: { carrier: carrier(answer), without: "state" in without.params } }
      },
      expect: {
        status: response_mode === "form_post" ? 200 : 303,
        params: { error: "invalid_scope", error_description: "A scope is unknown or not allowed for this client.", state: "s t&=#" },
        json: { carrier: response_mode, without: false },
      },
    } satisfies Case,
  ]),
)

const nonceCases: ReadonlyArray<Case> = [
  ...responseTypes
    .filter((each) => each.includes("id_token"))
    .map((response_type): Case => ({
      title: `specification §2.1 nonce: is in the ID token that comes with ${response_type}`,
      rule: undefined,
      run: async (w) => {
        const answer = await ask(w, { ...fitting(response_type), nonce: "n ü&=" })
        return { ...answer, json: { nonce: claimsOf(answer.params["id_token"] ?? "")["nonce"] } }
      },
      expect: { status: 303, json: { nonce: "n ü&=" } },
    })),
  {
    title: "specification §2.1 nonce: is in the ID token of the token endpoint",
    rule: undefined,
    run: async (w) => {
      const { params } = await ask(w, { ...fitting("code"), nonce: "n ü&=" })
      const answer = await redeem(w, params["code"] ?? "", "hybrid")
      return { ...answer, json: { nonce: claimsOf(String(answer.json?.["id_token"]))["nonce"] } }
    },
    expect: { status: 200, json: { nonce: "n ü&=" } },
  },
  {
    title: "specification §2.1 nonce: the code flow needs none",
    rule: undefined,
    run: (w) => ask(w, { ...fitting("code"), nonce: undefined }),
    expect: { status: 303, params: { state: "st" } },
  },
]

/** An error by form_post: the page that posts itself, and no page that asks anything. */
const posted = (error: string, error_description: string): Case["expect"] => ({
  status: 200,
  page: { _tag: "FormPost", action: "https://app.example/cb" },
  params: { error, error_description, state: "st", iss: "https://op.example" },
})

const promptCases: ReadonlyArray<Case> = [
  {
    title: "specification §4 rule 1: prompt=none without a session is login_required by form_post too",
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor(), "web", { prompt: "none", response_mode: "form_post" }),
    expect: posted("login_required", "The person must sign in."),
  },
  {
    title: "specification §4 rule 1: prompt=none without consent is consent_required by form_post too",
    rule: "person.consented",
    run: async (w) => authorize(await signedIn(w), "asks", { prompt: "none", response_mode: "form_post" }),
    expect: posted("consent_required", "The person must be asked for consent."),
  },
  {
    title: "specification §4 rules 1 and 2: prompt=none with a session older than max_age is login_required, no page",
    rule: "person.max-age",
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(11)
      return authorize(visitor, "web", { prompt: "none", max_age: "10" })
    },
    expect: sentBack("login_required", "The person must sign in."),
  },
  {
    title: "specification §4 rules 2 and 3: signed in again as asked, auth_time is that sign-in's",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const before = w.now()
      w.pass(11)
      const { page: form } = await authorize(visitor, "web", { prompt: "login", max_age: "10" })
      const back = await follow(visitor, await visitor.submit(form, alice))
      const answer = await redeem(w, back.params["code"] ?? "")
      return { ...answer, json: { later: Number(claimsOf(String(answer.json?.["id_token"]))["auth_time"]) - before } }
    },
    expect: { status: 200, json: { later: 11 } },
  },
]

const alice = [
  ["username", "alice"],
  ["password", password],
] as const

/** An authenticator that knows alice in the tenant acme alone. */
export const acmeAlone: WorldOptions = {
  authenticator: {
    verify: ({ tenant }) =>
      tenant === "acme"
        ? { _tag: "Verified", person: { subject: "sub-alice", username: "alice", active: true, claims: {} }, amr: ["pwd"], acr: undefined }
        : { _tag: "Rejected", reason: "no such person in this tenant" },
  },
}

const otherCases: ReadonlyArray<Case> = [
  {
    title: "specification §2.1 acr_values: tenant:NAME reaches the authenticator when the person signs in",
    rule: undefined,
    options: acmeAlone,
    run: async (w) => {
      const visitor = w.visitor()
      const { page: form } = await authorize(visitor, "web", { acr_values: "tenant:acme" })
      return follow(visitor, await visitor.submit(form, alice))
    },
    expect: { status: 303, to: "https://app.example/cb", params: { state: "st" } },
  },
  {
    title: "specification §2.1 acr_values: without tenant:NAME the authenticator hears of none",
    rule: "login.verified",
    options: acmeAlone,
    run: async (w) => {
      const visitor = w.visitor()
      const { page: form } = await authorize(visitor)
      return visitor.submit(form, alice)
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  {
    title: "specification §2.1 scope: several scopes, space separated, are granted as they were asked for",
    rule: undefined,
    run: async (w) => {
      const { params } = await authorize(await signedIn(w), "web", { scope: "openid email api.read" })
      return redeem(w, params["code"] ?? "")
    },
    expect: { status: 200, json: { scope: "openid email api.read" } },
  },
  {
    title: "specification §4: the answer to a GET is a redirect to redirect_uri that is not stored",
    rule: undefined,
    run: async (w) => (await signedIn(w)).get("/connect/authorize", request("web")),
    expect: { status: 303, to: "https://app.example/cb", headers: { "cache-control": "no-store" } },
  },
]

/** Lines of the specification on the authorization endpoint that no other file shows: §2.1, §4. */
export const cases: ReadonlyArray<Case> = [...responseCases, ...stateCases, ...nonceCases, ...promptCases, ...otherCases]
