import type { ErrorCode, Refusal } from "../../model/index.ts"
import { offlineAccess, refuse } from "../../model/index.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { sourceFault } from "../../rules/provider.ts"
import { isLive } from "../../rules/session.ts"
import type { AuthorizeSeen } from "./load.ts"
import { type AuthorizeRequest, gives } from "./parse.ts"

/** Something only the person can give. With `prompt=none` it becomes an error (OpenID Connect Core §3.1.2.6). */
export interface Need {
  readonly _tag: "Need"
  readonly need: "login" | "consent"
  readonly error: ErrorCode
  readonly reason: string
}

const need = (what: Need["need"], reason: string): Need => ({ _tag: "Need", need: what, error: `${what}_required`, reason })

/** Whether the person signed in after this very request was made: a forced login counts once, and only then. */
const signedInSince = ({ interaction, session }: AuthorizeSeen): boolean =>
  interaction !== undefined &&
  session !== undefined &&
  ((interaction.signedInAt !== undefined && interaction.subject === session.subject && session.authTime >= interaction.signedInAt) ||
    session.authTime > interaction.createdAt)

/** The scopes the person allowed on this request's consent page. */
const consentedNow = ({ interaction, session, consent }: AuthorizeSeen): ReadonlyArray<string> | undefined =>
  // Withdrawn meanwhile, the consent is gone, and what was ticked with it.
  interaction !== undefined && session !== undefined && consent !== undefined && interaction.subject === session.subject
    ? interaction.consented
    : undefined

/** What is granted: all that was asked where consent was remembered or not needed, else what stayed ticked. */
export const grantedScope = (q: AuthorizeRequest, s: AuthorizeSeen): ReadonlyArray<string> => {
  const consented = consentedNow(s)
  const allowed = consented === undefined ? q.scope : q.scope.filter((name) => consented.includes(name))
  // A response type without a code ignores offline_access (OpenID Connect Core §11).
  return gives(q, "code") ? allowed : allowed.filter((name) => name !== offlineAccess)
}

const remembered = (q: AuthorizeRequest, s: AuthorizeSeen): boolean =>
  s.consent !== undefined &&
  (s.consent.expiresAt === 0 || s.now < s.consent.expiresAt) &&
  q.scope.every((name) => held(s.consent).scope.includes(name))

/** Whether the person must be asked for anything before the request is granted. */
export const needRules = table<AuthorizeRequest, AuthorizeSeen, Need | Refusal>("authorize/person", [
  rule("person.signed-in", "OpenID Connect Core §3.1.2.3", (_, s) =>
    isLive(s.session, s.now) ? pass : need("login", s.session === undefined ? "no session" : "the session has ended"),
  ),
  rule("person.active", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s.person?.active === true
      ? pass
      : need("login", s.person === undefined ? "the session's person is gone" : "the session's person is disabled"),
  ),
  rule("person.source", "specification §1", (_, s) => {
    const fault = sourceFault(held(s.client), held(s.session))
    return fault === undefined ? pass : need("login", fault)
  }),
  rule("person.source-asked", "specification §2.1 acr_values", (_, s) =>
    s.provider === undefined || s.provider === held(s.session).idp || signedInSince(s)
      ? pass
      : need("login", `idp:${s.provider} is asked for`),
  ),
  rule("person.prompted", "OpenID Connect Core §3.1.2.1", (q, s) => {
    const forced = q.prompt.find((word) => word === "login" || word === "select_account" || word === "create")
    return forced === undefined || signedInSince(s) ? pass : need("login", `prompt=${forced}`)
  }),
  rule("person.max-age", "OpenID Connect Core §3.1.2.1", (q, s) => {
    const maxAge = q.maxAge === undefined ? held(s.client).defaultMaxAge : Number(q.maxAge)
    const age = s.now - held(s.session).authTime
    return maxAge === undefined || (maxAge > 0 && age <= maxAge) || signedInSince(s)
      ? pass
      : need("login", `signed in ${age} s ago, max_age is ${maxAge} s`)
  }),
  rule("person.hinted", "OpenID Connect Core §3.1.2.1", (_, s) => {
    if (s.hint === undefined || s.hint.subject === s.sub) return pass
    const reason = "id_token_hint names another person than the session"
    return signedInSince(s) ? refuse("login_required", "Another person signed in than the one asked for.", reason) : need("login", reason)
  }),
  rule("person.apart-from-clients", "RFC 9700 §4.15", (_, s) =>
    s.subjectIsClient
      ? refuse(
          "server_error",
          "The provider cannot issue tokens for this person.",
          "the person's subject is also a client_id; tokens of the two could be confused",
        )
      : pass,
  ),
  rule("person.consent-not-denied", "RFC 6749 §4.1.2.1", (_, s) =>
    s.interaction?.denied === true && s.interaction.subject === held(s.session).subject
      ? refuse("access_denied", "The person did not allow it.", "denied on the consent page")
      : pass,
  ),
  rule("person.consented", "OpenID Connect Core §3.1.2.4", (q, s) => {
    if (consentedNow(s) !== undefined) return pass
    if (q.prompt.includes("consent")) return need("consent", "prompt=consent")
    return !held(s.client).requireConsent || remembered(q, s) ? pass : need("consent", "no remembered consent covers the scope")
  }),
  rule("person.some-scope-left", "RFC 6749 §4.1.2.1", (q, s) =>
    grantedScope(q, s).length === 0 ? refuse("access_denied", "The person did not allow it.", "every scope was unticked") : pass,
  ),
])
