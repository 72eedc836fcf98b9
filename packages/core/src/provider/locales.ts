import type { CookieChange, Page } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Message, acceptedLocales, isLocale, readCookie, readPairs, readParams, wantedLocales, writeParams } from "../wire/index.ts"

/** The query parameter with which a page's language menu requests the same page in another language. */
const languageParameter = "lang"

/** The maximum length of a query that a language menu repeats, in characters, because it is repeated for each language. */
const longestQuery = 2000

/** A language that the person chose from a page's menu, as stored in the cookie: `de.1795219200`. */
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
 * Returns the languages of a page, in order of preference: the one just chosen from its menu, `ui_locales` (OpenID Connect Core §3.1.2.1),
 * the one chosen before, Accept-Language. A choice made while this request waits takes precedence over its `ui_locales`.
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

/** Returns the cookie that stores a newly chosen language. */
export const languageCookie = (message: Message, { now }: Inquiry): ReadonlyArray<CookieChange> => {
  const tag = askedNow(message)
  return tag === undefined ? [] : [{ name: "language", value: `${tag}.${now}` }]
}

/**
 * Returns the address of a page in any language, to which the language tag is appended. It is undefined for a page that cannot be requested
 * again, for an error, which repeats no part of its request (RFC 9700 §4.11), and for an address that is too long.
 */
export const languageAddress = (page: Page, message: Message, basePath: string): string | undefined => {
  const place = placeOf(page, message, basePath)
  if (place === undefined) return undefined
  const query = writeParams(place.query)
  return query.length > longestQuery ? undefined : `${place.path}?${query}${query === "" ? "" : "&"}${languageParameter}=`
}

/** The query parameters of the built-in pages. */
const own: ReadonlySet<string> = new Set(["interaction", "user_code", "another"])

interface Place {
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
}

/** Returns the address that shows a page again. For a form that is shown again after a POST, it is the address of the waiting request. */
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
