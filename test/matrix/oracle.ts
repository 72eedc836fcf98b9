import type { Asked, Mode } from "./asked.ts"
import { type Finding, pageFindings, requestFindings } from "./findings.ts"
import { type Reading, read } from "./reading.ts"

/** One answer that the documents allow. Where they leave a choice, every choice is listed. */
export type Allowed =
  | { readonly answer: "page"; readonly statuses: ReadonlyArray<number>; readonly because: ReadonlyArray<string> }
  | {
      readonly answer: "error"
      readonly to: string
      readonly errors: ReadonlyArray<string>
      readonly modes: ReadonlyArray<Mode>
      readonly states: ReadonlyArray<string | undefined>
      readonly because: ReadonlyArray<string>
    }
  | { readonly answer: "ask"; readonly page: "login" | "consent" }
  | {
      readonly answer: "success"
      readonly to: string
      readonly mode: Mode
      readonly state: string | undefined
      readonly nonce: string | undefined
      readonly code: boolean
      readonly accessToken: boolean
      readonly idToken: boolean
      /** The ID token tells of the person what the scopes release, and else nothing. */
      readonly userClaims: boolean
      readonly scope: ReadonlyArray<string>
      /** Resource indicators sent; the audience of the access token where there are any. */
      readonly resource: ReadonlyArray<string>
    }

/**
 * Finds the answers that an authorization request may get, from the documents alone.
 *
 * A fault of the client or the redirect_uri is a page and hides every other fault (RFC 6749 §4.1.2.1). Any other fault of the
 * request comes before the person is looked at (OpenID Connect Core §3.1.2.2, §3.1.2.3), in an order that no document fixes: so
 * the error of each is allowed. Then the person signs in, then consents (§3.1.2.3, §3.1.2.4), and then the client is answered.
 */
export const allowed = (asked: Asked): ReadonlyArray<Allowed> => {
  const reading = read(asked)
  const page = pageFindings(asked, reading)
  const pages = page.map(({ because }) => because)
  const shown: ReadonlyArray<Allowed> = page.length === 0 ? [] : [{ answer: "page", statuses: [400], because: pages }]
  if (page.some(({ sure }) => sure)) return shown
  const back = requestFindings(asked, reading)
  const refused = back.length === 0 ? [] : [sentBack(reading, back)]
  if (back.some(({ sure }) => sure)) return [...shown, ...refused]
  return [...shown, ...refused, ...outcome(asked, reading)]
}

const sentBack = ({ redirectUri, errorModes, states }: Reading, findings: ReadonlyArray<Finding>): Allowed => ({
  answer: "error",
  to: redirectUri,
  errors: [...new Set(findings.flatMap(({ errors }) => errors))],
  modes: errorModes,
  states,
  because: findings.map(({ because }) => because),
})

/** Finds the outcomes of a request without a fault: OpenID Connect Core §3.1.2.3 to §3.1.2.5. */
const outcome = (asked: Asked, reading: Reading): ReadonlyArray<Allowed> => {
  const { standing } = asked
  const { prompts, maxAge, words } = reading
  const silent = prompts.includes("none")
  const refuse = (error: string, because: string): Allowed => sentBack(reading, [{ errors: [error], sure: true, because }])
  const ask = (page: "login" | "consent", error: string): Allowed =>
    silent ? refuse(error, `Core §3.1.2.6: ${page} would be needed`) : { answer: "ask", page }

  const forced = ["login", "select_account"].some((prompt) => prompts.includes(prompt))
  const tooOld = maxAge !== undefined && standing.age !== undefined && (maxAge === 0 || standing.age > maxAge)
  if (standing.age === undefined || forced || tooOld) return [ask("login", "login_required")]

  const wants = (asked.kind.client?.require_consent ?? true) && !standing.consented
  if (wants || prompts.includes("consent")) return [ask("consent", "consent_required")]
  const done = success(asked, reading)
  // Core §11 wants consent for offline_access, and leaves it to the provider which other conditions make up for it.
  const lasting = words.includes("code") && reading.scope.includes("offline_access")
  return lasting ? [done, ask("consent", "consent_required")] : [done]
}

const success = ({ kind }: Asked, { redirectUri, words, mode, states, nonce, scope, resource }: Reading): Allowed => ({
  answer: "success",
  to: redirectUri,
  mode,
  state: states[0],
  nonce,
  code: words.includes("code"),
  accessToken: words.includes("token"),
  idToken: words.includes("id_token"),
  userClaims: kind.client?.id_token_user_claims === true || words.join(" ") === "id_token",
  scope,
  resource,
})
