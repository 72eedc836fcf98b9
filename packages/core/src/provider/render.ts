import * as Effect from "effect/Effect"
import { type Decision, type InteractionRoutes, type Json, type Page, type Refusal, type Settings, commandsOf } from "../model/index.ts"
import { consentPath, ownApprovalPage, ownDevicePage, signInPath } from "../settle/ownPlaces.ts"
import type { Inquiry } from "../settle/request.ts"
import { responseParams } from "../settle/sign.ts"
import type { Settled } from "../settle/settle.ts"
import { type Answer, basePathOf, requestIdHeader, type Message, withParams } from "../wire/index.ts"
import { type Header, noStore, setCookies } from "./headers.ts"
import { type Written, pageAnswer } from "./pageAnswer.ts"

/** Renders JSON. Undefined members are omitted. */
export const json = (
  status: number,
  body: Json | Readonly<Record<string, Json | undefined>>,
  headers: ReadonlyArray<Header> = noStore,
): Answer => ({
  status,
  headers: [["content-type", "application/json"], ...headers],
  body: JSON.stringify(body),
})

const cacheable: ReadonlyArray<Header> = [
  ["content-type", "application/json"],
  ["cache-control", "public, max-age=300"],
]

const texts = new WeakMap<object, string>()

/** Serializes a body that is the same for everyone only once. */
const textOf = (body: Json): string => {
  if (typeof body !== "object" || body === null) return JSON.stringify(body)
  const known = texts.get(body)
  if (known !== undefined) return known
  const text = JSON.stringify(body)
  texts.set(body, text)
  return text
}

/** Serializes metadata with its `signed_metadata`. */
const withSigned = (body: Json, jwt: string): string => `${textOf(body).slice(0, -1)},"signed_metadata":${JSON.stringify(jwt)}}`

const statusOf = ({ error, tooMany }: Refusal): number => {
  if (tooMany) return 429
  if (error === "invalid_client" || error === "invalid_token") return 401
  if (error === "insufficient_scope") return 403
  if (error === "not_found") return 404
  if (error === "temporarily_unavailable") return 503
  return error === "server_error" ? 500 : 400
}

const retryHeader = ({ retryAfter }: Pick<Refusal, "retryAfter">): ReadonlyArray<Header> =>
  retryAfter === undefined ? [] : [["retry-after", String(retryAfter)]]

/** Continues from a page with frames automatically, even without scripts (HTML §4.2.5.3), four seconds after they are loaded. */
const refreshHeader = (page: Page): ReadonlyArray<Header> =>
  page._tag === "SigningOut" && page.onward !== undefined ? [["refresh", `4; url=${page.onward}`]] : []

/** Renders an error as JSON (RFC 6749 §5.2). */
export const errorJson = (refusal: Refusal): Answer =>
  json(statusOf(refusal), { error: refusal.error, error_description: refusal.description }, [
    ...noStore,
    ...(refusal.challenge === undefined ? [] : ([["www-authenticate", `${refusal.challenge} realm="postern", charset="UTF-8"`]] as const)),
    ...retryHeader(refusal),
  ])

/** Renders an error about a bearer token (RFC 6750 §3), without an error code if no token was sent. */
const errorBearer = ({ refusal, bare, scheme = "Bearer", challenge: more = "" }: Extract<Decision, { _tag: "RefuseBearer" }>): Answer => {
  const { error, description } = refusal
  // A feature's own error concerns the token or its proof (RFC 9449 §7.1).
  const status = statusOf(refusal) === 400 && error !== "invalid_request" ? 401 : statusOf(refusal)
  const scope = error === "insufficient_scope" ? ', scope="openid"' : ""
  const stated = bare ? "" : `, error="${error}", error_description="${description}"${scope}`
  const challenge = `${scheme} realm="postern"${stated}${more && `, ${more}`}`
  return { ...json(status, { error, error_description: description }, [...noStore, ["www-authenticate", challenge]]) }
}

/** The pages that an embedder may replace, by their paths in decisions. */
const replaceable: Readonly<Record<string, keyof InteractionRoutes>> = {
  [signInPath]: "signIn",
  [consentPath]: "consent",
  [ownDevicePage]: "device",
  [ownApprovalPage]: "approval",
}

