import { authorize, claimsOf, codeFor, follow, redeem, refresh, request, signIn, signedIn, userinfo } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, clients, password } from "../support/world.ts"
import { type Case, type Expectation, page, sentBack } from "./case.ts"

const asking = (claims: unknown, more: Readonly<Record<string, string>> = {}) => ({
  scope: "openid",
  claims: typeof claims === "string" ? claims : JSON.stringify(claims),
  ...more,
})

const signedInAsks =
  (claims: unknown, clientId = "web") =>
  async (w: World) =>
    authorize(await signedIn(w), clientId, asking(claims))

const tokens = async (w: World, claims: unknown, more: Readonly<Record<string, string>> = {}, clientId = "web") => {
  const answer = await redeem(w, await codeFor(w, clientId, asking(claims, more)), clientId)
  return answer.json as { readonly access_token: string; readonly id_token: string }
}

/** Shows claims of an ID token as if they were the answer. */
const asJson = (claims: Record<string, unknown>): Said => ({
  status: 200,
  header: () => undefined,
  json: claims,
  page: undefined,
  to: undefined,
  params: {},
  body: "",
})

/** Only whether these names are there. */
const names = (of: Record<string, unknown> | undefined, wanted: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(wanted.map((name) => [name, of !== undefined && name in of]))

const malformed = sentBack("invalid_request", "The claims parameter cannot be read.")

const consent = async (w: World, allow: ReadonlyArray<string>): Promise<Visitor> => {
  const visitor = await signedIn(w)
  const shown = await authorize(visitor, "asks", asking({ userinfo: { email: null, birthdate: null } }))
  await visitor.submit(shown.page, [["decision", "allow"], ...allow.map((scope) => ["scope", scope] as const)])
  return visitor
}

const acr = (values: ReadonlyArray<string>, essential = true) => ({ id_token: { acr: { essential, values } } })
const unmet: Expectation = sentBack("unmet_authentication_requirements", "The sign-in does not meet what the client asks for.")

/** The claims parameter: OpenID Connect Core §5.5; languages of claims §5.2. */
export const cases: ReadonlyArray<Case> = [
  ...[
    "x",
    "[]",
    "null",
    '"a"',
    '{"userinfo":[]}',
    '{"id_token":{"email":"yes"}}',
    '{"id_token":{"email":{"essential":"yes"}}}',
    '{"userinfo":{"email":{"values":"a"}}}',
  ].map((claims): Case => ({
    title: `OpenID Connect Core §5.5: ${claims} is no claims parameter`,
    rule: "authorize.claims-form",
    run: signedInAsks(claims),
    expect: malformed,
  })),
  {
    title: "OpenID Connect Core §5.5: members it does not define are ignored",
    rule: undefined,
    run: async (w) =>
      userinfo(w, (await tokens(w, { verified_claims: 1, userinfo: { email: { essential: true, purpose: "x" } } })).access_token),
    expect: { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  },
  {
    title: "OpenID Connect Core §5.5: a claim asked for of userinfo is there without its scope, and its neighbors are not",
    rule: undefined,
    run: async (w) => {
      const answer = await userinfo(w, (await tokens(w, { userinfo: { email: null } })).access_token)
      return { ...answer, json: names(answer.json, ["sub", "email", "email_verified", "name"]) }
    },
    expect: { status: 200, json: { sub: true, email: true, email_verified: false, name: false } },
  },
  {
    title: "OpenID Connect Core §5.5: a claim asked for of the ID token is there, although an access token was issued, and not at userinfo",
    rule: undefined,
    run: async (w) => {
      const { access_token, id_token } = await tokens(w, { id_token: { given_name: { essential: true } } })
      return asJson({
        ...names(claimsOf(id_token), ["given_name", "name"]),
        ...names((await userinfo(w, access_token)).json, ["family_name", "sub"]),
      })
    },
    expect: { status: 200, json: { given_name: true, name: false, family_name: false, sub: true } },
  },
  {
    title: "OpenID Connect Core §5.5: a claim of a scope that the client is not allowed is not released",
    rule: undefined,
    options: { clients: clients.map((each) => (each.client_id === "web" ? { ...each, scope: "openid profile" } : each)) },
    run: async (w) => {
      const answer = await userinfo(w, (await tokens(w, { userinfo: { email: { essential: true }, name: null } })).access_token)
      return { ...answer, json: names(answer.json, ["email", "name"]) }
    },
    expect: { status: 200, json: { email: false, name: true } },
  },
  {
    title: "OpenID Connect Core §5.5, §3.1.2.4: the consent page names a claim that no requested scope gives",
    rule: "person.consented",
    run: signedInAsks({ userinfo: { email: null } }, "asks"),
    expect: page("Consent", 200, { scopes: [{ name: "openid" }, { name: "claim email", kind: "claim", title: "email", required: false }] }),
  },
  {
    title: "OpenID Connect Core §5.5: a claim that was unticked is not released",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const shown = await authorize(visitor, "asks", asking({ userinfo: { email: null, given_name: null } }))
      const back = await follow(
        visitor,
        await visitor.submit(shown.page, [
          ["decision", "allow"],
          ["scope", "claim given_name"],
        ]),
      )
      const { json } = await redeem(w, String(back.params["code"]), "asks")
      const answer = await userinfo(w, String(json?.["access_token"]))
      return { ...answer, json: names(answer.json, ["email", "given_name"]) }
    },
    expect: { status: 200, json: { email: false, given_name: true } },
  },
  ...(
    [
      ["is not released, neither by userinfo nor in the ID token", ["email"], false],
      ["is released once the scope is allowed", ["email", "profile"], true],
    ] as const
  ).map(([what, allowed, isReleased]): Case => ({
    title: `OpenID Connect Core §3.1.2.4, §5.5: a claim asked for by name, of a scope that the person may untick, ${what}`,
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const claims = { userinfo: { name: { essential: true } }, id_token: { given_name: null } }
      const shown = await authorize(visitor, "asks", asking(claims, { scope: "openid profile email" }))
      const scopes = ["openid", ...allowed].map((name) => ["scope", name] as const)
      const back = await follow(visitor, await visitor.submit(shown.page, [["decision", "allow"], ...scopes]))
      const { json } = await redeem(w, String(back.params["code"]), "asks")
      const answer = await userinfo(w, String(json?.["access_token"]))
      const idToken = names(claimsOf(String(json?.["id_token"])), ["given_name"])
      return { ...answer, json: { ...names(answer.json, ["email", "name"]), ...idToken } }
    },
    expect: { status: 200, json: { email: true, name: isReleased, given_name: isReleased } },
  })),
  {
    title: "OpenID Connect Core §5.5: a claim asked for by name is released no longer once its scope was taken from the client",
    rule: undefined,
    run: async (w) => {
      const claims = { userinfo: { email: null, name: null }, id_token: { email: null, name: null } }
      const first = await redeem(w, await codeFor(w, "web", asking(claims, { scope: "openid offline_access" })), "web")
      const web = w.clients.get("web")
      if (web !== undefined) w.clients.set("web", { ...web, scope: web.scope.filter((name) => name !== "email") })
      const { json } = await refresh(w, String(first.json?.["refresh_token"]), "web")
      const answer = await userinfo(w, String(json?.["access_token"]))
      const { email, name } = claimsOf(String(json?.["id_token"]))
      return { ...answer, json: { ...names(answer.json, ["email", "name"]), idToken: [email === undefined, name === undefined] } }
    },
    expect: { status: 200, json: { email: false, name: true, idToken: [true, false] } },
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a consent to a claim is remembered",
    rule: undefined,
    run: async (w) => authorize(await consent(w, ["claim email", "claim birthdate"]), "asks", asking({ userinfo: { email: null } })),
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a remembered consent does not cover a claim that it does not name",
    rule: "person.consented",
    run: async (w) => authorize(await consent(w, ["claim email"]), "asks", asking({ id_token: { phone_number: null } })),
    expect: page("Consent"),
  },
  {
    title: "OpenID Connect Core §5.2: a claim in a language asked for comes besides the plain one",
    rule: undefined,
    run: async (w) => {
      const alice = w.people.get("sub-alice")
      if (alice !== undefined)
        w.people.set("sub-alice", { ...alice, claims: { ...alice.claims, "name#ja": "蟻アリス", "name#de": "Alice Ameise" } })
      const answer = await userinfo(w, (await tokens(w, {}, { scope: "openid profile", claims_locales: "ja fr" })).access_token)
      return { ...answer, json: { ...names(answer.json, ["name#de"]), name: answer.json?.["name"], "name#ja": answer.json?.["name#ja"] } }
    },
    expect: { status: 200, json: { name: "Alice Ant", "name#ja": "蟻アリス", "name#de": false } },
  },
  {
    title: "OpenID Connect Core §5.5.1: a sub asked for by value is the session's",
    rule: undefined,
    run: signedInAsks({ id_token: { sub: { value: "sub-alice" } } }),
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "OpenID Connect Core §5.5.1: a sub asked for by value that is not the session's person's means signing in",
    rule: "person.hinted",
    run: signedInAsks({ id_token: { sub: { value: "sub-bob" } } }),
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §5.5.1.1: an essential acr that the session has not reached means signing in",
    rule: "person.acr-essential",
    run: signedInAsks(acr(["urn:example:gold"])),
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §5.5.1.1: one that the new sign-in does not reach either is refused",
    rule: "person.acr-essential",
    run: async (w) => {
      const visitor = await signedIn(w)
      const shown = await authorize(visitor, "web", asking(acr(["urn:example:gold"])))
      return follow(
        visitor,
        await visitor.submit(shown.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
    },
    expect: unmet,
  },
  {
    title: "OpenID Connect Core §5.5.1.1: one that the session has reached will do",
    rule: undefined,
    options: {
      authenticator: {
        verify: () => ({
          _tag: "Verified",
          person: { subject: "sub-alice", username: "alice", active: true, claims: {} },
          amr: ["hwk"],
          acr: "urn:example:gold",
        }),
      },
    },
    run: async (w) => {
      const visitor = w.visitor()
      await signIn(visitor)
      const back = await follow(
        visitor,
        await visitor.get("/connect/authorize", request("web", asking(acr(["urn:example:silver", "urn:example:gold"])))),
      )
      return asJson(claimsOf(String((await redeem(w, String(back.params["code"]))).json?.["id_token"])))
    },
    expect: { status: 200, json: { acr: "urn:example:gold", amr: ["hwk"] } },
  },
  {
    title: "OpenID Connect Core §5.5.1: an acr that is not essential does not stop anybody",
    rule: undefined,
    run: signedInAsks(acr(["urn:example:gold"], false)),
    expect: { status: 303, to: "https://app.example/cb" },
  },
]
