import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { defaultFeatures } from "@postern/core"
import * as shipped from "../../packages/core/src/provider/features.ts"

const root = join(import.meta.dirname, "../../packages/core/src/features")
const folders = readdirSync(root, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []))
const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))

/** The other features that a feature imports. */
const importedBy = (folder: string): ReadonlySet<string> =>
  new Set(
    filesOf(folder).flatMap((file) =>
      [...readFileSync(join(root, folder, file), "utf8").matchAll(/from "((?:\.\.\/)+)([a-z-]+)\/index\.ts"/g)].flatMap(
        ([, up = "", name = ""]) => (up.length / 3 === file.split(/[\\/]/).length && folders.includes(name) ? [name] : []),
      ),
    ),
  )

/** A way from a folder back to itself; undefined where there is none. */
const circle = (graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> | undefined => {
  const walk = (way: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    for (const next of graph.get(way.at(-1) ?? "") ?? []) {
      if (way.includes(next)) return [...way.slice(way.indexOf(next)), next]
      const found = walk([...way, next])
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const folder of graph.keys()) {
    const found = walk([folder])
    if (found !== undefined) return found
  }
  return undefined
}

describe("features (architecture 10)", () => {
  it("import one another in no circle", () => {
    const graph = new Map(folders.map((folder) => [folder, importedBy(folder)]))
    expect(circle(graph)).toBe(undefined)
    expect(graph.get("login")).toContain("authorize")
    expect(circle(new Map([...graph, ["authorize", new Set(["login"])]]))).toEqual(["authorize", "login", "authorize"])
  })

  it("each folder declares its feature, under its own name, in the list of the provider; one that is off by itself is made with settings", () => {
    const list = readFileSync(join(root, "../provider/features.ts"), "utf8")
    const made = [
      "jwt-bearer",
      "token-exchange",
      "registration",
      "metadata-documents",
      "session-management",
      "upstream-logout",
      "ciba",
      "id-jag",
    ]
    for (const folder of folders.filter((each) => !made.includes(each))) {
      expect(list).toContain(`"../features/${folder}/feature.ts"`)
      expect(readFileSync(join(root, folder, "feature.ts"), "utf8")).toContain(`name: "${folder}"`)
    }
    expect(new Set(defaultFeatures)).toEqual(new Set(Object.values(shipped)))
    expect(defaultFeatures).toHaveLength(Object.keys(shipped).length)
  })
})
