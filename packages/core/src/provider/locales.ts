import type { CookieChange, Page } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Message, acceptedLocales, isLocale, readCookie, readPairs, readParams, wantedLocales, writeParams } from "../wire/index.ts"

/** The query parameter by which a page's language menu asks for the same page in another language. */
const languageParameter = "lang"

/** The longest query that a language menu repeats, in characters: it does so once for each language. */
const longestQuery = 2000

/** A language that the person chose from a page's menu, as their browser keeps it: `de.1795219200`. */
interface Chosen {
  readonly tag: string
  readonly at: number
}

const isRead = ({ method }: Message): boolean => method === "GET" || method === "HEAD"

const askedNow = (message: Message): string | undefined => {
  const tag = isRead(message) ? readParams(message.query).one(languageParameter) : undefined
  return tag !== undefined && isLocale(tag) ? tag : undefined
}

const keptChoice = (message: Message, { ports }: Inquiry): Chosen | undefined => {
  const [tag = "", at = ""] = (readCookie(message.headers["cookie"], "language", ports.settings.issuer) ?? "").split(".")
  return isLocale(tag) && /^\d{1,12}$/.test(at) ? { tag, at: Number(at) } : undefined
}

/**
 * The languages of a page, best first: the one just chosen from its menu, `ui_locales` (OpenID Connect Core §3.1.2.1), the one
 * chosen before, Accept-Language. A choice made while this very request waits comes before the request's `ui_locales`.
 */
export const pageLocales = (message: Message, inquiry: Inquiry): ReadonlyArray<string> => {
  const { about, now, ports } = inquiry
  const asked = askedNow(message)
  const kept = keptChoice(message, inquiry)
  const choice = kept === undefined ? [] : [kept.tag]
  const wanted = wantedLocales(about.uiLocales ?? readParams(message.query).one("ui_locales"))
  const begun = about.askedAt ?? now - ports.settings.interactionLifetime
  return [
    ...(asked === undefined ? [] : [asked]),
    ...(kept !== undefined && kept.at >= begun ? [...choice, ...wanted] : [...wanted, ...choice]),
    ...acceptedLocales(message.headers["accept-language"]),
  ]
}

/** The cookie that keeps a language just chosen. */
export const languageCookie = (message: Message, { now }: Inquiry): ReadonlyArray<CookieChange> => {
  const tag = askedNow(message)
  return tag === undefined ? [] : [{ name: "language", value: `${tag}.${now}` }]
}

/**
 * The address of a page in any language, ending where the language's tag belongs; undefined for a page that cannot be got again, for
 * an error, which repeats nothing of what it was asked (RFC 9700 §4.11), and for an address too long to be repeated.
 */
export const languageAddress = (page: Page, message: Message, basePath: string): string | undefined => {
  const place = placeOf(page, message, basePath)
  if (place === undefined) return undefined
  const query = writeParams(place.query)
  return query.length > longestQuery ? undefined : `${place.path}?${query}${query === "" ? "" : "&"}${languageParameter}=`
}

/** The parameters by which our own pages are got. */
const own: ReadonlySet<string> = new Set(["interaction", "user_code", "another"])

interface Place {
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
}

/** The address that shows a page again; of a form shown again after a POST, that of the request that waits. */
const placeOf = (page: Page, message: Message, basePath: string): Place | undefined => {
  switch (page._tag) {
    case "Error":
    case "FormPost":
      return undefined
    case "Login":
      return { path: basePath + page.form.action, query: waitingFor(page, message) }
    case "SigningOut":
      return page.onward === undefined ? { path: `${basePath}/logout`, query: [] } : undefined
    case "SignedOut":
      return { path: `${basePath}/logout`, query: [] }
    case "Logout":
      return { path: basePath + page.form.action, query: page.form.hidden.filter(([name]) => name !== "csrf") }
    default:
      return isRead(message) ? { path: message.path, query: repeated(message) } : undefined
  }
}

const repeated = (message: Message): Place["query"] => readPairs(message.query).filter(([name]) => own.has(name))

const waitingFor = (page: Extract<Page, { _tag: "Login" }>, message: Message): Place["query"] =>
  isRead(message) ? repeated(message) : page.form.hidden.filter(([name]) => name === "interaction")
