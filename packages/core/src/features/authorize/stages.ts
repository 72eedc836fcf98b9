import * as Effect from "effect/Effect"
import { mapped, together } from "../../ports/steps.ts"
import { acrAsked } from "../../rules/acr.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { holdTo, profileOf } from "../../rules/profile.ts"
import { askedProvider } from "../../rules/provider.ts"
import { loadBrowser } from "../../settle/browser.ts"
import { foretold } from "../../settle/confirmation.ts"
import { declaredForms } from "../../rules/resource.ts"
import { visitorsLimited } from "../../settle/rate.ts"
import { sentOn as sentOnTo } from "../../settle/sentOn.ts"
import { Decided, row } from "../../settle/stage.ts"
import type { Asking, ClientSeen, Loaded, Resuming, Trusted, TurnedDown } from "./evidence.ts"
import { requestFacts } from "./facts.ts"
import { findClient, load } from "./load.ts"
import { needRules } from "./needs.ts"
import { ask, refuseByPage, sendError } from "./outcome.ts"
import { type Arrived, parse } from "./parse.ts"
import { clientRules, requestRules, trustRules, turnDownRules } from "./rules.ts"

/** Limits the requests of an address. */
export const rate = visitorsLimited("authorize", "authorizeAddress")

/** Reads the request in a message, with its browser and its client. */
export const arrive = row<Arrived, PageRefusal>(toPage).read((s, inquiry) => {
  const request = parse(s, inquiry.ports.settings.authorizationParameters)
  return together({ ...request, browser: loadBrowser(s.message, inquiry), client: findClient(request.clientId, inquiry) })
})

/** The path of the authorization endpoint. */
export const authorizePath = "/connect/authorize"

/**
 * Repeats a form that arrived without the provider's cookies as a GET request, which has them. The rules before it, which answer by a page
 * only, need no cookie.
 */
export const sentOn = sentOnTo(authorizePath)

/** Establishes the client. */
export const client = row<ClientSeen & Resuming, PageRefusal>(refuseByPage)
  .read(({ client: asking, params, resources }, { ports, trace }) => {
    const profile = asking && profileOf(asking, ports.settings)
    if (profile !== undefined) holdTo(profile, trace)
    return {
      resources: profile === undefined ? resources : declaredForms(ports.settings.catalog, profile, resources),
      about: { clientId: asking?.clientId, profile, uiLocales: params.one("ui_locales") ?? "" },
    }
  })
  .judge(clientRules)

/** Reads the session, its person and their consent. */
export const visitor = row<Asking, PageRefusal>(refuseByPage).read(load)

/** Establishes where an answer may be sent. */
export const trust = row<Asking & Loaded, PageRefusal>(refuseByPage).judge(trustRules)

/** Adds the session state that features report to every response (OpenID Connect Session Management §2). */
export const sessionTold = row<Asking & Loaded & Trusted>(sendError).read(({ callback, browser }, inquiry) => {
  const { sessionTellings } = inquiry.parts
  if (sessionTellings.length === 0) return {}
  const told = Effect.all(sessionTellings.map((each) => each.told(callback, browser.session, inquiry)))
  return mapped(told, (all) => ({
    callback: { ...callback, added: all.flatMap(({ params }) => params) },
    headers: all.flatMap(({ headers }) => headers),
  }))
})

/** Sends failures to the client from here on. A failure while a page is answered is shown to the person, who can answer again. */
export const errorsToClient = row<Trusted & Loaded>(sendError).read(({ callback }) => ({ about: { callback } }))

/** Ends a request that was rejected. */
export const turnDown = row<Pick<TurnedDown, "turnedDown"> & Asking & Loaded & Trusted>(sendError).judge(turnDownRules)

/** Judges the request. The trail records how the request arrived only once, because the request is judged again after each page. */
export const request = row<Asking & Loaded & Trusted & Resuming>(sendError)
  .read((s) =>
    s.waiting === undefined
      ? { about: { facts: { "authorization request": s.pushed === undefined ? "not pushed" : "pushed", ...requestFacts(s) } } }
      : {},
  )
  .judge(requestRules)

/** Establishes the key to which a code must be bound, if the request names one (RFC 9449 §10). */
export const keyNamed = row<Asking & Loaded & Trusted>(sendError).read((s, inquiry) =>
  mapped(foretold({ params: s.params, message: undefined, client: s.client }, inquiry), (end) => {
    if (!(end instanceof Decided)) return { codeBoundTo: end.confirmation }
    return "refusal" in end.decision ? new Decided(sendError(end.decision.refusal, s)) : end
  }),
)

/** Establishes the person and their consent. */
export const person = row<Asking & Loaded & Trusted>(sendError)
  .read((s, { trace }) => {
    const asked = acrAsked(s.params.one("acr_values"), s.client, s.claimsRequest)
    return { provider: askedProvider(asked, s, trace), tenant: asked.tenant, contexts: asked.contexts }
  })
  .judge(needRules, ask)
