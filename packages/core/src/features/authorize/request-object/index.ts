import * as Effect from "effect/Effect"
import type { Decision, JsonObject, Refusal } from "../../../model/index.ts"
import type { PortFailed } from "../../../ports/index.ts"
import { onward } from "../../../ports/steps.ts"
import { type PageRefusal, toPage } from "../../../rules/page.ts"
import { profileOf } from "../../../rules/profile.ts"
import { judge } from "../../../rules/rule.ts"
import type { Inquiry } from "../../../settle/request.ts"
import { Decided, type Stage, row } from "../../../settle/stage.ts"
import type { ClientRequest, Loaded } from "../evidence.ts"
import { noObject } from "../facts.ts"
import { sendError } from "../outcome.ts"
import { trustRules } from "../rules.ts"
import { loadRequestObject, loadUnverified } from "./load.ts"
import { answeredTo } from "./parse.ts"
import { type Held, carriesObject, parameterRules, requestObjectRules } from "./rules.ts"

/** Judges how a request carries its request object, if it does. */
export const carried = row<ClientRequest>(refuseUnread)
  .read(({ client, params }, { ports: { settings } }) => ({
    profile: profileOf(client, settings),
    about: carriesObject(params) ? {} : { facts: noObject },
  }))
  .judge(parameterRules)

/** Opens the request object, which replaces the request that carried it. */
export const opened = row<Held>(refuseUnread)
  .read(loadRequestObject)
  .judge(requestObjectRules, (refusal, s, inquiry) => refuseObject(refusal, s, s.said, inquiry))
  .read(({ request }) => request)

/** Refuses the way in which a request object is carried. The response parameters that the object states still apply. */
function refuseUnread(refusal: Refusal, s: ClientRequest, inquiry: Inquiry) {
  return onward(loadUnverified(s, inquiry), (said) => refuseObject(refusal, s, said, inquiry))
}

interface RefusedObject extends ClientRequest, Pick<Loaded, "settings"> {
  readonly refusal: Refusal
  /** The request that carried the object. */
  readonly carrier: ClientRequest
}

/**
 * Refuses a request because of its request object. The error goes to the client in the requested mode if the redirect_uri belongs to the
 * client, otherwise to a page (RFC 9101 §7, OpenID Connect Core §3.1.2.6, OAuth 2.0 Multiple Response Types §2.1).
 */
const refuseObject = (
  refusal: Refusal,
  carrier: ClientRequest,
  said: JsonObject | undefined,
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> => {
  const request = answeredTo(carrier, said)
  return request.redirectUri === undefined
    ? Effect.succeed(toPage({ ...refusal, trouble: "request_invalid", status: 400 }))
    : refused.attempt({ ...request, client: carrier.client, settings: inquiry.ports.settings, refusal, carrier }, inquiry)
}

/** Checks the redirect_uri beside an object, because an unregistered one is refused wherever it stands. */
const trustedBeside: Stage<RefusedObject, object> = {
  tables: [trustRules],
  run: ({ carrier, settings }, { trace }) => {
    const seen = { ...carrier, settings }
    const untrusted = carrier.redirectUri === undefined ? undefined : judge(trace, trustRules, seen, seen)
    return Effect.succeed(untrusted === undefined ? {} : new Decided(toPage(untrusted)))
  },
}

const refused = row<RefusedObject, PageRefusal>(toPage)
  .through(trustedBeside)
  .judge(trustRules)
  .decide(({ refusal, callback }, { now }) => sendError(refusal, { callback, now }))
