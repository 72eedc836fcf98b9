import { fileURLToPath } from "node:url"
import { filesOf, narrowed, testFiles, tierOf } from "./list.ts"
import { useMemory } from "./memoryFolder.ts"
import { planOf } from "./plan.ts"
import { type Tier, tiers, variable } from "./tier.ts"

/** Runs the tests of a tier with Vitest, in this process. */
const usage = `usage: npm test -- [quick | standard | full] [PATH ...] [-t TITLE] [Vitest's options]

  quick     the core's rules, cases and properties: no process, no server, no browser, no database
  standard  every rule, real client, real database and browser; the tier when none is named
  full      everything at full width, as CI runs it

  Tests that are named by a path or a title run at full width, unless a tier is named too.
`

const { tier, args, named } = planOf(process.argv.slice(2), testFiles)

/** Describes a run: its files, what it leaves out, and in the full tier what no other has. */
const summary = (): string => {
  const count = (of: Tier): string => `${testFiles.filter((file) => tierOf(file) === of).length} ${of}`
  const line = `Tier ${tier}: ${filesOf(tier).length} of ${testFiles.length} test files (${tiers.map(count).join(", ")}).`
  if (tier !== "full") return `${line} ${narrowed().length} have fewer runs and rows than in \`npm test -- full\`.\n`
  const list = (title: string, files: ReadonlyArray<string>): string => `${title}\n${files.map((file) => `    ${file}\n`).join("")}`
  const only = testFiles.filter((file) => tierOf(file) === "full")
  return `${line}\n${list("  In this tier alone:", only)}${list("  With more runs and rows than in the others:", narrowed())}`
}

if (args.some((arg) => arg === "--help" || arg === "-h")) process.stdout.write(`${usage}\n`)
else if (!named) {
  process.stderr.write(summary())
  // Packed once for all of a run, and of the sources as they are when it begins; tests that are named pack it where they start it.
  if (tier !== "quick") process.env["POSTERN_COMMAND"] ??= (await import("../support/packed.ts")).command
}
process.env[variable] = tier
useMemory()
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
process.argv = [process.execPath, vitest, "run", ...args]
await import(vitest)
