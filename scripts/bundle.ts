// The `postern` command as one bundle: what a start needs in few files, everything else in files that are loaded when they are used.
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import { builtinModules, createRequire } from "node:module"
import { join, resolve } from "node:path"
import tls from "node:tls"
import { fileURLToPath } from "node:url"
import type { build as Build, BuildOptions, Metafile, Plugin } from "esbuild"
import { joined, loadedWith } from "./join.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Packages with machine code in them: they stay what they are, and the command's package depends on them. */
const native = ["better-sqlite3", "@node-rs/argon2"]
/** Optional dependencies that `ws` takes along where they are installed. They are not. */
const absent = ["bufferutil", "utf-8-validate"]
/** A package that `postern conform` loads for pages that need JavaScript, and names where it is not installed. */
const optional = ["playwright-core"]

/**
 * Files find what is shipped beside their package two folders up, and their neighbors next to them. So that they do here too, all but the
 * entry lie two folders deep, and what they look for lies in the bundle.
 */
const parts = "lib/parts"
const shipped = ["packages/adapter-http/pages", "packages/adapter-http/locales", "packages/cli/playground", "packages/conformance/admin"]

/** Bundles the command into a folder, and answers with what went where: esbuild's metafile. `modules` is the folder whose node_modules has the packages. */
export const bundleCommand = async (out: string, modules = root): Promise<Metafile> => {
  const { build: esbuild } = createRequire(join(modules, "package.json"))("esbuild") as { readonly build: typeof Build }
  const nodePaths = resolve(modules) === resolve(root) ? [] : [join(modules, "node_modules")]
  const bundle = async (outdir: string, entry: BuildOptions): Promise<Metafile> =>
    (await esbuild({ ...settings, nodePaths, outdir, ...entry, metafile: true })).metafile
  rmSync(out, { recursive: true, force: true })
  const made = await Promise.all([
    bundle(out, { entryPoints: { main: "packages/cli/src/main.ts" }, splitting: true, chunkNames: `${parts}/[name]-[hash]` }),
    // The threads of the store share nothing with the others but what they are sent, so each is whole by itself and has no more than it needs.
    bundle(out, { entryPoints: { [`${parts}/thread`]: "packages/adapter-sqlite/src/writer/thread.ts" } }),
    bundle(out, { entryPoints: { [`${parts}/syncThread`]: "packages/adapter-sqlite/src/writer/syncThread.ts" } }),
  ])
  const metafile: Metafile = {
    inputs: Object.assign({}, ...made.map(({ inputs }) => inputs)),
    outputs: await joinedParts(esbuild, Object.assign({}, ...made.map(({ outputs }) => outputs))),
  }
  const nameless = namelessImports(metafile)
  if (nameless.length > 0)
    throw new Error(
      `import() of ${nameless.join(", ")} would give its default export alone: re-export the members from a module of our own.`,
    )
  for (const folder of shipped) cpSync(join(root, folder), join(out, folder.slice(folder.lastIndexOf("/"))), { recursive: true })
  writeFileSync(join(out, "THIRD-PARTY.txt"), thirdParty(metafile))
  return metafile
}

/**
 * Joins the parts of a plain `serve`: those of the entry, those that the whole command line loads too, those that it does not, and those of
 * SQLite. Other commands load none that they did not load before, but for those that load some of the server: they load all of it.
 */
const joinedParts = async (build: typeof Build, split: Metafile["outputs"]): Promise<Metafile["outputs"]> => {
  const partsOf = (...sources: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...loadedWith(
      split,
      Object.keys(split).filter((part) => sources.includes(split[part]?.entryPoint ?? "")),
    ),
  ]
  const entry = partsOf("packages/cli/src/main.ts")
  // The version alone is told without the rest.
  const before = new Set([...entry, ...partsOf("packages/cli/src/version.ts")])
  const line = new Set(partsOf("packages/cli/src/cli.ts"))
  const serve = partsOf("packages/cli/src/program.ts", "packages/cli/src/actions/serve.ts").filter((part) => !before.has(part))
  const sqlite = partsOf("packages/adapter-sqlite/src/index.ts")
  const groups = {
    entry: entry.filter((part) => split[part]?.entryPoint === undefined),
    base: serve.filter((part) => line.has(part)),
    server: serve.filter((part) => !line.has(part)),
    sqlite: sqlite.filter((part) => !serve.includes(part) && !line.has(part) && !before.has(part)),
  }
  let outputs = split
  for (const [name, parts] of Object.entries(groups)) outputs = await joined({ build, root, settings, outputs }, name, parts)
  return outputs
}

