/** Returns the languages of an Accept-Language header, in order of preference (RFC 9110 §12.5.4); at most ten. */
export const acceptedLocales = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .split(",", 20)
    .filter((part) => part.length <= longestRange)
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim())
      const quality = parameters.find((parameter) => parameter.startsWith("q="))
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
    })
    .filter(({ tag, quality }) => isLocale(tag) && quality > 0)
    .sort((left, right) => right.quality - left.quality)
    .map(({ tag }) => tag)
    .slice(0, 10)

/** Returns the languages of a `ui_locales` parameter, in order of preference (OpenID Connect Core §3.1.2.1); at most ten. */
export const wantedLocales = (uiLocales: string | undefined): ReadonlyArray<string> =>
  (uiLocales ?? "").split(" ", 20).filter(isLocale).slice(0, 10)

/** The maximum length of a language range with its quality, in characters. */
const longestRange = 64

/** Reports whether a word looks like a BCP 47 tag. */
export const isLocale = (tag: string): boolean => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/.test(tag)
