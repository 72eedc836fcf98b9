import * as Effect from "effect/Effect"
import { type CookieChange, type Seconds, sameDigest, usernameKey } from "../model/index.ts"
import { type Message, encodeBase64Url, readCookie } from "../wire/index.ts"
import { keyedHash } from "./account.ts"
import type { Inquiry } from "./request.ts"

/** An earlier sign-in of one account at a browser, as its cookie tells it. */
interface Earlier {
  /** 128 random bits, others after each sign-in: the browser's tries are counted under it. */
  readonly id: string
  /** In seconds, base 36. */
  readonly expiresAt: string
  readonly seal: string
}

/** The accounts that a browser is known for; one more takes the place of the one that signed in longest ago. */
const most = 5

/** Time for which an earlier sign-in counts: 90 days. */
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

/** The earlier sign-in of an account at this browser, and those that are not its own. */
const sorted = Effect.fnUntraced(function* (message: Message, username: string, inquiry: Inquiry) {
  let own: Earlier | undefined
  const others: Array<Earlier> = []
  for (const each of earlierAt(message, inquiry)) {
    if (sameDigest(yield* sealOf(username, each, inquiry), each.seal)) own ??= each
    else others.push(each)
  }
  return { own, others }
})

/** The id of the earlier sign-in of an account at this browser; undefined where there was none. */
export const knownDevice = (message: Message, username: string, inquiry: Inquiry) =>
  Effect.map(sorted(message, username, inquiry), ({ own }) => own?.id)

/**
 * The cookie that a browser is known by after a sign-in. It names no account and holds another id each time; only who has the account key can
 * tell for whom it is good.
 */
export const knownCookie = Effect.fnUntraced(function* (message: Message, username: string, inquiry: Inquiry) {
  const { others } = yield* sorted(message, username, inquiry)
  const fresh = { id: encodeBase64Url(inquiry.ports.entropy.bytes(16)), expiresAt: (inquiry.now + life).toString(36) }
  const all = [{ ...fresh, seal: yield* sealOf(username, fresh, inquiry) }, ...others].slice(0, most)
  const value = all.map(({ id, expiresAt, seal }) => `${id}.${expiresAt}.${seal}`).join("~")
  return { name: "known", value } satisfies CookieChange as CookieChange
})
