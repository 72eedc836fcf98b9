import { misbehaviors } from "@postern/conformance/misbehave"
import { type Apache, startApache } from "../interop/apache/apache.ts"
import { Visitor } from "../interop/visitor.ts"
import { randomInt } from "node:crypto"
import { type Server, createServer } from "node:net"
import { type Driver, secret } from "./misbehaveDrivers.ts"

/** Issuers by the path that a misbehaving provider has for them; the empty one is the issuer that is right. */
const paths = ["", ...misbehaviors.filter(({ transform }) => transform.logout === undefined).map(({ id }) => `/f/${id}`)]

const listening = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server: Server = createServer()
      .once("error", () => resolve(undefined))
      .listen(port, "127.0.0.1", () => resolve(server))
  })

/** Ports that are free, below those that connections get by chance: nobody else takes one between this and Apache's start. */
const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const held: Array<readonly [port: number, server: Server]> = []
  for (let port = randomInt(20_000, 30_000); held.length < count; port++) {
    const server = await listening(port)
    if (server !== undefined) held.push([port, server])
  }
  await Promise.all(held.map(([, server]) => new Promise((resolve) => server.close(resolve))))
  return held.map(([port]) => port)
}

/** An Apache with a virtual host for each issuer, since the module learns a provider's metadata once. It is to be started before another one is opened: until then its ports are free. */
export const openApache = async (client: string, responseType: string, responseMode?: string) => {
  const ports = await freePorts(paths.length)
  const hosts = new Map(paths.map((path, index) => [path, ports[index] ?? 0]))
  let apache: Apache | undefined
  const driver: Driver = {
    name: client,
    client,
    signIn: async (issuer) => {
      const port = hosts.get(new URL(issuer).pathname.replace(/\/$/, "")) ?? 0
      const { status, text } = await new Visitor().visit(`http://127.0.0.1:${port}/secure/`)
      // The e-mail address comes by userinfo alone: without it somebody is signed in by the ID token, and userinfo was not used.
      if (status !== 200 || !text.includes("OIDC_CLAIM_email=")) throw new Error(`not signed in: ${status} ${text.slice(0, 300)}`)
    },
    registered: {},
  }
  return {
    driver,
    registration: {
      client_id: client,
      client_secret: secret,
      redirect_uris: ports.map((port) => `http://127.0.0.1:${port}/secure/back`),
      scope: "openid profile email",
      grant_types: responseType === "code" ? ["authorization_code"] : ["authorization_code", "implicit"],
      response_types: [responseType],
      require_consent: false,
    },
    start: async (origin: string) => {
      const parties = [...hosts].map(([path, port]) => ({
        port,
        clientId: client,
        secret,
        responseType,
        responseMode,
        provider: `${origin}${path}`,
        // A visit that is no navigation would get 401 in place of the sign-in.
        lines: ["OIDCUnAuthAction auth true"],
      }))
      apache = await startApache(origin, parties)
    },
    log: () => apache?.log() ?? "",
    close: async () => apache?.stop(),
  }
}