/**
 * Packages that are imported at run time and have lost the names of their members: of a CommonJS module, a part of a split bundle exports the
 * default alone, while Node finds the names too. Sources work then, and the bundle does not.
 */
export const namelessImports = ({ outputs }: Pick<Metafile, "outputs">): ReadonlyArray<string> => {
  const imported = new Set(
    Object.values(outputs).flatMap(({ imports }) => imports.flatMap(({ kind, path }) => (kind === "dynamic-import" ? [path] : []))),
  )
  return Object.entries(outputs).flatMap(([path, { entryPoint, exports }]) =>
    imported.has(path) && entryPoint !== undefined && exports.length === 1 && exports[0] === "default" ? [entryPoint] : [],
  )
}

/** Modules that are loaded at their first use: the server of a plain HTTP provider needs no TLS. */
const late = new Map<string, object>([
  ["http", http],
  ["https", https],
  ["tls", tls],
])

/**
 * Modules of Node's, as values. CommonJS asks for them by `require`, which a module has not; and to import one as a module is to read each of
 * its members, several of which load more of Node when they are read: `node:fs` streams, `node:util` MIME types, `node:http` a whole HTTP client.
 */
const builtins: Plugin = {
  name: "builtins",
  setup: (build) => {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "")
      if (!builtinModules.includes(name)) return undefined
      if (kind === "require-call" || late.has(name)) return { path: name, namespace: "builtin" }
      return kind === "import-statement" ? { path: name, namespace: "builtin-module", sideEffects: false } : undefined
    })
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const load = `process.getBuiltinModule("${path}")`
      const members = Object.getOwnPropertyNames(late.get(path) ?? {}).map((name) => `get ${name}() { return ${load}.${name} }`)
      return { contents: `module.exports = ${late.has(path) ? `{ ${members.join(", ")} }` : load}` }
    })
    // A member that nobody imports is dropped, and so is never read.
    build.onLoad({ filter: /.*/, namespace: "builtin-module" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[A-Za-z]\w*$/.test(name))
      const members = names.map((name) => `export const ${name} = /* @__PURE__ */ member("${name}")\n`)
      return {
        contents: `const builtin = process.getBuiltinModule("${path}")\nconst member = (name) => builtin[name]\nexport default builtin\n${members.join("")}`,
      }
    })
  },
}

const settings: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22",
  mainFields: ["module", "main"],
  external: [...native, ...absent, ...optional],
  plugins: [builtins],
  // Names stay, so that a stack can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
}

/** The licenses of the packages whose code is in the bundle. */
const thirdParty = ({ outputs }: Metafile): string => {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const folders = new Set(used.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []))
  const texts = [...folders].map((folder) => {
    const home = join(root, folder)
    const { name, version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Readonly<Record<string, string>>
    const files = readdirSync(home).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    if (files.length === 0) throw new Error(`${name} ${version} comes without its license: it cannot be bundled.`)
    return `${name} ${version} (${license})\n\n${files.map((file) => readFileSync(join(home, file), "utf8").trim()).join("\n\n")}\n`
  })
  return `Code of these packages is part of this one.\n\n${texts.sort().join(`\n${"-".repeat(80)}\n\n`)}`
}

const [out, modules] = process.argv.slice(2)
if (process.argv[1] === fileURLToPath(import.meta.url) && out !== undefined) await bundleCommand(out, modules)
