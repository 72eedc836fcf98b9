import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { stored } from "../results.ts"
import { capacity } from "./capacity.ts"
import { claimed } from "./claims.ts"
import { costChart, throughputChart } from "./chart.ts"
import { conditionTables } from "./conditions.ts"
import { machineTable, sharedFileTable, startupTable } from "./surroundings.ts"
import { workersTable } from "./workers.ts"
import { clusterTable, growthTable, halfLoadTable, machineLine, scenarioTables } from "./tables.ts"

const page = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))

/** Writes what the pages say between `<!-- measured: NAME -->` and `<!-- end -->` anew, and the charts, from the results that were kept. */
export const writePages = (): void => {
  const scenarios = stored("scenarios")
  if (scenarios !== undefined) {
    writeFileSync(page("performance-throughput.svg"), throughputChart(scenarios))
    writeFileSync(page("performance-cost.svg"), costChart(scenarios))
  }
  rewrite("performance.md", {
    scenarios: section("scenarios", scenarioTables),
    machine: section("machine", machineTable),
    conditions: section("conditions", conditionTables),
    clients: section("clients", conditionTables),
    "shared-file": section("shared-file", sharedFileTable),
    startup: section("startup", startupTable),
    "half-load": section("half-load", halfLoadTable),
    growth: section("growth", growthTable),
    cluster: section("cluster", clusterTable),
    workers: section("workers", workersTable),
  })
  rewrite("capacity.md", capacity())
  for (const [name, own] of Object.entries(claimed())) {
    const file = fileURLToPath(new URL(`../../${name}`, import.meta.url))
    writeFileSync(file, withClaims(readFileSync(file, "utf8"), own))
  }
}

/** A page with its claims written anew; what stands around them, lines too, stays. */
export const withClaims = (text: string, own: Readonly<Record<string, string>>): string =>
  text.replaceAll(/<!-- claims: ([\w-]+) -->(\s*)[\s\S]*?(\s*)<!-- end -->/g, (_, name: string, before: string, after: string) => {
    const content = own[name]
    if (content === undefined) throw new Error(`bench/claims.json has no claim ${name}`)
    return `<!-- claims: ${name} -->${before}${content}${after}<!-- end -->`
  })

const section = <Part extends Parameters<typeof stored>[0]>(
  part: Part,
  tables: (results: NonNullable<ReturnType<typeof stored<Part>>>) => string,
): string | undefined => {
  const results = stored(part)
  return results === undefined ? undefined : `${machineLine(results.about)}\n\n${tables(results)}`
}

const rewrite = (name: string, sections: Readonly<Record<string, string | undefined>>): void => {
  if (!existsSync(page(name))) return
  let text = readFileSync(page(name), "utf8")
  for (const [part, content] of Object.entries(sections)) {
    if (content === undefined) continue
    const begin = `<!-- measured: ${part} -->`
    const [at, end] = [text.indexOf(begin), text.indexOf("<!-- end -->", text.indexOf(begin))]
    if (at < 0 || end < 0) throw new Error(`docs/${name} has no place for ${part}`)
    text = `${text.slice(0, at)}${begin}\n\n${content}\n\n${text.slice(end)}`
  }
  writeFileSync(page(name), text)
}
