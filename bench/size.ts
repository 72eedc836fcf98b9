import * as shipped from "../packages/core/src/provider/features.ts"
import { type Weight, guarded, least, programOf, weigh, whole } from "./size/weigh.ts"

// Prints the weight of a provider's bundle, and of each feature beside the least one: `node bench/size.ts`.

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(7)
const line = (name: string, { gzip, minified, from }: Weight): void =>
  console.log(
    `${name.padEnd(28)}${kilobytes(gzip)}${kilobytes(minified)}${kilobytes(from.effect)}${kilobytes(from.jose)}${kilobytes(from.postern)}`,
  )

console.log(`${"in KB".padEnd(28)}   gzip minified effect  jose  postern`)
line("all features", await weigh(whole))
const base = await weigh(programOf(least))
line("the least that signs in", base)
line("an API with @postern/verify", await weigh(guarded))
line("no feature", await weigh(programOf([])))
console.log("\nA feature with its own share, beside the least (for those in it: what goes without it), in KB gzip")
for (const name of Object.keys(shipped).sort()) {
  const isPart = least.some((each) => each === name)
  const { gzip } = await weigh(programOf(isPart ? least.filter((each) => each !== name) : [...least, name]))
  console.log(`${name.padEnd(28)}${kilobytes(isPart ? base.gzip - gzip : gzip - base.gzip)}`)
}
