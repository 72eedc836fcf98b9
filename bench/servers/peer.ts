import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, launch, type Server } from "./launch.ts"

/** oidc-provider on better-sqlite3, as durable as Postern's store. */
export const peer = async ({
  folder,
  flags = [],
}: {
  readonly folder: string
  readonly flags?: ReadonlyArray<string>
}): Promise<Server> => {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const program = fileURLToPath(new URL("peer.mjs", import.meta.url))
  const server = await launch({
    name: "oidc-provider",
    port,
    args: [...flags, program, String(port), folder],
    log: join(folder, "peer.log"),
    env: { NODE_ENV: "production" },
  })
  return { ...server, bare: false, credentials: (connection) => ({ username: `person-${connection}`, password: "any" }) }
}
