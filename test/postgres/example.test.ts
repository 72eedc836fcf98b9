import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { postern } from "../cli/run.ts"

const folder = new URL("../../examples/cluster/", import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8")

it("the configuration of examples/cluster is sound", async () => {
  const env = {
    POSTERN_DATA: "postgres://postern:hunter2@db/postern",
    POSTERN_KEY: Buffer.alloc(32, 7).toString("base64"),
    POSTERN_APP_SECRET: "a secret of thirty-two characters",
  }
  expect(await postern(["check-config", "postern.jsonc"], { cwd: folder.pathname, env })).toMatchObject({ code: 0, err: "" })
}, 60_000)

it("nginx of examples/cluster is told of every server there is, at its address, and the servers of nginx", () => {
  const addresses = [
    ...read("compose.yaml").matchAll(/^ {2}(\S+):\n(?: {4}.*\n)*? {4}networks: \{ inside: \{ ipv4_address: (\S+) \} \}/gm),
  ].map(([, name, address]) => [name, address])
  const servers = [...read("servers.conf").matchAll(/^server (\S+):8080 /gm)].map(([, address]) => address)
  expect(addresses.filter(([name]) => name?.startsWith("postern-")).map(([, address]) => address)).toEqual(servers)
  const nginx = addresses.find(([name]) => name === "nginx")?.[1]
  expect(read("postern.jsonc")).toContain(`"trusted_proxies": ["${nginx}"]`)
})
