// Looks for a fault that each requirement finds, and writes catches.json: `node_modules/node/bin/node test/conformance/writeCatches.ts [--all]`.
// What is written stays while it is there, unless --all is given. Names at the end the requirements that find none, and the faults that none finds.
import { writeFileSync } from "node:fs"
import { type Requirement, caught, faults, hunt, requirements } from "@postern/conformance"
import { catchers, catches, uncaught } from "./catches.ts"

const known = new Set(faults.map(({ id }) => id))
const kept = process.argv.includes("--all") ? {} : catches
const areaOf = ({ id }: Requirement): string => id.split(".")[0] ?? ""
const found = new Map<string, string>()
const silent: Array<string> = []
for (const requirement of requirements) {
  const { id } = requirement
  const before = kept[id]
  if (before !== undefined && known.has(before)) {
    found.set(id, before)
    continue
  }
  const near = faults.filter((fault) => fault.near.includes(areaOf(requirement)))
  for (const fault of [...near, ...faults.filter((each) => !near.includes(each))]) {
    if ((await caught(fault, requirement)) === undefined) continue
    found.set(id, fault.id)
    break
  }
  if (!found.has(id) && uncaught[id] === undefined) silent.push(id)
}
const finders = new Map([...found].map(([id, fault]) => [fault, id] as const).toReversed())
const missed: Array<string> = []
for (const fault of faults) {
  if (finders.has(fault.id)) continue
  const before = requirements.filter(({ id }) => id === catchers[fault.id])
  const { by } = before.length > 0 && !process.argv.includes("--all") ? { by: before[0]?.id } : await hunt(fault, requirements)
  if (by === undefined) missed.push(fault.id)
  else finders.set(fault.id, by)
}
const rowsOf = (of: ReadonlyArray<{ readonly id: string }>, known: ReadonlyMap<string, string>): object =>
  Object.fromEntries(of.flatMap(({ id }) => (known.has(id) ? [[id, known.get(id)]] : [])))
const text = JSON.stringify({ requirements: rowsOf(requirements, found), faults: rowsOf(faults, finders) }, null, 2)
writeFileSync(new URL("catches.json", import.meta.url), `${text}\n`)
console.log(`${found.size} of ${requirements.length} requirements find a fault; without one: ${silent.join(" ") || "none"}`)
console.log(`${finders.size} of ${faults.length} faults are found; missed: ${missed.join(" ") || "none"}`)
