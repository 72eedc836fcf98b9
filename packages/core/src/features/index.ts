import type * as Effect from "effect/Effect"
import { type Awaitable, type PortFailed, atOnceWithin } from "../ports/index.ts"

export { defineFeature } from "./definition.ts"
export type { AuditMeaning, Composition, Deliver, DeliveryMeans, Described, Feature, Joined } from "./feature.ts"
export type { RegistrationName } from "./registrations.ts"
export {
  type ClientFace,
  type Command,
  type ConsentScope,
  type Decision,
  type FeaturePage,
  type Form,
  type Json,
  type JsonObject,
  type Member,
  type Members,
  type PageKind,
  type PersonFace,
  type Refusal,
  type ResponseMode,
  type RowKind,
  type Values,
  addMessage,
  happening,
  insertedAs,
  insertion,
  member,
  pageKind,
  putting,
  refuse,
  rowKind,
  values,
  valuesOfSchema,
} from "../model/index.ts"
export { mapped, together } from "../ports/steps.ts"
export { displayedClient, displayedPerson } from "../rules/faces.ts"
export { type FormToken, sentAsForm, stale, tokenOfSession } from "../rules/ownForm.ts"
export { type PageRefusal, refusePage, toPage } from "../rules/page.ts"
export type { Fault, Registration, RegistrationTable } from "../rules/registrationFault.ts"
export { type Objection, type Proof, type ProvingTable, pass, prove, table } from "../rules/rule.ts"
export { type SessionSeen, sessionRules } from "../rules/session.ts"
export type { Browser } from "../settle/browser.ts"
export { authenticated } from "../settle/client.ts"
export { type Asked, type Endpoint, type Place, endpoint } from "../settle/endpoint.ts"
export { formOf, fromOwnPages, go, page, personOf, show } from "../settle/pages.ts"
export { visitorsLimited } from "../settle/rate.ts"
export { signInFor } from "../settle/waiting.ts"
export { form, refuseJson, replyJson } from "../settle/programs.ts"
export type {
  ClientAuthentication,
  Confirming,
  FeatureParts,
  ForetellingRequest,
  Foretold,
  PresentedRequest,
  ProvingRequest,
  SessionTelling,
} from "../settle/inquiry.ts"
export type {
  EndedSessions,
  EndingMeans,
  SessionEnding,
  SessionFrames,
  SessionMemory,
  SessionUse,
  TellingMeans,
  UpstreamSignIn,
  UsedSession,
} from "../settle/sessionParts.ts"
export { type PresentedToken, presentedToken, refuseToken } from "../settle/presentedToken.ts"
export type { Undelivered } from "../settle/outbox.ts"
import type { Inquiry } from "../settle/request.ts"
export { type Inquiry, freshLocator } from "../settle/request.ts"
export { type Row, type Stage, row } from "../settle/stage.ts"

/**
 * Reads something outside the provider, synchronously or with a promise, for a stage of a row. A failure is answered
 * `temporarily_unavailable` and reported under `name`. So is a read that takes longer than `portTimeout`, if the inquiry is given.
 *
 * ```ts
 * row.read((_, inquiry) => reading("opening hours", async () => ({ hours: await hoursOf("monday") }), inquiry))
 * ```
 */
export const reading = <A extends object>(
  name: string,
  run: () => Awaitable<A>,
  inquiry?: { readonly ports: Pick<Inquiry["ports"], "patience"> },
): Effect.Effect<A, PortFailed> => atOnceWithin(inquiry?.ports.patience)(name, "read", run)()
