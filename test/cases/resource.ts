import { authorize, claimsOf, codeFor, follow, redeem, refresh, request, signedIn, token, userinfo } from "../support/flows.ts"
import { type World, clients } from "../support/world.ts"
import { type Case, type Expectation, refused, sentBack } from "./case.ts"

const api = "https://api.example"
const billing = "https://billing.example"
const form = "A resource must be an absolute URI without a fragment."
const unknown = "A resource is unknown or not allowed."
const scope = "openid offline_access api.read api.write billing"

const ask =
  (resource: string, changes: Readonly<Record<string, string>> = {}) =>
  async (w: World) =>
    authorize(await signedIn(w), "web", { resource, ...changes })
/** The access token's claims as JSON, so that a case can state them. */
const opened = (answer: Awaited<ReturnType<typeof redeem>>) => ({
  ...answer,
  json: answer.status === 200 ? { ...claimsOf(String(answer.json?.["access_token"])), answered: answer.json?.["scope"] } : answer.json,
})

/** A code for two resources. */
const both = async (w: World): Promise<string> => {
  const visitor = await signedIn(w)
  const answer = await follow(
    visitor,
    await visitor.get("/connect/authorize", [...Object.entries(request("web", { scope })), ["resource", api], ["resource", billing]]),
  )
  return answer.params["code"] ?? ""
}

const narrowed: Expectation = { status: 200, json: { aud: api, scope: "api.read api.write", answered: "api.read api.write" } }

/** Resource indicators: specification §2.1, §2.2 resource; RFC 8707. */
export const cases: ReadonlyArray<Case> = [
  ...[`${api}/`, "https://API.example"].flatMap((resource): ReadonlyArray<Case> => [
    {
      title: `RFC 8707 §2: ${resource} is another resource than ${api}`,
      rule: "authorize.resource-allowed",
      run: ask(resource),
      expect: sentBack("invalid_target", unknown),
    },
    {
      title: `MCP 2026-07-28: of the profile mcp, ${resource} is ${api}, and the token names the declared form`,
      rule: undefined,
      options: { clients: clients.map((each) => (each.client_id === "web" ? { ...each, profile: "mcp" } : each)) },
      run: async (w) => opened(await redeem(w, await codeFor(w, "web", { resource, scope: "openid api.read" }), "web", { resource })),
      expect: { status: 200, json: { aud: api } },
    },
  ]),
  ...["nonsense", "/relative", `${api}#fragment`].map((resource): Case => ({
    title: `RFC 8707 §2: ${resource} is no resource indicator`,
    rule: "authorize.resource-form",
    run: ask(resource),
    expect: sentBack("invalid_target", form),
  })),
  {
    title: "RFC 8707 §2: an unknown resource is refused",
    rule: "authorize.resource-allowed",
    run: ask("https://nowhere.example"),
    expect: sentBack("invalid_target", unknown),
  },
  {
    title: "RFC 8707 §2: a resource that no requested scope belongs to is refused",
    rule: "authorize.resource-allowed",
    run: ask(billing, { scope: "openid api.read" }),
    expect: sentBack("invalid_target", unknown),
  },
  {
    title: "RFC 8707 §2: a resource none of whose scopes the client may have is refused",
    rule: "authorize.resource-allowed",
    options: {
      clients: [
        {
          client_id: "web",
          client_secret: "s",
          redirect_uris: ["https://app.example/cb"],
          scope: "openid api.read",
          require_consent: false,
        },
      ],
    },
    run: ask(billing),
    expect: sentBack("invalid_target", unknown),
  },
  {
    title: "RFC 8707 §2.2: without a resource at the token endpoint the token is for all that authorize asked for; identity scopes stay",
    rule: undefined,
    run: async (w) => opened(await redeem(w, await codeFor(w, "web", { scope, resource: api }))),
    expect: { status: 200, json: { aud: api, scope: "openid offline_access api.read api.write" } },
  },
  {
    title: "RFC 8707 §2.2: one of two resources narrows audience and scopes",
    rule: undefined,
    run: async (w) => opened(await redeem(w, await both(w), "web", { resource: api })),
    expect: narrowed,
  },
  {
    title: "RFC 8707 §2.2: a refresh token may ask for the other resource",
    rule: undefined,
    run: async (w) =>
      opened(
        await refresh(w, String((await redeem(w, await both(w), "web", { resource: api })).json?.["refresh_token"]), "web", {
          resource: billing,
        }),
      ),
    expect: { status: 200, json: { aud: billing, scope: "billing" } },
  },
  {
    title: "specification §2.2: at the token endpoint a resource not granted at authorize is refused",
    rule: "code.resource-allowed",
    run: async (w) => redeem(w, await codeFor(w, "web", { scope, resource: api }), "web", { resource: billing }),
    expect: refused("invalid_target", unknown),
  },
  {
    title: "RFC 8707 §2: at the token endpoint too a resource is an absolute URI",
    rule: "code.resource-form",
    run: async (w) => redeem(w, await codeFor(w), "web", { resource: "nonsense" }),
    expect: refused("invalid_target", form),
  },
  {
    title: "specification §2.2: a refresh cannot reach a resource not granted",
    rule: "refresh.resource-allowed",
    run: async (w) =>
      refresh(w, String((await redeem(w, await codeFor(w, "web", { scope, resource: api }))).json?.["refresh_token"]), "web", {
        resource: billing,
      }),
    expect: refused("invalid_target", unknown),
  },
  {
    title: "RFC 8707 §2: at refresh too a resource is an absolute URI",
    rule: "refresh.resource-form",
    run: async (w) =>
      refresh(w, String((await redeem(w, await codeFor(w, "web", { scope }))).json?.["refresh_token"]), "web", { resource: "nonsense" }),
    expect: refused("invalid_target", form),
  },
  {
    title: "RFC 8707 §2.2: where authorize named no resource, any that the granted scopes reach may be asked for",
    rule: undefined,
    run: async (w) => opened(await redeem(w, await codeFor(w, "web", { scope }), "web", { resource: api })),
    expect: narrowed,
  },
  {
    title: "RFC 8707 §2.2: a machine narrows its token",
    rule: undefined,
    run: async (w) => opened(await token(w, "web", { grant_type: "client_credentials", resource: api })),
    expect: narrowed,
  },
  {
    title: "RFC 8707 §2: a machine's resource is an absolute URI",
    rule: "client-credentials.resource-form",
    run: (w) => token(w, "machine", { grant_type: "client_credentials", resource: "nonsense" }),
    expect: refused("invalid_target", form),
  },
  {
    title: "RFC 8707 §2: a machine cannot reach a resource it has no scope of",
    rule: "client-credentials.resource-allowed",
    run: (w) => token(w, "machine", { grant_type: "client_credentials", resource: billing }),
    expect: refused("invalid_target", unknown),
  },
  {
    title: "RFC 9700 §2.3: a token narrowed to a resource is of no use at userinfo",
    rule: "userinfo.openid-scope",
    run: async (w) => userinfo(w, String((await redeem(w, await both(w), "web", { resource: api })).json?.["access_token"])),
    expect: refused("insufficient_scope", "The scope openid is needed.", 403),
  },
]
