import type { ErrorCode, Json, Refusal, RequestedClaims } from "../../model/index.ts"
import { offlineAccess, refuse } from "../../model/index.ts"
import { acrReached } from "../../rules/acr.ts"
import { type WantedClaim, claimWords, grantedClaims } from "../../rules/claims.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { sourceFault } from "../../rules/provider.ts"
import { tenantFault } from "../../rules/tenant.ts"
import { isLive } from "../../rules/session.ts"
import { wantedLocales } from "../../wire/index.ts"
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

/** Reports whether the person signed in after this very request was made: a forced login counts once, and only then. */
const signedInSince = ({ waiting, session }: AuthorizeSeen): boolean => {
  if (waiting === undefined || session === undefined) return false
  const { signedInAt, subject, createdAt } = waiting.interaction
  return (signedInAt !== undefined && subject === session.subject && session.authTime >= signedInAt) || session.authTime > createdAt
}

/** The scopes the person allowed on this request's consent page. */
const consentedNow = ({ waiting, session, consent }: AuthorizeSeen): ReadonlyArray<string> | undefined =>
  // Withdrawn meanwhile, the consent is gone, and what was ticked with it.
  session !== undefined && consent !== undefined && waiting?.interaction.subject === session.subject
    ? waiting.interaction.consented
    : undefined

/** All that a person is asked for: scopes, and claims by name that no scope gives. */
const asked = (q: AuthorizeRequest, s: AuthorizeSeen): ReadonlyArray<string> => [
  ...q.scope,
  ...claimWords(s.settings.catalogue, held(s.client), q.scope, q.claimsRequest),
]

/** What was asked for and unticked. */
const unticked = (q: AuthorizeRequest, s: AuthorizeSeen): ReadonlyArray<string> => {
  const consented = consentedNow(s)
  return consented === undefined ? [] : asked(q, s).filter((word) => !consented.includes(word))
}

/** The claims granted by name, and the languages wanted for claims (OpenID Connect Core §5.5, §5.2). */
export const grantedByName = (q: AuthorizeRequest, s: AuthorizeSeen): RequestedClaims | undefined => {
  const locales = wantedLocales(q.claimsLocales)
  if (q.claimsRequest === undefined && locales.length === 0) return undefined
  const granted = (wanted: ReadonlyArray<WantedClaim> = []) => grantedClaims(s.settings.catalogue, held(s.client), wanted, unticked(q, s))
  return { userinfo: granted(q.claimsRequest?.userinfo), idToken: granted(q.claimsRequest?.idToken), locales }
}

/** Whom the request is for: the `sub` of its id_token_hint, or the one it asks for by name (OpenID Connect Core §5.5.1). */
const expectedSub = (q: AuthorizeRequest, s: AuthorizeSeen): ReadonlyArray<Json> => {
  if (s.hint !== undefined) return [s.hint.subject]
  return wantedClaim(q, "sub")?.values ?? []
}

const wantedClaim = (q: AuthorizeRequest, name: string): WantedClaim | undefined =>
  q.claimsRequest?.idToken.find((claim) => claim.name === name) ?? q.claimsRequest?.userinfo.find((claim) => claim.name === name)

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
  asked(q, s).every((word) => held(s.consent).scope.includes(word))

/** Judges whether the person must be asked for anything before the request is granted. */
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
  rule("person.tenant", "specification §2.1 acr_values", (_, s) => {
    const fault = tenantFault({ ...s, session: held(s.session) })
    return fault === undefined ? pass : need("login", fault)
  }),
  rule("person.source-asked", "specification §2.1 acr_values", (_, s) =>
    s.provider === undefined || s.provider === held(s.session).idp || signedInSince(s)
      ? pass
      : need("login", `idp:${s.provider} is asked for`),
  ),
  rule("person.prompted", "OpenID Connect Core §3.1.2.1", (q, s) => {
    const forced = q.prompt.find((word) => word === "login" || word === "select_account")
    return forced === undefined || signedInSince(s) ? pass : need("login", `prompt=${forced}`)
  }),
  rule("person.max-age", "OpenID Connect Core §3.1.2.1", (q, s) => {
    const maxAge = q.maxAge === undefined ? held(s.client).defaultMaxAge : Number(q.maxAge)
    const age = s.now - held(s.session).authTime
    return maxAge === undefined || (maxAge > 0 && age <= maxAge) || signedInSince(s)
      ? pass
      : need("login", `signed in ${age} s ago, max_age is ${maxAge} s`)
  }),
  rule("person.hinted", "OpenID Connect Core §3.1.2.1, §5.5.1", (q, s) => {
    const expected = expectedSub(q, s)
    if (expected.length === 0 || expected.some((sub) => sub === s.sub)) return pass
    const reason =
      s.hint === undefined ? "the claims parameter asks for another sub" : "id_token_hint names another person than the session"
    return signedInSince(s) ? refuse("login_required", "Another person signed in than the one asked for.", reason) : need("login", reason)
  }),
  rule("person.acr-essential", "OpenID Connect Core §5.5.1.1", (q, s) => {
    const acr = q.claimsRequest?.idToken.find(({ name }) => name === "acr")
    if (acr?.essential !== true || acr.values.length === 0 || acr.values.some((value) => value === acrReached(s.settings, held(s.session))))
      return pass
    const reason = "the session has not reached an acr that is essential to the client"
    return signedInSince(s)
      ? refuse("unmet_authentication_requirements", "The sign-in does not meet what the client asks for.", reason)
      : need("login", reason)
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
    s.waiting?.interaction.denied === true && s.waiting.interaction.subject === held(s.session).subject
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
