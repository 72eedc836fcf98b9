import { readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bundleCommand } from "../../scripts/bundle.ts"
import { startFiles } from "../../scripts/startLock.ts"

const { isRecent } = (await import(new URL("../../scripts/start.mjs", import.meta.url).href)) as {
  readonly isRecent: (version: string) => boolean
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly os?: unknown; readonly cpu?: unknown }>
  >
}
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
const locked = (name: string) =>
  Object.entries((JSON.parse(read(`scripts/start/${name}/package-lock.json`)) as Lock).packages).filter(([path]) => path !== "")

describe("what npm start installs", () => {
  it("is of pnpm-lock.yaml, version for version and digest for digest (run `node scripts/startLock.ts` after a change)", () => {
    for (const [name, text] of startFiles()) expect([name, read(`scripts/start/packages/${name}`)]).toEqual([name, text])
  })

  it("is the pinned Node, for each platform once", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as { readonly devDependencies: Readonly<Record<string, string>> }
    const packages = locked("node")
    expect(new Set(packages.map(([, { version }]) => version))).toEqual(new Set([devDependencies["node"]]))
    expect(new Set(packages.map(([, { os, cpu }]) => JSON.stringify([os, cpu]))).size).toBe(packages.length)
  })

  it("has a digest each, and names no host", () => {
    for (const name of ["packages", "node"]) {
      for (const [path, { integrity }] of locked(name))
        expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==$/)])
      expect(read(`scripts/start/${name}/package-lock.json`)).not.toMatch(/:\/\/|resolved/)
    }
  })

  // Bundling takes ten seconds of a machine that does nothing else.
  it("is all that the command is bundled from", { timeout: 120_000 }, async () => {
    const out = fileURLToPath(new URL("../../packages/cli/node_modules/.cache/start-test/", import.meta.url))
    const { inputs, outputs } = await bundleCommand(out)
    const imported = Object.values(outputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, external }) => (external === true ? [path] : [])),
    )
    // Asked for where it is there: `conform` says what to install for pages that need JavaScript.
    const optional = ["bufferutil", "utf-8-validate", "playwright-core"]
    const needed = new Set([
      ...Object.keys(inputs).flatMap((file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
      ...imported.filter((path) => !builtinModules.includes(path.replace(/^node:/, "")) && !optional.includes(path)),
    ])
    expect(needed.size).toBeGreaterThan(12)
    const given = new Set(locked("packages").map(([path]) => path.slice("node_modules/".length)))
    expect([...needed].filter((name) => !given.has(name))).toEqual([])
  })

  it("runs on the machine's own Node from the least that the command runs on", () => {
    const { engines } = JSON.parse(read("packages/cli/package.json")) as { readonly engines: { readonly node: string } }
    expect(engines.node).toBe(">=22.19")
    const versions = ["20.20.2", "22.18.0", "22.19.0", "22.20.1", "23.11.0", "24.0.0", "26.10.0", "30.1.0"]
    expect(versions.filter(isRecent)).toEqual(["22.19.0", "22.20.1", "24.0.0", "26.10.0", "30.1.0"])
  })
})
