import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

/** The flow and all it needs in one file, and what that is made of. */
export interface Bundle {
  readonly directory: string
  /** Prints what the flow comes to. */
  readonly program: string
  /** Modules that the bundle still imports. */
  readonly imports: ReadonlyArray<string>
  /** The source files it is made of. */
  readonly inputs: ReadonlyArray<string>
}

const launch = `import { agent, run } from "./flow.mjs"
console.log(JSON.stringify({ agent: agent(), ...(await run()) }))
`

const workerd = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "flow", worker = .flow), (name = "internet", network = (allow = []))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "flow")],
);
const flow :Workerd.Worker = (
  modules = [(name = "flow.mjs", esModule = embed "flow.mjs")],
  compatibilityDate = "2026-11-01",
);
`

/** Bundles the flow for no platform in particular, beside what starts it on each. */
export const bundle = async (): Promise<Bundle> => {
  const directory = await mkdtemp(join(tmpdir(), "postern-runtimes-"))
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL("flow.ts", import.meta.url))],
    outfile: join(directory, "flow.mjs"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2024",
    metafile: true,
    logLevel: "silent",
  })
  await writeFile(join(directory, "launch.mjs"), launch)
  await writeFile(join(directory, "config.capnp"), workerd)
  const imports = [...Object.values(metafile.inputs), ...Object.values(metafile.outputs)].flatMap((part) => part.imports)
  return {
    directory,
    program: join(directory, "launch.mjs"),
    imports: imports.filter(({ external }) => external === true).map(({ path }) => path),
    inputs: Object.keys(metafile.inputs),
  }
}
