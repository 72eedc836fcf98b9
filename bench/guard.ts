import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { cpu, figureOf } from "./figures.ts"
import { measureScenarios } from "./parts/scenarios.ts"
import { scenarios } from "./scenarios/all.ts"
import { pinSelf } from "./servers/launch.ts"

// Tells if Postern has become slower: its CPU for an operation beside the floor's, in the same minute on the same core, against what
// guard.json holds. `node bench/guard.ts`; with --update what is measured becomes what is held.

interface Held {
  /** Factor by which a figure may be worse than held: a busy machine adds that much. */
  readonly slack: number
  readonly ratios: Readonly<Record<string, number>>
}

const guarded = ["reference", "es256", "userinfo", "introspection", "discovery"]
const file = fileURLToPath(new URL("guard.json", import.meta.url))
const held = JSON.parse(readFileSync(file, "utf8")) as Held

pinSelf(1)
// So many connections keep both servers busy even where the load has to wait for its core; of more than fifty at once from one address,
// people could not sign in.
// V8 compiles the largest functions of a token request after some 17,000 requests, for half a second. Until then each costs up to twice as much.
const options = { rounds: 7, seconds: 0.4, warmup: 1.2, warmOperations: 25_000, connections: 48 }
/** Postern's CPU for an operation beside the floor's, of each scenario. */
const ratiosOf = async (ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, number>> => {
  const { scenarios: results } = await measureScenarios(
    scenarios.filter(({ id }) => ids.includes(id)),
    options,
    { floor: true },
  )
  return new Map(
    results.map((result) => {
      const [ours, floors] = ["Postern", "floor"].map((server) => figureOf(result, server, cpu))
      if (ours === undefined || floors === undefined) throw new Error(`${result.id}: ${result.failed ?? "not measured"}`)
      // The cheapest round of each is the least disturbed one; what is slower in the code is slower there too.
      return [result.id, ours.low / floors.low] as const
    }),
  )
}

const limitOf = (id: string): number => (held.ratios[id] ?? Number.NaN) * held.slack
const worseOf = (ratios: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  [...ratios].flatMap(([id, ratio]) => {
    const fine = ratio <= limitOf(id)
    process.stdout.write(`${id}: ${ratio.toFixed(2)} times the floor's CPU, at most ${limitOf(id).toFixed(2)}${fine ? "" : ": WORSE"}\n`)
    return fine ? [] : [id]
  })

const ratios = await ratiosOf(guarded)
const seen = worseOf(ratios)
if (process.argv.includes("--update")) {
  const now = Object.fromEntries([...ratios].map(([id, ratio]) => [id, Number(ratio.toFixed(2))]))
  writeFileSync(file, `${JSON.stringify({ ...held, ratios: now }, undefined, 2)}\n`)
} else if (seen.length > 0) {
  // Slower code is slower in new processes too; what else ran on the machine is rarely there twice.
  process.stdout.write(`Measured once more: ${seen.join(", ")}.\n`)
  const worse = worseOf(await ratiosOf(seen))
  if (worse.length > 0) {
    process.stdout.write(`Slower than held, twice: ${worse.join(", ")}. See docs/performance.md.\n`)
    process.exitCode = 1
  }
}
