import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { Surfer } from "../support/surfer.ts"
import { folder, patience } from "./run.ts"
import { listening, serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

interface Taken {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Record<string, unknown>
}

/** A server that takes JSON: the client's notification endpoint, and the operator's service that tells people. */
const listener = async () => {
  const taken: Array<Taken> = []
  const waiting: Array<() => void> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      taken.push({
        path: request.url ?? "",
        authorization: request.headers.authorization,
        body: JSON.parse(body) as Record<string, unknown>,
      })
      response.writeHead(204).end()
      for (const woken of waiting.splice(0)) woken()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const at = async (path: string): Promise<Taken> => {
    for (;;) {
      const found = taken.find((each) => each.path === path)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, at, taken }
}

const secret = "a secret of 256 random bits, or so we say"
const grant_type = "urn:openid:params:grant-type:ciba"

const officeOf = async () => {
  const other = await listener()
  const client = { client_secret: secret, grant_types: [grant_type], response_types: [], scope: "openid" }
  const { cwd, remove } = folder({
    issuer: "http://127.0.0.1:8080",
    development: true,
    listen: { port: 0 },
    audit: { store: true },
    ciba: { notification: { endpoint: `${other.url}/tell`, token: "token of the channel" } },
    users: [{ username: "alice", password: "correct horse battery" }],
    clients: [
      { ...client, client_id: "till", backchannel_token_delivery_mode: "poll" },
      {
        ...client,
        client_id: "pushed",
        backchannel_token_delivery_mode: "push",
        backchannel_client_notification_endpoint: `${other.url}/notify`,
      },
    ],
  })
  onTestFinished(remove)
  const server = await serve({ cwd })
  const url = listening(server)
  const send = async (path: string, client_id: string, fields: Record<string, string>) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(secret)}`).toString("base64")}` },
      body: new URLSearchParams(fields),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }
  const ask = async (client_id: string, more: Record<string, string> = {}) =>
    send("/connect/ciba", client_id, { scope: "openid", login_hint: "Alice", binding_message: "W4SCT <1>", ...more })
  return { other, url, send, ask }
}

/** Opens the address that the channel was told, signs in, and answers. */
const answer = async (url: string, approval: string, decision: string): Promise<string> => {
  const browser = new Surfer()
  const { pathname, search } = new URL(approval)
  const login = await browser.follow(url + pathname + search)
  const page = await browser.submit(await login.response.text(), login.url, { username: "alice", password: "correct horse battery" })
  const shown = await page.response.text()
  expect(shown).toContain("W4SCT &lt;1&gt;")
  return (await browser.submit(shown, page.url, { decision })).response.text()
}

test("CIBA Core §7 to §10.1: a person who is told by the operator's channel signs in and allows; the client that polls gets tokens once", async () => {
  const { other, url, send, ask } = await officeOf()
  const asked = await ask("till")
  expect(asked).toMatchObject({ status: 200, json: { expires_in: 300, interval: 5 } })
  const { authorization, body } = await other.at("/tell")
  expect([authorization, body["client_id"], body["binding_message"]]).toEqual(["Bearer token of the channel", "till", "W4SCT <1>"])
  expect(await answer(url, String(body["approval_uri"]), "allow")).toContain('id="approval-approved"')
  const redeem = () => send("/connect/token", "till", { grant_type, auth_req_id: String(asked.json["auth_req_id"]) })
  expect(await redeem()).toMatchObject({ status: 200, json: { token_type: "Bearer", scope: "openid" } })
  expect(await redeem()).toMatchObject({ status: 400, json: { error: "invalid_grant" } })
})

test("CIBA Core §10.3: tokens are pushed to the client once its person has allowed it", async () => {
  const { other, url, ask } = await officeOf()
  const asked = await ask("pushed", { client_notification_token: "bearer-of-the-client" })
  const { body } = await other.at("/tell")
  await answer(url, String(body["approval_uri"]), "allow")
  const pushed = await other.at("/notify")
  expect(pushed.authorization).toBe("Bearer bearer-of-the-client")
  expect(pushed.body).toMatchObject({ auth_req_id: asked.json["auth_req_id"], token_type: "Bearer", id_token: expect.any(String) })
  const userinfo = await fetch(`${url}/connect/userinfo`, { headers: { authorization: `Bearer ${String(pushed.body["access_token"])}` } })
  expect(userinfo.status).toBe(200)
})
