import type { Message } from "@postern/core"
import { endpoints } from "../support/endpoints.ts"
import { authorize, basic, codeFor, request, signedIn, tokensFor, verifier } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"

/** A request taken apart, so that any part of it can be spoilt. */
export interface Parts {
  readonly method: string
  readonly path: string
  readonly fields: ReadonlyArray<readonly [string, string]>
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The message that parts make: a query for GET, a form for POST. */
export const messageOf = ({ method, path, fields, headers }: Parts): Partial<Message> & { readonly path: string } => {
  const form = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString()
  if (method !== "POST") return { method, path, query: form, headers }
  return { method, path, body: form, headers: { "content-type": "application/x-www-form-urlencoded", ...headers } }
}

type Fields = Parts["fields"]

/**
 * Valid requests of the endpoints by each of their methods, in a world that has all they speak of: a person who is signed in, forms that
 * wait, codes and tokens.
 */
export const validRequests = async (w: World): Promise<ReadonlyArray<Parts>> => {
  const visitor = await signedIn(w)
  const { page: consent } = await authorize(visitor, "asks")
  const { page: home } = await visitor.get("/")
  const { page: logout } = await visitor.get("/logout")
  const code = await codeFor(w, "web", { scope: "openid offline_access" })
  const web = await tokensFor(w, "web")
  const opaque = await tokensFor(w, "opaque")
  const deviceCodes = async () => said(await w.send(messageOf(post("/connect/deviceauthorization", { client_id: "tv" })))).json ?? {}
  const approved = await deviceCodes()
  const { page: approval } = await visitor.get("/device", { user_code: String(approved["user_code"]) })
  await visitor.submit(approval, [["decision", "allow"]])
  const user_code = String((await deviceCodes())["user_code"])
  const { page: confirm } = await visitor.get("/device", { user_code })
  const stranger = w.visitor()
  const { page: login } = await authorize(stranger, "web")

  const cookie = { cookie: cookiesOf(visitor.cookies) }
  const credentials = (id: string) => ({ authorization: basic(id) })
  return [
    get("/connect/authorize", request("web", { nonce: "n", prompt: "none", ui_locales: "de", login_hint: "alice", max_age: "60" }), cookie),
    get(
      "/connect/authorize",
      request("hybrid", { nonce: "n", response_type: "code id_token token", response_mode: "form_post", acr_values: "x tenant:y" }),
      cookie,
    ),
    get(
      "/connect/authorize",
      request("native", { redirect_uri: "http://127.0.0.1:4711/cb", resource: "https://api.example", scope: "api.read" }),
      cookie,
    ),
    post("/connect/authorize", request("web", { scope: "openid profile offline_access", display: "page" }), cookie),
    get("/connect/authorize/resume", Object.fromEntries(hiddenOf(consent)), cookie),
    post(
      "/connect/token",
      { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier },
      credentials("web"),
    ),
    post("/connect/token", { grant_type: "refresh_token", refresh_token: web.refresh_token, scope: "openid" }, credentials("web")),
    post(
      "/connect/token",
      { grant_type: "client_credentials", scope: "api.read", resource: "https://api.example" },
      credentials("machine"),
    ),
    post(
      "/connect/token",
      { grant_type: "password", username: "alice", password, scope: "openid", acr_values: "tenant:x" },
      credentials("ropc"),
    ),
    post("/connect/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(approved["device_code"]),
      client_id: "tv",
    }),
    post("/connect/token", { grant_type: "client_credentials", client_id: "machine", client_secret: "secret of machine" }),
    get("/connect/userinfo", {}, { authorization: `Bearer ${web.access_token}` }),
    post("/connect/userinfo", { access_token: opaque.access_token }),
    post("/connect/revocation", { token: opaque.refresh_token, token_type_hint: "refresh_token" }, credentials("opaque")),
    post("/connect/introspect", { token: opaque.access_token, token_type_hint: "access_token" }, credentials("api")),
    post("/connect/deviceauthorization", { client_id: "tv", scope: "openid email" }),
    get("/device", { user_code }, cookie),
    post("/device", [...hiddenOf(confirm), ["user_code", user_code], ["decision", "allow"]], cookie),
    get("/login", Object.fromEntries(hiddenOf(login)), { cookie: cookiesOf(stranger.cookies) }),
    post("/login", [...hiddenOf(login), ["username", "alice"], ["password", password]], { cookie: cookiesOf(stranger.cookies) }),
    get("/consent", Object.fromEntries(hiddenOf(consent)), cookie),
    post("/consent", [...hiddenOf(consent), ["decision", "allow"], ["scope", "openid"]], cookie),
    get("/", { notice: "session_ended" }, cookie),
    post("/sessions/end", [...hiddenOf(home, "endSession"), ["session", "x"]], cookie),
    post("/consents/withdraw", [...hiddenOf(home, "withdrawConsent"), ["client_id", "asks"]], cookie),
    get("/connect/endsession", { id_token_hint: web.id_token, post_logout_redirect_uri: "https://app.example/out", state: "s" }, cookie),
    post("/connect/endsession", { id_token_hint: web.id_token, client_id: "web", ui_locales: "fr" }, cookie),
    get("/logout", {}, cookie),
    post("/logout", hiddenOf(logout), cookie),
  ]
}

/** The valid requests, and of every endpoint that has none among them one that says all that any of them says. */
export const everyRequest = async (w: World): Promise<ReadonlyArray<Parts>> => {
  const valid = await validRequests(w)
  const fields: Fields = [...new Map(valid.flatMap((each) => each.fields))]
  const others = endpoints.flatMap(({ path, methods }) =>
    methods
      .filter((method) => !valid.some((each) => each.path === path && each.method === method))
      .map((method): Parts => ({ method, path, fields, headers: { authorization: basic("web") } })),
  )
  return [...valid, ...others]
}

const pairs = (fields: Readonly<Record<string, string>> | Fields): Fields => (Array.isArray(fields) ? fields : Object.entries(fields))
const get = (path: string, fields: Readonly<Record<string, string>> | Fields, headers: Parts["headers"] = {}): Parts => ({
  method: "GET",
  path,
  fields: pairs(fields),
  headers,
})
const post = (path: string, fields: Readonly<Record<string, string>> | Fields, headers: Parts["headers"] = {}): Parts => ({
  method: "POST",
  path,
  fields: pairs(fields),
  headers,
})

const cookiesOf = (cookies: ReadonlyMap<string, string>): string => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")

/** The hidden fields of a page's form; a world that changed its pages must say so. */
const hiddenOf = (page: Record<string, unknown> | undefined, name = "form"): Fields => {
  const form = page?.[name] as { readonly hidden: Fields } | undefined
  if (form === undefined) throw new Error(`no form ${name} on the page: ${JSON.stringify(page)}`)
  return form.hidden
}
