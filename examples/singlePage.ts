/**
 * Sign-in and consent in a single-page application: the page asks for the interaction as JSON and posts its answers as JSON; the provider tells it where to go
 * next. Everything is `Request` and `Response`, for any runtime and any framework.
 */
import type { InteractionAnswer, Provider } from "@postern/core"

/** Pass this to `createProvider({ interactions })`: one page does both. */
export const interactions = { signIn: "/app", consent: "/app" }

const script = `
const id = new URLSearchParams(location.search).get("interaction")
const api = (path, body) => fetch(path + "?interaction=" + encodeURIComponent(id), {
  method: body ? "POST" : "GET",
  headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
  body: body && JSON.stringify(body),
}).then((response) => response.json())
const element = (tag, members) => Object.assign(document.createElement(tag), members)
const main = document.querySelector("main")
const go = (answer) => {
  if (answer.location) return location.assign(answer.location)
  main.append(element("p", { id: "problem", textContent: answer.error_description }))
}
const asked = await api("/api/interaction")
main.replaceChildren(element("h1", { textContent: asked.need === "refused" ? asked.description : (asked.client?.name ?? "Sign in") }))
if (asked.need === "nothing") go(asked)
if (asked.need === "sign_in") {
  const name = element("input", { id: "name", value: asked.signIn.loginHint ?? "" })
  const password = element("input", { id: "password", type: "password" })
  const button = element("button", { id: "sign-in", textContent: "Sign in" })
  button.onclick = () => api("/api/sign-in", { csrf: asked.csrf, username: name.value, password: password.value }).then(go)
  main.append(name, password, button)
}
if (asked.need === "consent") {
  const boxes = asked.consent.scopes.map(({ name, required }) => element("input", { type: "checkbox", value: name, checked: true, disabled: required }))
  const answer = (body) => api("/api/consent", { csrf: asked.csrf, ...body }).then(go)
  const allow = element("button", { id: "allow", textContent: "Allow" })
  allow.onclick = () => answer({ scopes: boxes.filter((box) => box.checked).map((box) => box.value) })
  const deny = element("button", { id: "deny", textContent: "Do not" })
  deny.onclick = () => answer({ deny: true })
  main.append(...boxes, allow, deny)
}
`

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><main></main><script type="module" src="/app.js"></script></html>`

/** The members of a JSON object; none of anything else. A form of another site has not this media type, and without a token the provider's rules refuse it. */
const bodyOf = async (request: Request): Promise<Readonly<Record<string, unknown>>> => {
  if (!/^application\/json *(?:;|$)/i.test(request.headers.get("content-type") ?? "")) return {}
  const body: unknown = await request.json().catch(() => undefined)
  return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
}

/** Answers the application's own paths; undefined for the provider's. */
const own = async (provider: Provider, check: (username: unknown, password: unknown) => string | undefined, request: Request) => {
  const { pathname } = new URL(request.url)
  if (pathname === "/app")
    return new Response(page, {
      headers: {
        "content-type": "text/html",
        "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
      },
    })
  if (pathname === "/app.js") return new Response(script, { headers: { "content-type": "text/javascript" } })
  if (pathname === "/api/interaction")
    return Response.json(await provider.interaction(request), { headers: { "cache-control": "no-store" } })
  if (request.method !== "POST" || !["/api/sign-in", "/api/consent"].includes(pathname)) return undefined
  const body = await bodyOf(request)
  const csrf = typeof body["csrf"] === "string" ? body["csrf"] : ""
  if (pathname === "/api/sign-in") {
    const subject = check(body["username"], body["password"])
    if (subject === undefined) return Response.json({ error_description: "That did not work." }, { status: 400 })
    return provider.resume(request, { csrf, signIn: { subject, amr: ["pwd"] } })
  }
  const answer = body["deny"] === true ? { csrf, deny: true } : { csrf, consent: { scopes: body["scopes"] } }
  // The provider's rules judge what a browser sent.
  return provider.resume(request, answer as InteractionAnswer)
}

/** Serves the application with the provider behind it. */
export const application =
  (provider: Provider, check: (username: unknown, password: unknown) => string | undefined) =>
  async (request: Request): Promise<Response> =>
    (await own(provider, check, request)) ?? provider.fetch(request)
