import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"

const name = "https://grants.example.com/word"
let server: RunningServer
beforeAll(async () => {
  server = await serve({
    grants: { modules: [fileURLToPath(new URL("./turnstile.ts", import.meta.url))] },
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
    users: [{ username: "alice", subject: "sub-alice", password: "correct horse battery" }],
    clients: [{ client_id: "gate", client_secret: "secret of gate", grant_types: [name], response_types: [], scope: "api" }],
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const ask = async (fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams({ grant_type: name, client_id: "gate", client_secret: "secret of gate", ...fields })
  const answer = await fetch(`${server.url}/connect/token`, { method: "POST", body })
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> }
}

it("RFC 6749 §4.5, specification §1: an operator adds a grant by naming its file, and discovery states it", async () => {
  expect(await ask({ word: "open sesame" })).toMatchObject({ status: 200, json: { token_type: "Bearer", scope: "api" } })
  expect(await ask({ word: "please" })).toEqual({
    status: 400,
    json: { error: "invalid_grant", error_description: "The word is not right." },
  })
  expect(await ask({})).toEqual({ status: 400, json: { error: "invalid_request", error_description: "The word is missing." } })
  const metadata = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as Readonly<Record<string, unknown>>
  expect(metadata["grant_types_supported"]).toContain(name)
})
