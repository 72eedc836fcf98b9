import * as Effect from "effect/Effect"
import { type CookieChange, type Seconds, sameDigest, usernameKey } from "../model/index.ts"
import { type Message, encodeBase64Url, readCookie } from "../wire/index.ts"
import { mapped, together } from "../ports/steps.ts"
import { keyedHash } from "./account.ts"
import type { Inquiry } from "./request.ts"

/** An earlier sign-in of one account at a browser, from its cookie. */
interface Earlier {
  /** 128 random bits, renewed at each sign-in, under which the browser's attempts are counted. */
  readonly id: string
  /** The time of expiry, in seconds, base 36. */
  readonly expiresAt: string
  readonly seal: string
}

/** The maximum number of accounts of a known browser; a further one replaces the one with the oldest sign-in. */
const most = 5

/** The time for which a browser stays known after a sign-in: 90 days. */
const life: Seconds = 7_776_000

const earlierAt = (message: Message, { ports, now }: Inquiry): ReadonlyArray<Earlier> =>
  (readCookie(message.headers["cookie"], "known", ports.settings.issuer) ?? "")
    .split("~", most)
    .flatMap((text) => {
      const [, id, expiresAt, seal] = /^([\w-]{22})\.([0-9a-z]{1,8})\.([\w-]{43})$/.exec(text) ?? []
      return id === undefined || expiresAt === undefined || seal === undefined ? [] : [{ id, expiresAt, seal }]
    })
    .filter(({ expiresAt }) => Number.parseInt(expiresAt, 36) > now)

const sealOf = (username: string, { id, expiresAt }: Pick<Earlier, "id" | "expiresAt">, inquiry: Inquiry) =>
  keyedHash(["known device", usernameKey(username), id, expiresAt], inquiry)

/** Separates the earlier sign-in of an account at this browser from those of other accounts. */
const sorted = (message: Message, username: string, inquiry: Inquiry) => {
  const sealed = earlierAt(message, inquiry).map((each) =>
    mapped(sealOf(username, each, inquiry), (seal) => ({ each, isOwn: sameDigest(seal, each.seal) })),
  )
  return mapped(Effect.all(sealed), (known) => ({
    own: known.find(({ isOwn }) => isOwn)?.each,
    others: known.flatMap(({ each, isOwn }) => (isOwn ? [] : [each])),
  }))
}

/** Returns the id of the earlier sign-in of an account at this browser; undefined if there was none. */
export const knownDevice = (message: Message, username: string, inquiry: Inquiry) =>
  mapped(sorted(message, username, inquiry), ({ own }) => own?.id)

/**
 * Returns the cookie that makes a browser known after a sign-in. It contains no account name and a new id each time; only the account key
 * reveals for which account it is valid.
 */
export const knownCookie = (message: Message, username: string, inquiry: Inquiry) => {
  const fresh = { id: encodeBase64Url(inquiry.ports.entropy.bytes(16)), expiresAt: (inquiry.now + life).toString(36) }
  return mapped(
    together({ known: sorted(message, username, inquiry), seal: sealOf(username, fresh, inquiry) }),
    ({ known, seal }): CookieChange => {
      const all = [{ ...fresh, seal }, ...known.others].slice(0, most)
      return { name: "known", value: all.map((each) => `${each.id}.${each.expiresAt}.${each.seal}`).join("~") }
    },
  )
}
