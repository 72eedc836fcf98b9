import { ruleTables } from "@postern/core"
import { argumentsOf, misuse } from "../../scripts/usage.ts"
import { check } from "../cases/case.ts"
import { cases } from "../cases/index.ts"
import { faultsOf, registrationCases } from "../cases/registration.ts"

/**
 * For every rule of every table: with that rule left out, at least one case must fail by what the client or the person sees; the
 * trail alone does not count. A rule that can go unnoticed is either untested or not needed.
 */
const all = Object.values(cases).flat()
const rules = [...new Set(ruleTables.flatMap((table) => table.rules.map(({ id }) => id)))]
const usage =
  "usage: npm run knockout -- [RULE ...]\n\n  Takes each rule away in turn, or those that are named, and shows that some test notices."
const { positionals: only } = argumentsOf({ text: usage, words: true })
const stranger = only.find((id) => !rules.includes(id))
if (stranger !== undefined) misuse(usage, `There is no rule ${stranger}; docs/rules.md has them all.`)
const silent: Array<string> = []
let knocked = 0

const noticed = async (id: string): Promise<boolean> => {
  const first = all.filter(({ rule }) => rule === id)
  if (id.startsWith("registration."))
    return registrationCases.some((each) => faultsOf(each, new Set([id])).join("\n") !== each.faults.join("\n"))
  for (const each of [...first, ...all.filter((other) => other.rule !== id)]) {
    try {
      await check(each, { rulesOff: [id] })
    } catch {
      return true
    }
  }
  return false
}

// Twice: a case that leaves something behind would fail whatever is taken away, and so notice everything.
for (const each of [...all, ...all]) await check(each)
for (const id of rules) {
  if (only.length > 0 && !only.includes(id)) continue
  knocked++
  if (!(await noticed(id))) {
    silent.push(id)
    process.stdout.write(`not noticed: ${id}\n`)
  }
}
process.stdout.write(
  `${knocked} rules knocked out one by one over ${all.length + registrationCases.length} cases: ${knocked - silent.length} noticed, ${silent.length} not\n`,
)
process.exitCode = silent.length === 0 ? 0 : 1
