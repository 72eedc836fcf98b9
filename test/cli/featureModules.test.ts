import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { folder, postern } from "./run.ts"
import { Surfer } from "../support/surfer.ts"
import { type RunningServer, serve } from "../support/server.ts"

const gate = { client_id: "gate", client_secret: "secret of gate", grant_types: ["client_credentials"], response_types: [] }
let server: RunningServer
beforeAll(async () => {
  server = await serve({
    grants: { modules: [fileURLToPath(new URL("./office.ts", import.meta.url))] },
    office_hours: "8 to 12",
    users: [{ username: "alice", password: "wonderland" }],
    clients: [
      { ...gate, office_access: true },
      { ...gate, client_id: "other" },
    ],
  } as Parameters<typeof serve>[0])
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const ask = async (path: string, client_id: string, fields: Readonly<Record<string, string>> = {}) => {
  const body = new URLSearchParams({ client_id, client_secret: "secret of gate", ...fields })
  const answer = await fetch(`${server.url}${path}`, { method: "POST", body })
  return [answer.status, await answer.json()]
}

it("law 10, specification §1: an operator adds features by naming their file: endpoint, client metadata, setting", async () => {
  expect(await ask("/office/hours", "gate")).toEqual([200, { open: "8 to 12" }])
  expect(await ask("/office/hours", "other")).toEqual([400, { error: "unauthorized_client", error_description: "The client may not ask." }])
  expect(await ask("/office/hours", "gate", { on_fire: "yes" })).toMatchObject([503, { error: "temporarily_unavailable" }])
})

it("law 13: messages that such a feature writes are delivered by itself, with the clients and the signer of the server", async () => {
  expect((await ask("/office/hours", "gate"))[0]).toBe(200)
  const delivered = async () =>
    /^postern_outbox_(?:delivered|dead)\S* [1-9]/gm.exec(await (await fetch(`${server.url}/metrics`)).text())?.[0]
  await expect.poll(delivered, { timeout: 20_000 }).toMatch(/^postern_outbox_delivered/)
})

it("law 13: rows of such a feature are kept by the stores of the server", async () => {
  expect(await ask("/office/appointments", "gate", { hour: "08" })).toEqual([200, { hour: "08" }])
  expect(await ask("/office/appointments", "other", { hour: "08" })).toMatchObject([400, { error_description: "The hour is taken." }])
})

it("law 10: a page of such a feature is drawn by the server, in the frame of every page and in the reader's language", async () => {
  const surfer = new Surfer()
  const login = await surfer.follow(`${server.url}/login`)
  await surfer.submit(await login.response.text(), login.url, { username: "alice", password: "wonderland" })
  const { response } = await surfer.follow(`${server.url}/terms?lang=de`)
  expect(await response.text()).toMatch(/<html lang="de"[^]*<h1>Hausordnung<\/h1>[^]*Close the windows\./)
})

it("RFC 7591 §2: client metadata and settings of such a feature are checked as its own, on the command line too", async () => {
  const module = fileURLToPath(new URL("./office.ts", import.meta.url))
  const at = folder({
    issuer: "https://id.example",
    grants: { modules: [module] },
    office_hours: 9,
    clients: [
      { ...gate, office_access: "yes" },
      { ...gate, client_id: "other", office_acces: true },
    ],
  })
  const { code, out } = await postern(["check-config", "postern.json"], { cwd: at.cwd })
  expect(code).toBe(1)
  expect(out).toMatch(/office_hours is not a text/)
  expect(out).toMatch(/clients\[0\]\.office_access is not true or false/)
  expect(out).toMatch(/clients\[1\]\.office_acces is not a known key\n.*did you mean office_access\?/)
  at.remove()
})
