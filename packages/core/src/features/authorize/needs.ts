import type { ErrorCode, Json, JsonObject, Person, Refusal, RequestedClaims } from "../../model/index.ts"
import { offlineAccess, refuse } from "../../model/index.ts"
import { acrReached } from "../../rules/acr.ts"
import { type WantedClaim, claimWords, grantedClaims } from "../../rules/claims.ts"
import { detailWord, isRemembered } from "../../rules/details/index.ts"
import { allowedDetails, enriched } from "../../rules/details/known.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { sourceFault } from "../../rules/provider.ts"
import { rememberedOf, standingConsent } from "../../rules/remembered.ts"
import { tenantFault } from "../../rules/tenant.ts"
import { isLive, signedInFor } from "../../rules/session.ts"
import { contextFault, providerFault } from "../../rules/signedIn.ts"
import { wantedLocales } from "../../wire/index.ts"
import type { Asking, ClientRequest, Loaded, Visitor } from "./evidence.ts"
import { gives } from "./parse.ts"

/** A step that only the person can take. With `prompt=none` it becomes an error (OpenID Connect Core §3.1.2.6). */
export interface Need {
  readonly _tag: "Need"
  readonly need: "login" | "consent"
  readonly error: ErrorCode
  readonly reason: string
}

const need = (what: Need["need"], reason: string): Need => ({ _tag: "Need", need: what, error: `${what}_required`, reason })

/** A need to sign in, if there is a reason for one. */
const signInFor = (reason: string | undefined): Need | undefined => (reason === undefined ? pass : need("login", reason))

/** A well-formed request, and everything that was read for it. */
export type NeedSeen = Asking &
  Loaded & {
    /** The provider that `acr_values` ask for, if it may be used. */
    readonly provider: string | undefined
    /** The tenant that `acr_values` ask for. */
    readonly tenant: string | undefined
    /** The authentication contexts that the request asks for, best first. */
    readonly contexts: ReadonlyArray<string>
  }

/** A request of a person who is signed in. */
export type Granting = Asking & Loaded & Visitor & { readonly person: Person }

/** Reports whether the person signed in after this request was made. Only such a sign-in satisfies a forced login. */
const signedInSince = ({ waiting, session }: Pick<Granting, "waiting" | "session">): boolean => signedInFor(waiting?.interaction, session)

/**
 * Reports whether the person signed in for this request, however long ago that was. An embedder's session from before the request has to be
 * young enough at the time of the answer instead. A session from another provider is checked when its person returns from there.
 */
const answersMaxAge = (s: Granting): boolean =>
  signedInSince(s) && (s.session.idp !== undefined || s.session.authTime >= (s.waiting?.interaction.createdAt ?? s.now))

/** The scopes the person allowed on this request's consent page. */
const consentedNow = ({
  waiting,
  session,
  consent,
}: Pick<Granting, "waiting" | "session" | "consent">): ReadonlyArray<string> | undefined =>
  // If the consent was withdrawn in the meantime, the choices made on the consent page are void as well.
  consent !== undefined && waiting?.interaction.subject === session.subject ? waiting.interaction.consented : undefined

/** The parts of a request that a person is asked about. */
type AskedSeen = Pick<Granting, "scope" | "settings" | "client" | "claimsRequest" | "details"> & { readonly person?: Person | undefined }

/** Everything that a person is asked for: scopes, claims requested by name that no scope covers, and authorization details. */
export const asked = (s: AskedSeen): ReadonlyArray<string> => [
  ...s.scope,
  ...claimWords(s.settings.catalog, s.client, s.scope, s.claimsRequest),
  ...askedDetails(s).map(detailWord),
]

/** The requested authorization details, enriched by the provider (RFC 9396 §7.1). */
const askedDetails = ({ details, settings, person }: AskedSeen): ReadonlyArray<JsonObject> =>
  details.sent ? enriched(details.details, settings.details, person) : []

/**
 * The granted authorization details: all requested ones if consent was remembered or not needed, otherwise those that the person allowed.
 */
export const grantedDetails = (s: Granting): ReadonlyArray<JsonObject> | undefined => {
  if (!s.details.sent) return undefined
  const [consented, wanted] = [consentedNow(s), askedDetails(s)]
  return consented === undefined ? wanted : allowedDetails(consented, wanted, s.settings.details)
}

/**
 * Reports whether the person must be asked even if the client needs no consent, because a requested type requires that and is never
 * remembered.
 */
const asksAlways = (s: Granting): boolean => s.details.details.some((detail) => !isRemembered(detail, s.settings.details))

/** The requested words that the person deselected. */
const unticked = (s: Granting): ReadonlyArray<string> => {
  const consented = consentedNow(s)
  return consented === undefined ? [] : asked(s).filter((word) => !consented.includes(word))
}

/** The claims granted by name, and the preferred languages for claims (OpenID Connect Core §5.5, §5.2). */
export const grantedByName = (s: Granting): RequestedClaims | undefined => {
  const locales = wantedLocales(s.claimsLocales)
  if (s.claimsRequest === undefined && locales.length === 0) return undefined
  const answered = { requested: s.scope, granted: grantedScope(s), refused: unticked(s) }
  const granted = (wanted: ReadonlyArray<WantedClaim> = []) => grantedClaims(s.settings.catalog, s.client, wanted, answered)
  return { userinfo: granted(s.claimsRequest?.userinfo), idToken: granted(s.claimsRequest?.idToken), locales }
}

