import { globSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const root = new URL("../..", import.meta.url).pathname
const page = readFileSync(`${root}docs/operating.md`, "utf8")

/** The names of metrics in the sources. A name that ends with a value has a `$` in its place. */
const named = globSync("packages/*/src/**/*.ts", { cwd: root }).flatMap((file) =>
  [...readFileSync(root + file, "utf8").matchAll(/(?:name: |gauge\(|counter\(|histogram\()["`]((?:postern|process)_[a-z_]+\$?)/g)].map(
    ([, name = ""]) => name,
  ),
)

test("docs/operating.md says what each metric means", () => {
  expect(named.length).toBeGreaterThan(15)
  const isTold = (name: string): boolean => (name.endsWith("$") ? page.includes(`\`${name.slice(0, -1)}`) : page.includes(`\`${name}\``))
  expect([...new Set(named)].filter((name) => !isTold(name))).toEqual([])
})
