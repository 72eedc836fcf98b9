import { type KeyState, listKeys, type RingKey, rotateKeys } from "@postern/core/jose"
import { promised } from "../action.ts"
import { keyCareOf, keyFailure } from "../data/keyCare.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { moment, say, sayJson, styled, table } from "../terminal/output.ts"

const standing: Readonly<Record<KeyState, string>> = {
  upcoming: "signs from",
  active: "signs",
  retired: "verifies until",
  expired: "leaves the key set",
}

/** The descriptions of a decryption key's states. Such a key decrypts as long as it is published. */
const decrypting: Readonly<Record<KeyState, string>> = { ...standing, upcoming: "decrypts", active: "decrypts", retired: "decrypts until" }

const state = ({ key, state: at, removeAt }: RingKey): string => {
  const signs = key.publicJwk.use === "sig"
  const said = (signs ? standing : decrypting)[at]
  if (at === "upcoming" && signs) return `${said} ${moment(key.activeAt)}`
  return at === "retired" && removeAt !== undefined ? `${said} ${moment(removeAt)}` : said
}

const listed = ({ key, state: at, retiresAt, removeAt }: RingKey): object => ({
  kid: key.kid,
  alg: key.alg,
  state: at,
  created_at: key.createdAt,
  active_at: key.activeAt,
  retires_at: retiresAt ?? null,
  remove_at: removeAt ?? null,
  encrypted: !key.privateJwk.startsWith("{"),
})

/** Lists the signing keys and their states. */
export const listSigningKeys = promised(async ({ json, ...whereabouts }: Whereabouts & { readonly json: boolean }) =>
  withStores(whereabouts, false, async (stores, place) => {
    const ring = await listKeys(keyCareOf(stores, place))
    if (json) return sayJson(ring.map(listed))
    if (ring.length === 0) return say("No keys yet: the first start creates them.")
    say(
      table(
        ["ALG", "KID", "MADE", "STATE"],
        ring.map((each) => [each.key.alg, each.key.kid, moment(each.key.createdAt), state(each)]),
      ),
    )
  }),
)

/** Adds a new key for every algorithm. It signs after an hour, or at once with `now`. */
export const rotateSigningKeys = promised(
  async ({ now, json, ...whereabouts }: Whereabouts & { readonly now: boolean; readonly json: boolean }) =>
    withStores(whereabouts, false, async (stores, place) => {
      const before = await stores.keys.list()
      const sealed = before.some(({ privateJwk }) => !privateJwk.startsWith("{"))
      const care = keyCareOf(stores, place)
      if (sealed && care.encryption === undefined) {
        throw failed(
          "the stored keys are encrypted and no key_encryption_key is configured",
          "name the configuration with --config FILE: without it, an unencrypted key would be added",
        )
      }
      // The first keys may sign at once, because no client has cached a key set yet.
      const atOnce = now || before.length === 0
      const added = await rotateKeys(care, { atOnce }).catch((error: unknown) => {
        throw keyFailure(error)
      })
      if (json) return sayJson({ added: added.map(({ kid, alg, activeAt }) => ({ kid, alg, active_at: activeAt })) })
      // The first key of an algorithm signs at once, even if its activation time is later.
      const first = (alg: string): boolean => !before.some((key) => key.alg === alg)
      const width = Math.max(6, ...added.map(({ alg }) => alg.length))
      for (const { kid, alg, activeAt, publicJwk } of added) {
        const use = publicJwk.use === "enc" ? "decrypts from now on" : `signs from ${atOnce || first(alg) ? "now on" : moment(activeAt)}`
        say(`${styled("green", "✓")} ${alg.padEnd(width)} ${kid} ${use}`)
      }
      say(`  A running provider loads them within seconds.${before.length === 0 ? "" : " The previous keys are kept for verification."}`)
    }),
)
