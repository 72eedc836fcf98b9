import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, launch, type Server } from "./launch.ts"
import { type PosternOptions, usualClients } from "./postern.ts"

/** Start of oidc-provider: as Postern's, as far as it has the same settings. */
export type PeerOptions = Pick<PosternOptions, "folder" | "flags" | "port" | "issuer" | "clients" | "tls" | "first"> & {
  /** A folder for its database and keys, where it is another. */
  readonly data?: string
}

/** oidc-provider on better-sqlite3, as durable as Postern's store. */
export const peer = async ({
  folder,
  data = folder,
  flags = [],
  port: wanted,
  issuer,
  clients = usualClients,
  tls,
  first,
}: PeerOptions): Promise<Server> => {
  mkdirSync(folder, { recursive: true })
  const port = wanted ?? (await freePort())
  const program = fileURLToPath(new URL("peer.mjs", import.meta.url))
  const own = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`
  const settings = join(folder, "peer.json")
  writeFileSync(
    settings,
    JSON.stringify({ port, data, issuer: issuer ?? own, clients, tls, proxied: issuer?.startsWith("https:") === true }),
  )
  const server = await launch({
    name: "oidc-provider",
    port,
    args: [...flags, program, settings],
    log: join(folder, "peer.log"),
    env: { NODE_ENV: "production" },
    first,
    ...(tls === undefined ? {} : { certificate: tls.certificate }),
  })
  return { ...server, bare: false, credentials: (connection) => ({ username: `person-${connection}`, password: "any" }) }
}
