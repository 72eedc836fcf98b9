import { decodeProtectedHeader } from "jose"
import { expect, vi } from "vitest"
import { type BoundProvider, bindProvider } from "../../packages/cli/src/serve/provider.ts"
import { setupOf } from "../../packages/cli/src/config/setup.ts"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { defaultKeyPolicy, rotateKeys } from "@postern/core/jose"
import type { Answer } from "@postern/core"
import { world } from "../cli/config.ts"

const issuer = "https://id.example.com"
const form = { "content-type": "application/x-www-form-urlencoded" }
const machine = {
  client_id: "machine",
  client_secret: "m".repeat(43),
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api",
}
const config = (data: string): object => ({
  issuer,
  data,
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [machine, { ...machine, client_id: "old", grant_types: ["password"], scope: "openid" }],
  users: [{ username: "alice", password: "correct horse battery" }],
})

const boundTo = async (data: string): Promise<BoundProvider> => {
  const { config: checked, faults } = await checkConfig("postern.json", JSON.stringify(config(data)), world())
  if (checked === undefined) throw new Error(JSON.stringify(faults))
  const silent = { level: "error", line: () => undefined, flush: () => Promise.resolve() } as const
  const bound = await bindProvider(setupOf(checked, world()), silent, (trails) => trails)
  await bound.agree()
  return bound
}

const ask = async ({ provider }: BoundProvider, path: string, fields?: Readonly<Record<string, string>>): Promise<Answer> =>
  provider.handle({
    method: fields === undefined ? "GET" : "POST",
    path,
    query: "",
    headers: fields === undefined ? {} : form,
    body: fields === undefined ? "" : new URLSearchParams(fields).toString(),
    address: "192.0.2.1",
  })

const bodyOf = (answer: Answer): Readonly<Record<string, unknown>> => JSON.parse(String(answer.body)) as Record<string, unknown>

const publishedBy = async (server: BoundProvider): Promise<ReadonlyArray<string>> =>
  (bodyOf(await ask(server, "/.well-known/openid-configuration/jwks"))["keys"] as ReadonlyArray<{ readonly kid: string }>).map(
    ({ kid }) => kid,
  )

const secret = { client_id: "machine", client_secret: machine.client_secret }
const tokenOf = async (server: BoundProvider): Promise<Answer> =>
  ask(server, "/connect/token", { grant_type: "client_credentials", ...secret })

const signIn = async (server: BoundProvider): Promise<Answer> =>
  ask(server, "/connect/token", {
    ...secret,
    client_id: "old",
    grant_type: "password",
    username: "alice",
    password: "correct horse battery",
    scope: "openid",
  })

/** Seconds after which an idle server must know of a change (behaviour.md). */
const bound = 10

/**
 * Two servers on one database, of which the second is asked nothing while the first changes something; then the clock is put forward and the
 * second asked once. No time goes by for real: its clocks are the test's.
 */
export const idleServerNotices = async (data: string): Promise<void> => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] })
  const [busy, idle] = [await boundTo(data), await boundTo(data)]
  const forward = (): void => void vi.advanceTimersByTime(bound * 1_000)
  const care = { store: busy.stores.keys, algorithms: ["RS256"], policy: defaultKeyPolicy, encryption: undefined } as const
  const rotate = async (atOnce: boolean): Promise<string> =>
    (await rotateKeys({ ...care, now: () => Math.floor(Date.now() / 1000) }, { atOnce }))[0]?.kid ?? ""
  try {
    expect([(await tokenOf(idle)).status, (await signIn(idle)).status]).toEqual([200, 200])
    const next = await rotate(false)
    forward()
    expect(await publishedBy(idle)).toContain(next)

    const atOnce = await rotate(true)
    forward()
    expect(decodeProtectedHeader(String(bodyOf(await tokenOf(idle))["access_token"])).kid).toBe(atOnce)

    await busy.stores.people.disable("alice")
    forward()
    expect((await signIn(idle)).status).toBe(400)

    await busy.stores.clients.put({ ...machine, client_secret: "n".repeat(43) })
    forward()
    expect((await tokenOf(idle)).status).toBe(401)
    await busy.stores.clients.remove("old")
    forward()
    expect(bodyOf(await signIn(idle))["error"]).toBe("invalid_client")
  } finally {
    vi.useRealTimers()
    await Promise.all([busy.close(), idle.close()])
  }
}