/** Returns the path of a redirect: below the issuer's path, or an embedder's own page. */
export const placeOf = (to: string, { issuer, interactionRoutes }: Pick<Settings, "issuer" | "interactionRoutes">): string => {
  const [path = "", ...rest] = to.split("?")
  const page = replaceable[path]
  const own = page && interactionRoutes[page]
  return own === undefined ? basePathOf(issuer) + to : [own, ...rest].join("?")
}

const redirect = (to: string, cookies: ReadonlyArray<Header> = []): Answer => ({
  status: 303,
  headers: [["location", to], ...noStore, ...cookies],
  body: "",
})

/** Renders a settled decision. Every answer of an endpoint is rendered here. */
export const render = (settled: Settled, message: Message, inquiry: Inquiry): Effect.Effect<Written> => {
  const { decision, signed, jwt } = settled
  const { issuer } = inquiry.ports.settings
  const isCommitted = inquiry.changes.length > 0 || commandsOf(decision).length > 0
  const written = (answer: Answer): Effect.Effect<Written> => Effect.succeed({ answer })
  switch (decision._tag) {
    case "SendBack": {
      const { callback, cookies } = decision
      const params = jwt === undefined ? responseParams(decision, signed, issuer) : ([["response", jwt]] as const)
      const delivery = callback.mode.deliver(params, callback)
      return "page" in delivery
        ? pageAnswer(delivery.page, 200, message, inquiry, { cookies, isCommitted })
        : written(redirect(delivery.uri, setCookies(cookies, inquiry)))
    }
    case "Go":
      return written(redirect(placeOf(decision.to, inquiry.ports.settings), setCookies(decision.cookies, inquiry)))
    case "Leave":
      return written(
        redirect(
          decision.params.length === 0 ? decision.to : withParams(decision.to, "?", decision.params),
          setCookies(decision.cookies, inquiry),
        ),
      )
    case "Show":
      return pageAnswer(decision.page, decision.status, message, inquiry, {
        cookies: decision.cookies,
        headers: decision.page._tag === "Login" ? retryHeader({ retryAfter: decision.page.retryAfter }) : refreshHeader(decision.page),
        isCommitted,
      })
    case "RefusePage": {
      const { refusal, trouble, status } = decision
      return pageAnswer({ _tag: "Error", trouble, error: refusal.error, retryAfter: refusal.retryAfter }, status, message, inquiry, {
        headers: retryHeader(refusal),
      })
    }
    default:
      return written(program(decision, settled))
  }
}

/** Renders an answer for a program. */
const program = (
  decision: Exclude<Decision, { readonly _tag: "SendBack" | "Go" | "Leave" | "Show" | "RefusePage" }>,
  { signed, jwt }: Settled,
): Answer => {
  switch (decision._tag) {
    case "IssueTokens":
      return json(200, {
        access_token: signed?.accessToken ?? "",
        issued_token_type: decision.issuedTokenType,
        token_type: decision.tokens.tokenType,
        expires_in: decision.tokens.expiresIn,
        scope: decision.tokens.scope.length === 0 ? undefined : decision.tokens.scope.join(" "),
        authorization_details: decision.tokens.authorizationDetails,
        refresh_token: decision.refreshToken,
        id_token: signed?.idToken,
      })
    case "Reply":
      if (jwt !== undefined) return { status: 200, headers: cacheable, body: withSigned(decision.body, jwt) }
      if (decision.cacheable) return { status: 200, headers: cacheable, body: textOf(decision.body) }
      return json(decision.created === true ? 201 : 200, decision.body)
    case "ReplyJwt":
      return { status: 200, headers: [["content-type", decision.jwt.contentType], ...noStore], body: jwt ?? "" }
    case "Document":
      return {
        status: 200,
        headers: [["content-type", decision.contentType], ["content-security-policy", decision.policy], ...noStore],
        body: decision.body,
      }
    case "Acknowledge":
      // Clients ignore the content (RFC 7009 §2.2), but simple-oauth2 parses each answer as JSON and oidc-client-ts refuses text/plain.
      return decision.empty === true ? { status: 204, headers: noStore, body: "" } : json(200, {})
    case "RefuseJson":
      return errorJson(decision.refusal)
    case "RefuseBearer":
      return errorBearer(decision)
  }
}

/** Adds the headers that every answer has, and further ones. */
export const stamped = ({ status, headers, body }: Answer, more: ReadonlyArray<Header>, requestId: string): Answer => ({
  status,
  headers: [...headers, ...more, [requestIdHeader, requestId], ...always],
  body,
})

const always: ReadonlyArray<Header> = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
]
