import { request as plainly } from "node:http"
import { request as securely } from "node:https"
import { createServer } from "node:net"
import { systemCode } from "../config/file.ts"
import type { Setup } from "../config/setup.ts"
import { fault, type Observation, ok } from "./observation.ts"

/** A listener of the server: the name of its check, its place, and the setting that states it. */
interface Listener {
  readonly check: string
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly setting: string
}

/** Checks the listening addresses, of certificates too: each is free, or a ready Postern server answers there. */
export const checkedListening = ({ listen, tls, mutualTls, issuer }: Setup): Promise<ReadonlyArray<Observation>> => {
  const own: Listener = { check: "server", ...listen, secure: tls !== undefined, setting: "listen" }
  const { host = "127.0.0.1", port = 0 } = mutualTls?.listen ?? {}
  const others: ReadonlyArray<Listener> =
    mutualTls === undefined ? [] : [{ check: "server.mutual_tls", host, port, secure: true, setting: "mutual_tls.listen" }]
  return Promise.all([own, ...others].map((each) => checkedListener(each, issuer)))
}

const checkedListener = async ({ check, host, port, secure, setting }: Listener, issuer: string): Promise<Observation> => {
  const where = `port ${port} of ${host}`
  if (port === 0) return ok(check, `listens on a free port of ${host}`)
  switch (await bindingFailure(host, port)) {
    case undefined:
      return ok(check, `nothing runs: ${where} is free`)
    case "EADDRINUSE":
      break
    case "EACCES":
      return fault(check, `this user cannot listen on ${where}`, "choose a port from 1024 on, behind a proxy, or give the user that right")
    default:
      return fault(check, `${host} is not an address of this machine`, `name another in ${setting}.host`)
  }
  const get = (path: string): Promise<Answered | undefined> => asked(secure ? securely : plainly, reachable(host), port, path)
  const health = await get("/health/ready")
  const status = health === undefined ? undefined : memberOf(health.body, "status")
  if (health?.status === 503 && status === "unavailable")
    return fault(
      check,
      `a Postern server answers on ${where}, but is not ready`,
      "it is stopping, or cannot write: see the findings on the disk and the database, and its log; it recovers without a restart",
    )
  if (health?.status !== 200 || status !== "ready")
    return fault(
      check,
      `a program other than Postern uses ${where}`,
      `stop it, or choose another in ${setting}.port; find it with: ss -ltnp 'sport = :${port}'`,
    )
  const metadata = await get(`${new URL(issuer).pathname.replace(/\/$/, "")}/.well-known/openid-configuration`)
  const named = metadata === undefined ? undefined : memberOf(metadata.body, "issuer")
  return named === issuer
    ? ok(check, `a Postern server answers on ${where}, and is ready`)
    : fault(
        check,
        `the Postern server on ${where} is a different one: its issuer is ${named ?? "unknown"}`,
        `stop it, or choose another in ${setting}.port`,
      )
}

/** Returns the system's error code for listening on an address, or undefined if it succeeds. */
const bindingFailure = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const trial = createServer()
    trial.once("error", (error) => resolve(systemCode(error)))
    trial.listen({ host, port, exclusive: true }, () => trial.close(() => resolve(undefined)))
  })

const reachable = (host: string): string => (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host)

interface Answered {
  readonly status: number
  readonly body: string
}

/** The timeout in milliseconds, and the maximum length of a response body. */
const patience = 3000
const most = 64 * 1024

/** Sends a request to this machine. The certificate is not verified, because another check covers it. */
const asked = (request: typeof plainly | typeof securely, host: string, port: number, path: string): Promise<Answered | undefined> =>
  new Promise((resolve) => {
    const sent = request({ host, port, path, agent: false, rejectUnauthorized: false, signal: AbortSignal.timeout(patience) }, (answer) => {
      let body = ""
      answer.setEncoding("utf8").on("data", (text: string) => {
        body += text
        if (body.length > most) sent.destroy()
      })
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body }))
      answer.once("error", () => resolve(undefined))
    })
    sent.once("error", () => resolve(undefined))
    sent.once("close", () => resolve(undefined))
    sent.end()
  })

const memberOf = (body: string, name: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    const member = typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
    return typeof member === "string" ? member : undefined
  } catch {
    return undefined
  }
}
