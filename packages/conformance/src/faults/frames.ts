import { type Change, at, fault, headed, parameters, replaced } from "./change.ts"
import type { Fault } from "./fault.ts"

/** Changes the page with the front-channel logout frames. */
const framed =
  (change: (html: string, headers: Headers) => string): Change =>
  async (answer) => {
    if (!(answer.headers.get("content-type") ?? "").includes("html")) return answer
    const html = await answer.text()
    const headers = new Headers(answer.headers)
    return new Response(html.includes("<iframe") ? change(html, headers) : html, { status: answer.status, headers })
  }

const front = (id: string, title: string, change: (html: string, headers: Headers) => string): Fault =>
  fault(`frontchannel.${id}`, title, "OpenID Connect Front-Channel Logout §3", ["frontchannel"], framed(change))

/** Faults of the front-channel logout frames. */
export const frameFaults: ReadonlyArray<Fault> = [
  front("frame-lost", "shows no frames after a sign-out", (html) => html.replaceAll(/<iframe[^>]*><\/iframe>/g, "")),
  front("sid-lost", "names its issuer in frames, and no session", (html) => html.replaceAll(/&amp;sid=[^"&]*/g, "")),
  front("sid-other", "names another session in frames", (html) => html.replaceAll(/&amp;sid=[^"&]*/g, "&amp;sid=made-up")),
  front("iss-other", "names another issuer in frames", (html) =>
    html.replaceAll(/([?;]iss=)[^"&]*/g, "$1https%3A%2F%2Fother.conformance.test"),
  ),
  front("person-told", "tells the person's subject in the address of frames", (html) =>
    html.replaceAll("&amp;sid=", "&amp;sub=alice&amp;sid="),
  ),
  front("frame-blocked", "forbids browsers to show its own frames", (html, headers) => {
    headers.set("content-security-policy", "default-src 'none'")
    return html
  }),
  front("stranded", "leaves people at the page with the frames", (html, headers) => {
    headers.delete("refresh")
    return html.replaceAll(/href="https:\/\/client[^"]*"/g, 'href="#"')
  }),
  fault(
    "session-state.lost",
    "tells no session_state",
    "OpenID Connect Session Management §2",
    ["session-state"],
    parameters((found) => found.delete("session_state")),
  ),
  fault(
    "session-state.same",
    "tells the same session_state to everybody",
    "OpenID Connect Session Management §3",
    ["session-state"],
    replaced("session_state", "hash.salt"),
  ),
  fault(
    "session-state.framed-by-itself",
    "lets only its own pages show its frame",
    "OpenID Connect Session Management §3.2",
    ["session-state"],
    at(
      "/checksession",
      headed((headers) => headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'self'")),
    ),
  ),
  fault(
    "session-state.not-framed",
    "lets nobody show its frame",
    "OpenID Connect Session Management §3.2",
    ["session-state"],
    at(
      "/checksession",
      headed((headers) => headers.set("x-frame-options", "DENY")),
    ),
  ),
]
