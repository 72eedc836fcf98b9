/**
 * Makes one fault and prints its row. Exits 1 when something promised did not hold or the goal was missed, 0 with a word of why when the fault cannot
 * be made on this machine.
 */
import { argumentsOf, misuse } from "../../scripts/usage.ts"
import { faults } from "./index.ts"
import { rowText, Skipped, tableHead } from "./row.ts"

const text = [
  "usage: npm run faults -- NAME [--times N | --minutes N] [--seed S] [--rate N]",
  "",
  ...[...faults].map(([each, { what, times }]) => `  ${each.padEnd(13)} ${what} (${times})`),
].join("\n")
const { values, positionals } = argumentsOf({
  text,
  options: { times: { type: "string" }, minutes: { type: "string" }, rate: { type: "string" }, seed: { type: "string", default: "1" } },
  words: true,
})
const [name, ...more] = positionals
if (name === undefined) misuse(text, "Which fault?")
const fault = faults.get(name ?? "") ?? misuse(text, `There is no fault "${name}".`)
const times = Number(values.times ?? values.minutes ?? fault.times)
const seed = Number(values.seed)
const rate = values.rate === undefined ? undefined : Number(values.rate)
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0
if (more.length > 0) misuse(text, "One fault at a time.")
if (!isCount(times) || !Number.isSafeInteger(seed) || !isCount(rate ?? 1))
  misuse(text, "--times, --minutes, --seed and --rate are whole numbers.")

// Ended from outside, it takes along what it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

try {
  const began = performance.now()
  const row = await fault.run({ times, seed, rate, say: (text) => void process.stderr.write(`${text}\n`) })
  process.stdout.write(`${tableHead}\n${rowText(row)}\n`)
  for (const problem of row.problems) process.stdout.write(`  ${problem}\n`)
  process.stderr.write(`${Math.round((performance.now() - began) / 1000)} s\n`)
  process.exitCode = row.lost > 0 || row.problems.length > 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof Skipped)) throw error
  process.stdout.write(`skipped: ${error.message}\n`)
}
// Leftovers of a fault end with this process.
process.exit()
