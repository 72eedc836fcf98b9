import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Feature, compose, defaultFeatures } from "@postern/core"
import { featureKinds } from "../../packages/core/src/features/kinds.ts"
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

/** The sources of core, the stores and the adapters, by their paths below packages/. */
const sources = (): ReadonlyArray<readonly [string, string]> => {
  const packages = join(root, "../../..")
  return readdirSync(packages).flatMap((name) =>
    name === "core" || name === "stores" || name.startsWith("adapter-")
      ? readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" }).flatMap((file) =>
          file.endsWith(".ts") ? [[join(name, "src", file), readFileSync(join(packages, name, "src", file), "utf8")] as const] : [],
        )
      : [],
  )
}

describe("features (architecture 10)", () => {
  it("docs/architecture.md names every member that a feature may declare, and no other", () => {
    const page = readFileSync(join(root, "../../../../docs/architecture.md"), "utf8")
    const [, table = ""] = page.split("| member | what is derived from it |\n|---|---|\n")
    const rows = table.slice(0, table.indexOf("\n\n")).split("\n")
    const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name))
    expect(named.toSorted()).toEqual(Object.keys(featureKinds).toSorted())
  })

  it("endpoints of programs, response modes and rows are named in the folder of their feature alone, as docs/architecture.md says", () => {
    const all = sources()
    const elsewhere = Object.values(shipped).flatMap(({ name: folder, endpoints, responseModes = [], rows = [] }: Feature) => {
      const paths = (endpoints?.(compose()) ?? []).flatMap(({ audience, path }) => (audience === "programs" ? [path] : []))
      return [...paths, ...responseModes.map(({ name }) => name).filter((name) => /[._]/.test(name)), ...rows.map(({ name }) => name)].map(
        (name) => [
          name,
          all.flatMap(([file, text]) =>
            text.includes(`"${name}"`) && !file.startsWith(`${join("core", "src", "features", folder)}/`) ? [file] : [],
          ),
        ],
      )
    })
    expect(elsewhere.length).toBeGreaterThan(12)
    // The wire reads and writes the one path for APIs too; assertions may be addressed to the other.
    const shared = [
      ["/.well-known/oauth-protected-resource", [join("core", "src", "wire", "protectedResource.ts")]],
      ["/connect/token", [join("core", "src", "rules", "clientAuthentication.ts")]],
    ]
    expect(elsewhere.filter(([, files = []]) => files.length > 0).toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))).toEqual(
      shared,
    )
  })

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
