import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, launch, type Server } from "./launch.ts"

/** The bare work without a provider: see `floor.mjs`. */
export const floor = async ({
  folder,
  flags = [],
}: {
  readonly folder: string
  readonly flags?: ReadonlyArray<string>
}): Promise<Server> => {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const program = fileURLToPath(new URL("floor.mjs", import.meta.url))
  const server = await launch({ name: "floor", port, args: [...flags, program, String(port), folder], log: join(folder, "floor.log") })
  return { ...server, bare: true, credentials: () => ({ username: "", password: "" }) }
}
