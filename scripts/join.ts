// Joins the parts of a split bundle that are always loaded together: Node takes half a millisecond or more for a module, however small it is.
import { createHash } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix, resolve } from "node:path"
import type { build as Build, BuildOptions, Metafile, Plugin } from "esbuild"

type Outputs = Metafile["outputs"]

/** A split bundle: esbuild's description of it, and the settings it was made with. */
export interface Split {
  readonly build: typeof Build
  readonly root: string
  readonly settings: BuildOptions
  readonly outputs: Outputs
}

/** Returns the parts that are loaded with the given ones, each after those that it imports, as they are evaluated. */
export const loadedWith = (outputs: Outputs, parts: ReadonlyArray<string>): ReadonlySet<string> => {
  const loaded = new Set<string>()
  const seen = new Set<string>()
  const load = (part: string): void => {
    if (seen.has(part)) return
    seen.add(part)
    for (const { path, kind, external } of outputs[part]?.imports ?? []) if (kind === "import-statement" && external !== true) load(path)
    loaded.add(part)
  }
  parts.forEach(load)
  return loaded
}

/**
 * Puts parts that lie in one folder into one file there, and returns the outputs of the bundle as it is then. A part that is imported at run time stays
 * as a file that re-exports its members.
 */
export const joined = async (split: Split, name: string, parts: ReadonlyArray<string>): Promise<Outputs> => {
  const { build, root, settings, outputs } = split
  const place = dirname(parts[0] ?? "")
  const members = new Map(parts.map((part, at) => [resolve(root, part), { part, at }]))
  const given = (at: number, exported: string): string => `m${at}_${exported === "default" ? "default_" : exported}`
  const exportsOf = (part: string): ReadonlyArray<string> => outputs[part]?.exports ?? []
  const contents = parts
    .map(
      (part, at) =>
        `import "./${part}"\nexport { ${exportsOf(part)
          .map((each) => `${each} as ${given(at, each)}`)
          .join()} } from "./${part}"\n`,
    )
    .join("")
  const made = await build({
    ...settings,
    metafile: true,
    write: false,
    stdin: { contents, resolveDir: root, sourcefile: `${name}.js` },
    outdir: join(root, place),
    plugins: [resolving((imported) => (members.has(imported) ? { path: imported, sideEffects: true } : undefined))],
  })
  const [code] = made.outputFiles
  const [output] = Object.values(made.metafile.outputs)
  if (code === undefined || output === undefined) throw new Error(`${name} was not made.`)
  // The digest that esbuild would put into the name depends on the folder too.
  const whole = `${name}-${createHash("sha256").update(code.contents).digest("hex").slice(0, 8).toUpperCase()}.js`
  writeFileSync(join(root, place, whole), code.contents)
  const again = (part: string, at: number, from = place): string => {
    const path = `./${posix.relative(from, `${place}/${whole}`)}`
    const names = exportsOf(part).map((each) => `${given(at, each)} as ${each}`)
    return names.length === 0 ? `import "${path}"\n` : `export { ${names.join()} } from "${path}"\n`
  }
  const rest = Object.keys(outputs).filter((part) => !members.has(resolve(root, part)) && imports(outputs, part, parts))
  for (const [folder, entries] of Map.groupBy(rest, dirname))
    await build({
      ...settings,
      entryPoints: entries.map((part) => join(root, part)),
      outdir: join(root, folder),
      allowOverwrite: true,
      plugins: [
        resolving((imported) => (members.has(imported) ? { path: imported, namespace: "member", sideEffects: true } : undefined)),
        {
          name: "members",
          setup: (run) =>
            run.onLoad({ filter: /.*/, namespace: "member" }, ({ path }) => {
              const { part = "", at = 0 } = members.get(path) ?? {}
              return { contents: again(part, at, folder), resolveDir: dirname(path) }
            }),
        },
      ],
    })
  for (const [path, { part, at }] of members)
    if (outputs[part]?.entryPoint === undefined) rmSync(path)
    else writeFileSync(path, again(part, at))
  return described(outputs, parts, `${place}/${whole}`, output)
}

/** Parts are bundled if `member` says so; all else is left as it is imported. */
const resolving = (member: (file: string) => object | undefined): Plugin => ({
  name: "parts",
  setup: (build) =>
    build.onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) =>
      kind === "entry-point"
        ? undefined
        : ((kind === "import-statement" && path.startsWith(".") ? member(resolve(resolveDir, path)) : undefined) ?? {
            path,
            external: true,
          }),
    ),
})

const imports = (outputs: Outputs, part: string, parts: ReadonlyArray<string>): boolean =>
  outputs[part]?.imports.some(({ path, kind }) => kind === "import-statement" && parts.includes(path)) ?? false

/** Describes the bundle as it is now, as esbuild would. */
const described = (outputs: Outputs, parts: ReadonlyArray<string>, file: string, { bytes, exports }: Outputs[string]): Outputs => {
  const inner = parts.flatMap((part) => outputs[part] ?? [])
  const renamed = Object.entries(outputs).flatMap(([part, output]): ReadonlyArray<[string, Outputs[string]]> => {
    const kept = output.imports.map((each) =>
      each.kind === "import-statement" && parts.includes(each.path) ? { ...each, path: file } : each,
    )
    if (!parts.includes(part)) return [[part, { ...output, imports: kept }]]
    if (output.entryPoint === undefined) return []
    return [[part, { ...output, inputs: {}, imports: [{ path: file, kind: "import-statement" }] }]]
  })
  const whole: Outputs[string] = {
    bytes,
    exports,
    imports: inner.flatMap((output) => output.imports.filter(({ path, kind }) => kind !== "import-statement" || !parts.includes(path))),
    inputs: Object.assign({}, ...inner.map(({ inputs }) => inputs)),
  }
  return Object.fromEntries([...renamed, [file, whole]])
}
