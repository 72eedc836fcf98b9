import type { Instant, Json, JsonObject, ToldSignIn } from "./index.ts"
import type { Settings } from "../model/index.ts"
import { areMethods, isContext, isOwnContext } from "../rules/acr.ts"
import { isNotAhead } from "../rules/ahead.ts"

const isPast = (value: Json, now: Instant): value is number => typeof value === "number" && value >= 0 && isNotAhead(value, now)

/**
 * Reads the sign-in in a JWT of another issuer (OpenID Connect Core §2). Undefined if one of its claims is malformed, or longer than the
 * provider allows. A single method may be given instead of a list. A context of this provider's own is omitted, because only the provider
 * decides how it is reached and APIs rely on it (RFC 9470 §3). It can only result from `contexts`, in which the operator maps the issuer's
 * contexts to the provider's own.
 */
export const signInTold = (
  { auth_time: at, acr, amr = [] }: JsonObject,
  now: Instant,
  settings: Pick<Settings, "acr" | "acrValues">,
  contexts?: Readonly<Record<string, string>>,
): ToldSignIn | undefined => {
  const methods: unknown = Array.isArray(amr) ? amr : [amr]
  if ((at !== undefined && !isPast(at, now)) || (acr !== undefined && !isContext(acr)) || !areMethods(methods)) return undefined
  // A difference between clocks must not place a sign-in in the future.
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
