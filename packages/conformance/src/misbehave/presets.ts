import { createHash } from "node:crypto"
import { misbehaviors } from "./catalog.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { numbers } from "./numbers.ts"

const numbered = (...wanted: ReadonlyArray<number>): ReadonlyArray<string> =>
  wanted.flatMap((number) => {
    const row = numbers[number]
    return row === undefined || typeof row === "string" ? [] : row
  })

const span = (from: number, to: number): ReadonlyArray<number> => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** The faults that `chaos` draws from, regardless of other selected faults. They change responses that belong to one sign-in. */
export const chaos = misbehaviors.filter(
  ({ transform, signIns }) => signIns === 1 && ["authorization", "token", "refresh", "userinfo"].some((stage) => stage in transform),
)

/** Named sets of faults, for `faults`. */
export const presets = {
  /** The faults of the OpenID Foundation's relying party tests for the basic profile: code flow, discovery, keys, userinfo. */
  "oidf-basic": numbered(1, 6, 7, 9, 10, 14, 15, 16, 18, 19, 20, 22, 23, 29, 31, 34, 35, 65, 66, 67, 72, 73, 74),
  /**
   * The faults of the OpenID Foundation's tests of FAPI 2.0 clients that need neither DPoP nor mutual TLS. Faults of response JWTs apply to
   * clients that request these.
   */
  fapi2: numbered(1, 2, 3, ...span(11, 25), 27, 28, 31, 32, ...span(44, 49), ...span(54, 57), 58, 60, 66, 67),
  /** Faults that clients of the Model Context Protocol may meet: metadata, `iss` of responses, mix-up, resources, scopes, refresh. */
  mcp: numbered(...span(1, 5), ...span(44, 51), 62, 64, 65, 68, 71, 84, 85),
  /** Faults of CIBA: authentication responses, pings, and pushed results. */
  ciba: misbehaviors.flatMap(({ id }) => (/^ciba(?:-ping|-push)?\./.test(id) ? [id] : [])),
  /** One fault or none for each sign-in, drawn by a seed. */
  chaos: chaos.map(({ id }) => id),
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** The name of a preset. */
export type PresetName = keyof typeof presets

/** Reports whether a text names a preset. */
export const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name)

/** Draws the fault of a client's nth sign-in by a seed. Undefined means none, one time in four. The same seed draws the same faults. */
export const draw = (seed: number, client: string, nth: number, from: ReadonlyArray<Misbehavior>): Misbehavior | undefined => {
  const number = createHash("sha256").update(`${seed}\n${client}\n${nth}`).digest().readUInt32BE()
  return number % 4 === 0 ? undefined : from[Math.floor(number / 4) % from.length]
}
