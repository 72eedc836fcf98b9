import type { Params } from "../wire/index.ts"

/** Characters that no text has which is shown: they would break a line, or turn the words around them about (Unicode UAX #9). */
const unshowable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u

/** Reports whether a text can be shown to a person as it is. */
export const isShowable = (text: string): boolean => !unshowable.test(text)

/** The name that a client asks a person to sign in by (OpenID Connect Core §3.1.2.1 login_hint); undefined for one that cannot be shown, which is nobody's. */
export const loginHintOf = (params: Params): string | undefined => {
  const hint = params.one("login_hint")
  return hint !== undefined && isShowable(hint) ? hint : undefined
}
