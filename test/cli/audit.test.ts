import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { posternLine as postern } from "./lines.ts"
import { patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience, hookTimeout: patience })

let server: RunningServer
beforeAll(async () => {
  server = await serve({
    audit: { store: true },
    // Elsewhere than usual, the first start makes everything itself, and its keys are audited.
    data: "own",
    clients: [
      { client_id: "robot", client_secret: "secret of robot", grant_types: ["client_credentials"], response_types: [], scope: "api" },
    ],
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const token = (secret: string): Promise<Response> =>
  fetch(`${server.url}/connect/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: "robot", client_secret: secret }),
  })
const audit = async (...args: ReadonlyArray<string>) =>
  JSON.parse((await postern(["audit", "--json", ...args, "--config", "postern.json"], { cwd: server.folder })).out) as ReadonlyArray<
    Record<string, unknown>
  >

describe("postern audit", () => {
  it("lists what happened, by name and client, with the id of the request's trail; the log tells it too, and neither a secret", async () => {
    const issued = await token("secret of robot")
    const refused = await token("wrong")
    const log = (): string => server.output()
    await vi.waitFor(async () => expect(await audit("--client", "robot", "--event", "refused")).toHaveLength(1), {
      timeout: patience,
      interval: 200,
    })
    expect(await audit("--client", "robot", "--event", "token_issued", "--since", "1h")).toEqual([
      expect.objectContaining({
        event: "token_issued",
        client_id: "robot",
        scope: ["api"],
        detail: "access_token",
        endpoint: "token",
        request_id: issued.headers.get("x-request-id"),
      }),
    ])
    const [told] = await audit("--event", "refused")
    expect(told).toMatchObject({ detail: "client.secret-matches", request_id: refused.headers.get("x-request-id") })
    expect(await audit("--event", "client_added")).toEqual([expect.objectContaining({ client_id: "robot", detail: "configuration" })])
    expect((await audit("--event", "key_added")).length).toBeGreaterThan(0)
    expect(log()).toContain('"message":"audit","event":"token_issued"')
    expect(log()).not.toContain("secret of robot")
  })

  it("names what it does not understand", async () => {
    const { code, err } = await postern(["audit", "--since", "yesterday", "--config", "postern.json"], { cwd: server.folder })
    expect([code, err]).toEqual([2, expect.stringContaining("is not a time span")])
  })
})
