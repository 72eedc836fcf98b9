import type { Params } from "../wire/index.ts"

/**
 * Characters that a displayed text must not contain, because they would break a line or reverse the direction of the surrounding text
 * (Unicode UAX #9).
 */
const unshowable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u

/** Reports whether a text can be shown to a person unchanged. */
export const isShowable = (text: string): boolean => !unshowable.test(text)

/**
 * Returns the `login_hint` of a request (OpenID Connect Core §3.1.2.1); undefined for one that cannot be shown, which identifies nobody.
 */
export const loginHintOf = (params: Params): string | undefined => {
  const hint = params.one("login_hint")
  return hint !== undefined && isShowable(hint) ? hint : undefined
}
