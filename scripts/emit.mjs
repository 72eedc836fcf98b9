// Compiles the libraries as they are published: js and d.ts.
import { spawnSync } from "node:child_process"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

/** Compiles all packages as one program, so that each sees the others' sources, into `out/FOLDER/src`. Throws when that cannot be done. */
export function emitLibraries(out, folders) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", out], { cwd: root, stdio: "inherit" })
  if (status !== 0) throw new Error("The packages could not be compiled.")
  for (const folder of folders) {
    const built = join(out, folder, "src")
    for (const file of readdirSync(built, { recursive: true }).filter((name) => name.endsWith(".d.ts"))) {
      const text = readFileSync(join(built, file), "utf8")
      // The compiler leaves `./file.ts` in declarations, where what is published next to them is `./file.js`.
      const published = text.replaceAll(/((?:from|import) ?\(?")(\.[^"]*)\.ts"/g, '$1$2.js"')
      const above = "../".repeat(file.split(/[\\/]/).length)
      if (published.includes(`"${above}`))
        throw new Error(`packages/${folder}/src/${String(file)}: its declarations name a file outside the package.`)
      writeFileSync(join(built, file), published)
    }
  }
}