/**
 * The `sub` that the request is for: that of its id_token_hint, or the one that its claims parameter asks for (OpenID Connect Core §5.5.1).
 */
const expectedSub = (s: Granting): ReadonlyArray<Json> => {
  if (s.hint !== undefined) return [s.hint.subject]
  return wantedClaim(s, "sub")?.values ?? []
}

const wantedClaim = ({ claimsRequest }: ClientRequest, name: string): WantedClaim | undefined =>
  claimsRequest?.idToken.find((claim) => claim.name === name) ?? claimsRequest?.userinfo.find((claim) => claim.name === name)

/** The granted scopes: all requested ones if consent was remembered or not needed, otherwise those that the person left selected. */
export const grantedScope = (s: Granting): ReadonlyArray<string> => {
  const consented = consentedNow(s)
  const allowed = consented === undefined ? s.scope : s.scope.filter((name) => consented.includes(name))
  // A response type without a code ignores offline_access (OpenID Connect Core §11).
  return gives(s, "code") ? allowed : allowed.filter((name) => name !== offlineAccess)
}

const remembered = (s: Granting): boolean => {
  const consent = standingConsent(s.consent, s.client, s.now)
  const words = asked(s)
  return consent !== undefined && rememberedOf(consent, words, s.settings.details).length === words.length
}

/** Judges whether the person must be asked for anything before the request is granted. */
export const needRules = table<NeedSeen, Need | Refusal>("authorize/person")
  .establish("person.signed-in", "OpenID Connect Core §3.1.2.3", ({ visitor, now }) => {
    if (visitor !== undefined && isLive(visitor.session, now)) return prove(visitor)
    return need("login", visitor === undefined ? "no session" : "the session has ended")
  })
  .establish("person.active", "OpenID Connect Core §3.1.2.3", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : need("login", person === undefined ? "the session's person is gone" : "the session's person is disabled"),
  )
  .rule("person.source", "specification §1", (s) => signInFor(sourceFault(s.client, s.session)))
  .rule("person.tenant", "specification §2.1 acr_values", (s) => signInFor(tenantFault(s)))
  .rule("person.source-asked", "specification §2.1 acr_values", (s) => signInFor(signedInSince(s) ? undefined : providerFault(s)))
  .rule("person.prompted", "OpenID Connect Core §3.1.2.1", (s) => {
    const forced = s.prompt.find((word) => word === "login" || word === "select_account")
    return forced === undefined || signedInSince(s) ? pass : need("login", `prompt=${forced}`)
  })
  .rule("person.max-age", "OpenID Connect Core §3.1.2.1", (s) => {
    const maxAge = s.maxAge === undefined ? s.client.defaultMaxAge : Number(s.maxAge)
    const age = s.now - s.session.authTime
    return maxAge === undefined || (maxAge > 0 && age <= maxAge) || answersMaxAge(s)
      ? pass
      : need("login", `signed in ${age} s ago, max_age is ${maxAge} s`)
  })
  .rule("person.hinted", "OpenID Connect Core §3.1.2.1, §5.5.1", (s) => {
    const expected = expectedSub(s)
    if (expected.length === 0 || expected.some((sub) => sub === s.sub)) return pass
    const reason =
      s.hint === undefined ? "the claims parameter asks for another sub" : "id_token_hint names another person than the session"
    return signedInSince(s) ? refuse("login_required", "Another person signed in than the one asked for.", reason) : need("login", reason)
  })
  .rule("person.acr-essential", "OpenID Connect Core §5.5.1.1", (s) => {
    const acr = s.claimsRequest?.idToken.find(({ name }) => name === "acr")
    if (acr?.essential !== true || acr.values.length === 0 || acr.values.some((value) => value === acrReached(s.settings, s.session)))
      return pass
    const reason = "the session has not reached an acr that is essential to the client"
    return signedInSince(s)
      ? refuse("unmet_authentication_requirements", "The sign-in does not meet what the client asks for.", reason)
      : need("login", reason)
  })
  .rule("person.acr-voluntary", "OpenID Connect Core §3.1.2.1, RFC 9470 §5", (s) => {
    // The claim is voluntary, so nobody is refused because of it, and a person who has signed in for this request is not asked again.
    return signInFor(s.prompt.includes("none") || signedInSince(s) ? undefined : contextFault(s))
  })
  .rule("person.apart-from-clients", "RFC 9700 §4.15", (s) =>
    s.subjectIsClient
      ? refuse(
          "server_error",
          "The provider cannot issue tokens for this person.",
          "the person's subject is also a client_id; tokens of the two could be confused",
        )
      : pass,
  )
  .rule("person.consent-not-denied", "RFC 6749 §4.1.2.1", (s) =>
    s.waiting?.interaction.denied === true && s.waiting.interaction.subject === s.session.subject
      ? refuse("access_denied", "The person did not allow it.", "denied on the consent page")
      : pass,
  )
  .rule("person.consented", "OpenID Connect Core §3.1.2.4", (s) => {
    if (consentedNow(s) !== undefined) return pass
    if (s.prompt.includes("consent")) return need("consent", "prompt=consent")
    return (!s.client.requireConsent && !asksAlways(s)) || remembered(s) ? pass : need("consent", "no remembered consent covers the scope")
  })
  .rule("person.some-scope-left", "RFC 6749 §4.1.2.1", (s) =>
    grantedScope(s).length === 0 && (grantedDetails(s) ?? []).length === 0
      ? refuse("access_denied", "The person did not allow it.", "every scope was unticked")
      : pass,
  )
