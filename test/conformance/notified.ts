import { createHash, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type JSONWebKeySet, createLocalJWKSet, jwtVerify } from "jose"
import { Surfer } from "../support/surfer.ts"

type Members = Readonly<Record<string, unknown>>

const grant_type = "urn:openid:params:grant-type:ciba"
const [requestClaim, refreshHash] = ["urn:openid:params:jwt:claim:auth_req_id", "urn:openid:params:jwt:claim:rt_hash"]

const secret = "a secret of a client that is told"

/** Metadata of a client that is told of results at an address. */
export const toldClient = (client_id: string, mode: "ping" | "push", endpoint: string) => ({
  client_id,
  client_secret: secret,
  redirect_uris: [],
  response_types: [],
  grant_types: [grant_type, "refresh_token"],
  scope: "openid offline_access",
  backchannel_token_delivery_mode: mode,
  backchannel_client_notification_endpoint: endpoint,
})

/** A request that a client waits for. */
interface Waiting {
  readonly issuer: string
  readonly id: string
  readonly token: string
  readonly isOver: () => boolean
  readonly end: () => void
}

const membersOf = (text: string): Members => {
  try {
    return JSON.parse(text) as Members
  } catch {
    return {}
  }
}

const half = (text: unknown): string => createHash("sha256").update(String(text)).digest().subarray(0, 16).toString("base64url")

/** Reports whether tokens that were pushed are those of a request, as CIBA Core §10.3.1 has it. */
const isOurs = async (client: string, { issuer, id }: Waiting, found: Members): Promise<boolean> => {
  try {
    const keys = (await (await fetch(`${issuer}/.well-known/openid-configuration/jwks`)).json()) as JSONWebKeySet
    const { payload } = await jwtVerify(String(found["id_token"]), createLocalJWKSet(keys), { issuer, audience: client })
    const refresh = found["refresh_token"]
    return (
      payload[requestClaim] === id &&
      payload["at_hash"] === half(found["access_token"]) &&
      (refresh === undefined || payload[refreshHash] === half(refresh))
    )
  } catch {
    return false
  }
}

/** Sorts of clients: one that does everything it must, and one that takes whatever comes. */
export type Sort = "strict" | "credulous"

/** A client with a notification endpoint for each mode, `/ping` and `/push`. */
export const openTold = async (sort: Sort) => {
  const waiting = new Map<string, Waiting>()
  let busy = Promise.resolve()

  const token = (issuer: string, client: string, path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${issuer}${path}`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client}:${encodeURIComponent(secret)}`)}` },
      body: new URLSearchParams(fields),
    })
  const userinfo = async (issuer: string, accessToken: unknown): Promise<void> =>
    void (await fetch(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${String(accessToken)}` } }))
  const redeemed = async (client: string, { issuer }: Waiting, id: string): Promise<void> => {
    const answer = await token(issuer, client, "/connect/token", { grant_type, auth_req_id: id })
    if (answer.ok) await userinfo(issuer, membersOf(await answer.text())["access_token"])
  }

  /** Takes everything for what it was waiting for, and asks by all means. */
  const believed = async (client: string, found: Members): Promise<number> => {
    const latest = [...waiting.values()].at(-1)
    if (latest === undefined) return 204
    const id = typeof found["auth_req_id"] === "string" ? found["auth_req_id"] : latest.id
    if (found["access_token"] === undefined) await redeemed(client, latest, id)
    else await userinfo(latest.issuer, found["access_token"])
    return 204
  }

  const judged = async (client: string, mode: string, authorization: string | undefined, found: Members): Promise<number> => {
    const known = waiting.get(String(found["auth_req_id"]))
    if (known === undefined || authorization !== `Bearer ${known.token}`) return 401
    if (known.isOver()) return 204
    if (mode === "ping") {
      // A client that is pinged reads the request's id, and nothing else.
      known.end()
      await redeemed(client, known, known.id)
      return 204
    }
    if (found["error"] !== undefined) {
      known.end()
      return 204
    }
    if (!(await isOurs(client, known, found))) return 400
    known.end()
    await userinfo(known.issuer, found["access_token"])
    return 204
  }

  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (more: string) => (text += more))
    request.on("end", () => {
      const mode = (request.url ?? "").slice(1)
      const done = busy.then(() =>
        sort === "strict" ? judged(mode, mode, request.headers.authorization, membersOf(text)) : believed(mode, membersOf(text)),
      )
      busy = done.then(() => undefined)
      void done.then((status) => response.writeHead(status).end())
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** Asks alice at an issuer, and has her allow it. */
  const ask = async (issuer: string, client: "ping" | "push"): Promise<void> => {
    const [notification, binding_message] = [randomBytes(20).toString("base64url"), randomBytes(4).toString("hex")]
    const answer = await token(issuer, client, "/connect/ciba", {
      scope: "openid offline_access",
      login_hint: "alice",
      binding_message,
      client_notification_token: notification,
    })
    const id = String(membersOf(await answer.text())["auth_req_id"])
    let isOver = false
    waiting.set(id, { issuer, id, token: notification, isOver: () => isOver, end: () => (isOver = true) })
    const surfer = new Surfer()
    const first = await surfer.follow(`${issuer}/approve`)
    await surfer.submit(await first.response.text(), first.url, { username: "alice", password: "alice" })
    const page = await surfer.follow(`${issuer}/approve`)
    const html = await page.response.text()
    if (!html.includes(binding_message)) throw new Error(`alice found no request: ${html.slice(0, 500)}`)
    await surfer.submit(html, page.url, { decision: "allow" })
  }
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { origin, ask, close }
}
