import type { CookieChange } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"
import { writeCookie } from "../wire/index.ts"

/** A header field. */
export type Header = readonly [name: string, value: string]

/** The headers of an answer that must not be cached. */
export const noStore: ReadonlyArray<Header> = [
  ["cache-control", "no-store"],
  ["pragma", "no-cache"],
]

/** Seconds for which a browser keeps a cookie; undefined means until it closes. */
const cookieLife = { session: undefined, browser: undefined, language: 31_536_000, known: 7_776_000 } as const

/** Writes cookies as headers. */
export const setCookies = (cookies: ReadonlyArray<CookieChange>, { ports }: Inquiry): ReadonlyArray<Header> =>
  cookies.map(({ name, value }) => [
    "set-cookie",
    writeCookie({ name, value: value ?? "", maxAge: value === undefined ? 0 : cookieLife[name] }, ports.settings.issuer),
  ])
