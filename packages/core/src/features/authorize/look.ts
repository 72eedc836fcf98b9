import * as Effect from "effect/Effect"
import type { Client, Instant, PendingAuthorization, Refusal, WaitingInteraction } from "../../model/index.ts"
import { scopeWords } from "../../model/index.ts"
import { acrAsked, acrReached } from "../../rules/acr.ts"
import { displayedClient, destinationOf, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { detailFaces } from "../../rules/details/known.ts"
import { askedProvider } from "../../rules/provider.ts"
import { heldOf, standingConsent } from "../../rules/remembered.ts"
import { isLive } from "../../rules/session.ts"
import { csrfWithVersion } from "../../rules/shown.ts"
import type { Inquiry } from "../../settle/request.ts"
import { resumeOf, waitingParams } from "../../settle/signIn.ts"
import { type Stage, decided, row } from "../../settle/stage.ts"
import { providerChoices, toldWaiting, whyOf } from "../../settle/told.ts"
import { isAnswered } from "./answered.ts"
import type { Asking, Loaded, Trusted } from "./evidence.ts"
import { type Need, type NeedSeen, asked, needRules } from "./needs.ts"
import { requestRules } from "./rules.ts"

/**
 * The earliest sign-in time that satisfies a waiting request that is answered now. If a sign-in is forced, it must be after the request; if
 * its age is bounded, it must be recent enough at the time of the answer (OpenID Connect Core §3.1.2.1).
 */
export const notBeforeOf = (interaction: PendingAuthorization, client: Client, now: Instant): Instant | undefined => {
  const params = waitingParams(interaction)
  const forced = scopeWords(params.one("prompt") ?? "").some((word) => word === "login" || word === "select_account")
  if (forced) return interaction.createdAt
  const maxAge = params.one("max_age")
  const limit = maxAge === undefined ? client.defaultMaxAge : Number(maxAge)
  if (limit === undefined || Number.isNaN(limit)) return undefined
  return limit === 0 ? interaction.createdAt : now - limit
}

const signInNeed = (s: NeedSeen & Asking & Loaded): WaitingInteraction["signIn"] => {
  const { client, settings, waiting, visitor, now, browser } = s
  const acr = s.claimsRequest?.idToken.find(({ name }) => name === "acr")
  const standing = isLive(visitor?.session, now) ? visitor?.session : undefined
  const expected = s.hint?.subject ?? s.claimsRequest?.idToken.find(({ name }) => name === "sub")?.values[0]
  return {
    again: standing !== undefined,
    acrValues: acrAsked(s.params.one("acr_values"), client, s.claimsRequest).contexts,
    essentialAcr: acr?.essential === true ? acr.values.filter((value) => typeof value === "string") : [],
    acr: standing && acrReached(settings, standing),
    notBefore: waiting && notBeforeOf(waiting.interaction, client, now),
    loginHint: s.loginHint,
    // A pairwise client has other identifiers for its people than the authenticator (OpenID Connect Core §8.1).
    subject: typeof expected === "string" && client.subjectType === "public" ? expected : undefined,
    local: client.allowLocalLogin,
    providers: providerChoices({ settings, client }, browser, waiting?.handle ?? ""),
  }
}

/** The part of what is requested that the client has already been granted. */
const heldWords = (s: NeedSeen): ReadonlyArray<string> =>
  heldOf(standingConsent(s.visitor?.consent, s.client, s.now), askedOf(s), s.prompt, s.settings.details)

const askedOf = (s: NeedSeen): ReadonlyArray<string> => asked({ ...s, person: s.visitor?.person })

const consentNeed = (s: NeedSeen & Trusted): WaitingInteraction["consent"] => {
  const [words, held] = [askedOf(s), heldWords(s)]
  return {
    scopes: scopeFaces(s.settings.catalog, words, held),
    details: s.details.sent ? detailFaces(s.settings, words, held) : undefined,
    destination: destinationOf(s.callback.redirectUri),
  }
}

/** Reports what is needed. If the request will be refused, nothing is needed, because the client receives the error. */
const tell = (objection: Need | Refusal | undefined, s: NeedSeen & Trusted, { trace, now }: Inquiry) => {
  const { client, settings, visitor, waiting, browser, tenant } = s
  const need = objection === undefined || objection._tag === "Refusal" ? "nothing" : objection.need === "login" ? "sign_in" : "consent"
  const person = visitor !== undefined && isLive(visitor.session, now) ? visitor.person : undefined
  return toldWaiting({
    need,
    why: whyOf(trace),
    interaction: waiting?.handle ?? "",
    csrf: need === "sign_in" ? browser.csrf : csrfWithVersion(browser.sessionCsrf, client),
    client: displayedClient(client),
    person: person && displayedPerson(person),
    tenant,
    signIn: need === "sign_in" ? signInNeed(s) : undefined,
    consent: need === "consent" ? consentNeed(s) : undefined,
    location: need === "nothing" ? settings.issuer.replace(/\/$/, "") + resumeOf(waiting?.handle, waiting?.interaction) : undefined,
    expiresAt: waiting?.interaction.expiresAt ?? now,
  })
}

/** Reports that nothing is needed, because the request will be refused when it is resumed and the client receives the error then. */
const tellRefused = (refusal: Refusal, s: Asking & Loaded & Trusted, inquiry: Inquiry) =>
  tell(refusal, { ...s, provider: undefined, tenant: undefined, contexts: [] }, inquiry)

/** Reports that a finished request needs nothing, because resuming it returns the stored answer. */
export const lookedAnswered: Stage<Asking & Loaded & Trusted, object> = {
  tables: [],
  run: (s, inquiry) =>
    isAnswered(s) ? decided(tell(undefined, { ...s, provider: undefined, tenant: undefined, contexts: [] }, inquiry)) : Effect.succeed(s),
}

/** Judges the request, and reports the result instead of ending the request. */
export const lookedRequest = row<Asking & Loaded & Trusted>(tellRefused).judge(requestRules)

const looked = row<Asking & Loaded & Trusted>(tellRefused)
  .read((s, { trace }) => {
    const wanted = acrAsked(s.params.one("acr_values"), s.client, s.claimsRequest)
    return { provider: askedProvider(wanted, s, trace), tenant: wanted.tenant, contexts: wanted.contexts }
  })
  .judge(needRules, tell)
  .decide((s, inquiry) => tell(undefined, s, inquiry))

/** Ends the `looked` kind of request with a report of what the person stage would ask for. Its table is that of the person stage. */
export const look: Stage<Asking & Loaded & Trusted, never> = {
  tables: [],
  run: (seen, inquiry) => decided(looked.attempt(seen, inquiry)),
}
