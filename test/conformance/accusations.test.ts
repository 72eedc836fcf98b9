import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type HttpTarget, type RoleClient, type Target, inProcess, overHttp, requirements, run } from "@postern/conformance"
import { describe, expect, it, onTestFinished } from "vitest"
import { freePort } from "../support/server.ts"

type Clients = NonNullable<HttpTarget["clients"]>

/** The roles that a provider without any client fills by registration, and those that it does not. */
const filledBy = async (send: (target: Target) => Target["send"]) => {
  const own = inProcess()
  const open = async (): Promise<Target> => {
    const target = await own.open()
    return { ...target, clients: {}, send: send(target) }
  }
  const told: { filled: ReadonlyArray<string>; refused: ReadonlyArray<readonly [string, string]> } = { filled: [], refused: [] }
  await run({ ...own, fresh: false, open }, [], {
    register: true,
    onRegistered: ({ clients, refused }) => void Object.assign(told, { filled: Object.keys(clients), refused }),
  })
  return told
}

/** Registrations as a provider answers them that holds each client to the profile that it asks for. */
const withProfile =
  ({ send }: Target): Target["send"] =>
  async (sent) => {
    const received = await send(sent)
    const { profile } = JSON.parse(sent.body ?? "{}") as Record<string, unknown>
    return received.status === 201 ? { ...received, body: JSON.stringify({ ...(JSON.parse(received.body) as object), profile }) } : received
  }

/** A provider that asks people by CIBA, as far as its metadata goes. */
const asking = async (): Promise<string> => {
  const server = createServer((_, response) => {
    const metadata = { issuer, backchannel_authentication_endpoint: `${issuer}/ask`, token_endpoint: `${issuer}/token` }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata))
  }).listen(0, "127.0.0.1")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return issuer
}

const client = (client_id: string, more: Partial<RoleClient> = {}): RoleClient => ({
  client_id,
  client_secret: "a secret",
  token_endpoint_auth_method: "client_secret_basic",
  redirect_uris: [],
  ...more,
})

const elsewhere = (role: string) =>
  client(role, { backchannel_client_notification_endpoint: `https://client.conformance.test/ciba/${role}` })

const noticed = ["ciba.pinged", "ciba.pushed", "ciba.push-denied"]

describe("a provider is accused of nothing", () => {
  it("RFC 7591 §2: a client whose profile the provider ignored does not fill a role that is held to it", async () => {
    const [knowing, ignoring] = [await filledBy(withProfile), await filledBy(({ send }) => send)]
    expect(knowing.filled).toEqual([...ignoring.filled, "fapi", "messages"])
    expect(ignoring.filled).toContain("web")
    expect(ignoring.refused).toEqual([
      ...knowing.refused,
      ["fapi", "its profile fapi2-security was ignored"],
      ["messages", "its profile fapi2-message-signing was ignored"],
    ])
  })

  it("CIBA Core §10.2, §10.3: nothing is said of notices where nobody listens for them", async () => {
    const told: Clients = { ping: elsewhere("ping"), push: elsewhere("push") }
    const web = client("web", { backchannel_logout_uri: `http://127.0.0.1:${await freePort()}/logout` })
    for (const clients of [told, { ...told, web }]) {
      const target = overHttp({ issuer: await asking(), clients, person: { username: "alice", password: "password" } })
      const report = await run(
        target,
        requirements.filter(({ id }) => noticed.includes(id)),
      )
      expect(report.results.map(({ requirement, verdict }) => [requirement.id, verdict])).toEqual(noticed.map((id) => [id, "skip"]))
    }
  })
})
