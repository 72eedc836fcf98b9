import type { Instant, Json, JsonObject, ToldSignIn } from "./index.ts"
import { type Settings, clockTolerance } from "../model/index.ts"
import { areMethods, isContext, isOwnContext } from "../rules/acr.ts"

const isPast = (value: Json, now: Instant): value is number => typeof value === "number" && value >= 0 && value <= now + clockTolerance

/**
 * Reads the sign-in that a JWT of somebody else tells of (OpenID Connect Core §2); undefined where a claim of it has no sound form, or is longer than one of ours may
 * be. One method may stand for a list of one. A context of our own is left out: what it takes to reach it is decided here alone, and APIs rely on it (RFC 9470 §3). So only
 * `contexts`, by which the operator says which of the issuer's contexts stand for which of ours, can lead to one.
 */
export const signInTold = (
  { auth_time: at, acr, amr = [] }: JsonObject,
  now: Instant,
  settings: Pick<Settings, "acr" | "acrValues">,
  contexts?: Readonly<Record<string, string>>,
): ToldSignIn | undefined => {
  const methods: unknown = Array.isArray(amr) ? amr : [amr]
  if ((at !== undefined && !isPast(at, now)) || (acr !== undefined && !isContext(acr)) || !areMethods(methods)) return undefined
  // Clocks that are apart must not make a sign-in later than it can be.
  return {
    authTime: at === undefined ? undefined : Math.min(Math.floor(at), now),
    acr: acr === undefined ? undefined : contextOf(acr, settings, contexts),
    amr: methods,
  }
}

const contextOf = (
  theirs: string,
  settings: Pick<Settings, "acr" | "acrValues">,
  contexts: Readonly<Record<string, string>> | undefined,
): string | undefined => {
  if (contexts === undefined) return isOwnContext(settings, theirs) ? undefined : theirs
  const ours = Object.keys(contexts).find((each) => contexts[each] === theirs)
  return isContext(ours) ? ours : undefined
}
