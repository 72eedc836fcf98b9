import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Rules that look at a whole site, or at advice beyond WCAG 2.2 AA, are wanted too: everything axe knows is asked. */
export const violations = async (tab: Page): Promise<ReadonlyArray<string>> => {
  // Evaluated from outside the page, past its policy.
  await tab.evaluate(axe)
  const found = (await tab.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as ReadonlyArray<Violation>
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary ?? ""}`).join("\n")}`,
  )
}
