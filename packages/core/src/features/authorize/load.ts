import * as Effect from "effect/Effect"
import type { Client } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { readDetails } from "../../rules/details/known.ts"
import { isLive } from "../../rules/session.ts"
import { mustBeBound } from "../../settle/confirmation.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { subjectFor } from "../../settle/subject.ts"
import type { Asking, ClientRequest, Hint, Resuming, Visitor } from "./evidence.ts"

/** Finds the client of a request. */
export const findClient = (clientId: string | undefined, { ports }: Inquiry): Effect.Effect<Client | undefined, PortFailed> =>
  clientId === undefined ? Effect.succeed(undefined) : ports.clients.find(clientId)

/** Finds the person whom the request's `id_token_hint` names, or named when the request was stored. */
export const hintOf = (
  { waiting, pushed, idTokenHint, clientId }: ClientRequest & Resuming,
  inquiry: Inquiry,
): Effect.Effect<Hint | undefined, PortFailed> => {
  const subject = waiting?.interaction.hint ?? pushed?.hint
  if (subject !== undefined) return Effect.succeed({ subject })
  return mapped(loadIdToken(idTokenHint, inquiry), (claims) => {
    const named = claims?.["sub"]
    return claims?.["aud"] === clientId && typeof named === "string" ? { subject: named } : undefined
  })
}

const visitorOf = ({ client, browser: { session }, waiting }: Asking, inquiry: Inquiry): Effect.Effect<Visitor | undefined, PortFailed> => {
  if (session === undefined) return Effect.succeed(undefined)
  const { ports } = inquiry
  const { subject } = session
  const known = waiting?.page
  return together({
    session,
    person: known === undefined ? ports.authenticator.find(subject) : known.person,
    consent: known === undefined ? ports.tokens.findConsent(subject, client.clientId) : known.consent,
    sub: subjectFor(client, subject, inquiry),
    subjectIsClient: mapped(ports.clients.find(subject), (named) => named !== undefined),
  })
}

/** Reads the session, the person, the consent and the other values that the tables need in addition to the client. */
export const load = (s: Asking, inquiry: Inquiry) => {
  const { ports, now } = inquiry
  const { session } = s.browser
  return together({
    settings: ports.settings,
    now,
    hint: hintOf(s, inquiry),
    sectorFault: sectorFaultOf(s.client, inquiry),
    mustBeBound: mustBeBound(s.client, inquiry),
    details: readDetails(s.authorizationDetails, ports.settings, s.client),
    visitor: visitorOf(s, inquiry),
    about: {
      // The request object may omit ui_locales; a value beside the object in the query is ignored (RFC 9101 §6.3).
      uiLocales: s.params.one("ui_locales") ?? "",
      subject: isLive(session, now) ? session.subject : undefined,
    },
  })
}
