import * as Effect from "effect/Effect"
import type { Client, Instant, PendingAuthorization, Refusal, WaitingInteraction } from "../../model/index.ts"
import { scopeWords } from "../../model/index.ts"
import { acrAsked, acrReached } from "../../rules/acr.ts"
import { clientFace, destinationOf, personFace, scopeFaces } from "../../rules/faces.ts"
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
 * The earliest sign-in that does for a waiting request, if it is answered now: where one is forced, that after the request; where its age is bounded, one
 * that is young enough at the answer (OpenID Connect Core §3.1.2.1).
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
    // A pairwise client knows its people by other names than the authenticator does (OpenID Connect Core §8.1).
    subject: typeof expected === "string" && client.subjectType === "public" ? expected : undefined,
    local: client.allowLocalLogin,
    providers: providerChoices({ settings, client }, browser, waiting?.handle ?? ""),
  }
}

/** The part of what is asked for that the client has already. */
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

/** Tells what is needed; where the answer is a refusal, nothing is, and the client will be told. */
const tell = (objection: Need | Refusal | undefined, s: NeedSeen & Trusted, { trace, now }: Inquiry) => {
  const { client, settings, visitor, waiting, browser, tenant } = s
  const need = objection === undefined || objection._tag === "Refusal" ? "nothing" : objection.need === "login" ? "sign_in" : "consent"
  const person = visitor !== undefined && isLive(visitor.session, now) ? visitor.person : undefined
  return toldWaiting({
    need,
    why: whyOf(trace),
    interaction: waiting?.handle ?? "",
    csrf: need === "sign_in" ? browser.csrf : csrfWithVersion(browser.sessionCsrf, client),
    client: clientFace(client),
    person: person && personFace(person),
    tenant,
    signIn: need === "sign_in" ? signInNeed(s) : undefined,
    consent: need === "consent" ? consentNeed(s) : undefined,
    location: need === "nothing" ? settings.issuer.replace(/\/$/, "") + resumeOf(waiting?.handle, waiting?.interaction) : undefined,
    expiresAt: waiting?.interaction.expiresAt ?? now,
  })
}

/** Tells that nothing is needed: the request will be refused where it goes on, and the client will be told there. */
const tellRefused = (refusal: Refusal, s: Asking & Loaded & Trusted, inquiry: Inquiry) =>
  tell(refusal, { ...s, provider: undefined, tenant: undefined, contexts: [] }, inquiry)

/** Tells that nothing is needed of a request that is finished: where it goes on it is answered as it was. */
export const lookedAnswered: Stage<Asking & Loaded & Trusted, object> = {
  tables: [],
  run: (s, inquiry) =>
    isAnswered(s) ? decided(tell(undefined, { ...s, provider: undefined, tenant: undefined, contexts: [] }, inquiry)) : Effect.succeed(s),
}

/** Judges what is asked for, and tells instead of ending the request. */
export const lookedRequest = row<Asking & Loaded & Trusted>(tellRefused).judge(requestRules)

const looked = row<Asking & Loaded & Trusted>(tellRefused)
  .read((s, { trace }) => {
    const wanted = acrAsked(s.params.one("acr_values"), s.client, s.claimsRequest)
    return { provider: askedProvider(wanted, s, trace), tenant: wanted.tenant, contexts: wanted.contexts }
  })
  .judge(needRules, tell)
  .decide((s, inquiry) => tell(undefined, s, inquiry))

/** Ends a way in by telling what the person's stage would ask for. Its table is that of the person's stage. */
export const look: Stage<Asking & Loaded & Trusted, never> = {
  tables: [],
  run: (seen, inquiry) => decided(looked.attempt(seen, inquiry)),
}
