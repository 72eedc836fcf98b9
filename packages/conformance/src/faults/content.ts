import { decodeJwt } from "jose"
import { textOf } from "../exchange/exchange.ts"
import { type Change, type Members, at, fault, headed, members, replaced, sent, withStatus, without } from "./change.ts"
import type { Fault } from "./fault.ts"
import { remembering } from "./remembering.ts"

const tokens = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, change: (found: Members) => Members): Fault =>
  fault(
    `token.${id}`,
    title,
    paragraph,
    near,
    at(
      "/connect/token",
      members((found) => (found["access_token"] === undefined ? {} : change(found))),
    ),
  )

const device = (id: string, title: string, paragraph: string, change: Members): Fault =>
  fault(
    `device.${id}`,
    title,
    paragraph,
    ["device"],
    at(
      "/deviceauthorization",
      members(() => change),
    ),
  )

/** Moves an error response from the fragment to the query. */
const errorMoved = sent((to) => {
  if (!to.hash.includes("error=")) return to
  to.search = to.hash.slice(1)
  to.hash = ""
  return to
})

/** Sends the error of a form response in the query. */
const errorByQuery: Change = async (answer) => {
  if (!(answer.headers.get("content-type") ?? "").includes("html")) return answer
  const html = await answer.text()
  return /name="error"/.test(html)
    ? new Response(null, { status: 303, headers: { location: "https://client.conformance.test/callback?error=login_required" } })
    : new Response(html, { status: answer.status, headers: answer.headers })
}

/** Replaces a response JWT with its claims as parameters. */
const unwrapped = sent((to) => {
  const jwt = to.searchParams.get("response")
  if (jwt === null) return to
  to.search = new URLSearchParams(Object.entries(decodeJwt(jwt)).map(([name, value]) => [name, textOf(value)])).toString()
  return to
})

/** Moves a response JWT into the fragment. */
const responseMoved = sent((to) => {
  if (!to.searchParams.has("response")) return to
  to.hash = to.search.slice(1)
  to.search = ""
  return to
})

const uncached = (name: string, path: string, paragraph: string, near: string): Fault =>
  fault(`${near}.cached`, `lets caches keep ${name}`, paragraph, [near], at(path, without("cache-control")))

/** Responses with too little, too much or too short content, or in the wrong place. */
export const contentFaults: ReadonlyArray<Fault> = [
  tokens("refresh-short", "numbers its refresh tokens", "RFC 6749 §10.10", ["refresh"], ({ refresh_token }) =>
    refresh_token === undefined ? {} : { refresh_token: "17" },
  ),
  tokens("refresh-unasked", "gives refresh tokens to everybody", "OpenID Connect Core §11", ["refresh", "id-jag", "id-jag-bearer"], () => ({
    refresh_token: "a token that nobody asked for",
  })),
  tokens("no-expiry", "does not say how long its tokens live", "RFC 6749 §5.1", ["code"], () => ({ expires_in: undefined })),
  fault(
    "token.created",
    "answers with tokens by 201",
    "RFC 6749 §5.1",
    ["code", "mutual-tls", "document", "registration"],
    at("/connect/token", withStatus(200, 201)),
  ),
  fault("redirect.code-short", "numbers its codes", "RFC 6749 §10.10", ["authorize"], replaced("code", "17")),
  fault("redirect.error-moved", "puts errors into the query", "OAuth 2.0 Multiple Response Types §5", ["response"], errorMoved),
  fault(
    "redirect.form-post-error",
    "sends errors by the query, not by a form",
    "OAuth 2.0 Form Post Response Mode §2",
    ["response"],
    errorByQuery,
  ),
  fault("redirect.jwt-in-fragment", "puts a response as a JWT into the fragment", "JARM §2.3.1", ["jarm"], responseMoved),
  {
    ...fault(
      "redirect.jwt-unwrapped",
      "answers in the clear where a response must be signed",
      "FAPI 2.0 Message Signing §5.4.1",
      ["messages"],
      unwrapped,
    ),
    alteration: {
      options: (options) => ({ ...options, rulesOff: [...(options.rulesOff ?? []), "authorize.response-mode-profile"] }),
      answer: unwrapped,
    },
  },
  device("code-short", "numbers its device codes", "RFC 8628 §5.2", { device_code: "17" }),
  device("user-code-mixed", "shows user codes of letters that look like digits", "RFC 8628 §6.1", { user_code: "O0I1-L8B5-S2Z6-QGUV" }),
  device("uri-plain", "shows an address without the user code in it", "RFC 8628 §3.3.1", {
    verification_uri_complete: "https://op.conformance.test/device",
  }),
  uncached("pushed requests", "/par", "RFC 9126 §2.2", "pushed"),
  uncached("userinfo", "/userinfo", "OpenID Connect Core §5.3", "userinfo"),
  uncached("what it tells of tokens", "/introspect", "RFC 7662 §2.2", "introspection"),
  fault(
    "userinfo.no-cors",
    "keeps userinfo from applications in a browser",
    "OpenID Connect Core §5.3",
    ["userinfo"],
    at("/userinfo", without("access-control-allow-origin")),
  ),
  fault(
    "userinfo.error-unasked",
    "tells an error to who sent no token",
    "RFC 6750 §3.1",
    ["userinfo"],
    at(
      "/userinfo",
      headed((headers) => {
        if (headers.has("www-authenticate")) headers.set("www-authenticate", 'Bearer error="invalid_token"')
      }),
    ),
  ),
  fault(
    "introspection.active-text",
    "tells whether a token is active by a text",
    "RFC 7662 §2.2",
    ["introspection"],
    at(
      "/introspect",
      members(({ active }) => ({ active: `${String(active)}` })),
    ),
  ),
  fault(
    "pushed.long-lived",
    "keeps pushed requests for an hour",
    "FAPI 2.0 Security Profile §5.3.2.2",
    ["fapi"],
    at(
      "/par",
      members(({ request_uri: uri }) => (uri === undefined ? {} : { expires_in: 3600 })),
    ),
  ),
  remembering(
    { id: "token.refresh-same", title: "gives the same refresh token each time", paragraph: "RFC 9700 §4.14.2", near: ["refresh"] },
    () => ({ first: undefined as unknown }),
    (memory) =>
      at(
        "/connect/token",
        members(({ refresh_token }) => (refresh_token === undefined ? {} : { refresh_token: (memory.first ??= refresh_token) })),
      ),
  ),
  remembering(
    {
      id: "token.refresh-once",
      title: "takes a refresh token once that it does not rotate",
      paragraph: "FAPI 2.0 Security Profile §5.3.2.1",
      near: ["fapi"],
    },
    () => ({ count: 0 }),
    (memory) =>
      at("/connect/token", (answer) =>
        answer.status === 200 && ++memory.count > 2 ? Response.json({ error: "invalid_grant" }, { status: 400 }) : answer,
      ),
  ),
  remembering(
    { id: "password.told-apart", title: "tells whether a person is known", paragraph: "RFC 9700 §2.4", near: ["password"] },
    () => ({ reason: "" }),
    (memory) =>
      at(
        "/connect/token",
        members(({ error }) => (error === "invalid_grant" ? { error_description: memory.reason } : {})),
      ),
    (options, memory) => ({
      ...options,
      authenticator: {
        ...options.authenticator,
        verify: async (asked) => {
          const found = await options.authenticator.verify(asked)
          if (found._tag === "Rejected") memory.reason = found.reason
          return found
        },
      },
    }),
  ),
]
