import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { publish } from "./publish.ts"
import { surfaceOf } from "./surface.ts"

// Writes docs/api/: everything that each package exports, as its declarations say it, so that a change of it is seen in review.
const root = fileURLToPath(new URL("../../", import.meta.url))

/** Compiles the declarations of all packages. */
const emitted = (out: string): void => {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", out], {
    cwd: root,
    stdio: "inherit",
  })
  if (status !== 0) throw new Error("The packages could not be compiled.")
}

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

const page = (name: string, entries: Readonly<Record<string, string>>, out: string): { readonly text: string; readonly names: number } => {
  let names = 0
  const shown = new Map<string, string>()
  const parts = Object.entries(entries)
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([entry, file]) => {
      const all = [...surfaceOf(join(out, file.replace(/\.ts$/, ".d.ts")))].sort(byName)
      names += all.length
      const again = all.flatMap(([each, text]) => (shown.get(each) === text ? [`\`${each}\``] : []))
      const fresh = all.filter(([each, text]) => shown.get(each) !== text)
      for (const [each, text] of fresh) shown.set(each, text)
      const declarations = fresh.map(([, text]) => text.replace(/^export (?:declare )?/gm, "")).join("\n\n")
      return [
        `## ${name}${entry.slice(1)}`,
        "",
        // A line for each, so that two changes at once do not meet in one.
        ...(again.length === 0 ? [] : ["From an entry above:", "", ...again.map((each) => `- ${each}`), ""]),
        ...(declarations === "" ? [] : ["```ts", declarations, "```", ""]),
      ].join("\n")
    })
  const text = [
    `# The surface of ${name}`,
    "",
    "<!-- Generated from the declarations by `npm run docs`; edits here are lost. -->",
    "",
    "Everything that can be imported, by entry and name. A change here is a change for those who import it.",
    "",
    ...parts,
  ].join("\n")
  return { text, names }
}

const out = mkdtempSync(join(tmpdir(), "postern-api-"))
try {
  emitted(out)
  for (const folder of readdirSync(join(root, "packages")).sort()) {
    const { name, exports: entries = {} } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))
    if (Object.keys(entries).length === 0) continue
    const { text, names } = page(name, entries, join(out, folder))
    publish(`docs/api/${folder}.md`, text, `${names} names`)
  }
} finally {
  rmSync(out, { recursive: true, force: true })
}
