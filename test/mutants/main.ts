import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Area, areas, filesOf, workOf } from "./areas.ts"
import { lastChangedFirst } from "./changes.ts"
import { names } from "./equivalent.ts"
import { equivalents } from "./equivalents/index.ts"
import { instrument } from "./instrument.ts"
import { report } from "./report.ts"
import { tried } from "./share.ts"
import type { Verdict } from "./verdict.ts"

const usage = `Changes the sources outside of the rule tables, one place at a time, and shows that some test notices.

  npm run mutants -- [AREA ...] [--list] [--dear] [--equivalents] [--processes N]

  AREA           ${areas.map(({ name }) => name).join(", ")}; all when none is named
  --list         prints every mutant that nobody noticed
  --dear         prints the tests that took longest
  --equivalents  also tries those that test/mutants/equivalents says change nothing
  --processes N  so many at once; 2 when not given
  --seconds N    ends after so long; the areas whose files changed last come first, and those that it did not get to are named, and count neither way
`

const {
  values: { help, list, dear, equivalents: doubted, processes, seconds },
  positionals,
} = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    list: { type: "boolean", default: false },
    dear: { type: "boolean", default: false },
    equivalents: { type: "boolean", default: false },
    processes: { type: "string", default: "2" },
    seconds: { type: "string" },
  },
})
const unknown = positionals.filter((name) => areas.every((area) => area.name !== name))
if (help === true || unknown.length > 0) {
  const told = unknown.length > 0 ? `There is no area ${unknown.join(", ")}.\n\n${usage}` : usage
  ;(unknown.length > 0 ? process.stderr : process.stdout).write(told)
  process.exit(unknown.length > 0 ? 2 : 0)
}

/** Tries the mutants of an area in so many processes; answers what to print, and whether that is enough. */
const judged = async (area: Area, shards: number): Promise<ReturnType<typeof report>> => {
  const work = workOf(area.name)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const instrumented = await instrument(filesOf(area.sources))
  writeFileSync(join(work, "instrumented.json"), JSON.stringify(instrumented))
  const { mutants } = instrumented
  const trying = doubted ? mutants : mutants.filter((mutant) => equivalents.every((entry) => !names(entry, mutant)))
  await Promise.all(
    Array.from({ length: shards }, (_, shard) => {
      const share = trying.filter((_mutant, at) => at % shards === shard).map(({ id }) => id)
      return tried(area, shard, share)
    }),
  )
  const lines = join(work, "verdicts.jsonl")
  const verdicts = existsSync(lines) ? readFileSync(lines, "utf8").trimEnd().split("\n") : []
  return report(
    mutants,
    verdicts.map((line) => JSON.parse(line) as Verdict),
    equivalents,
    { list, dear },
  )
}

// The processes of the shares are ended with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

// Several areas go side by side, one process each; a single one is divided among the processes.
const most = Math.max(1, Number(processes))
const chosen = positionals.length === 0 ? areas : areas.filter(({ name }) => positionals.includes(name))
const waiting = [...(seconds === undefined ? chosen : lastChangedFirst(chosen))]
const left = new Set(chosen.map(({ name }) => name))
const began = Date.now()
let enough = true
const work = async (): Promise<void> => {
  for (let area = waiting.shift(); area !== undefined; area = waiting.shift()) {
    const since = Date.now()
    // An area whose tests do not pass fails the run, and the others are tried all the same.
    const failed = (error: unknown) => ({ text: `  ${error instanceof Error ? error.message : String(error)}\n`, enough: false })
    const shares = chosen.length === 1 ? most : 1
    // Once more where a test waited too long for a busy machine.
    const found = await judged(area, shares).catch(() => judged(area, shares).catch(failed))
    process.stdout.write(`${area.name} (${Math.round((Date.now() - since) / 1000)} s):\n${found.text}`)
    enough &&= found.enough
    left.delete(area.name)
  }
}
if (seconds !== undefined)
  setTimeout(
    () => {
      process.stdout.write(`No time for ${[...left].join(", ")}: not tried to the end.\n`)
      process.exit(enough ? 0 : 1)
    },
    Number(seconds) * 1_000,
  ).unref()
await Promise.all(Array.from({ length: Math.min(most, chosen.length) }, work))
process.stdout.write(`Took ${Math.round((Date.now() - began) / 1000)} s.\n`)
process.exitCode = enough ? 0 : 1
