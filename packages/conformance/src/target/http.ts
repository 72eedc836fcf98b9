import { request } from "node:https"
import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import type { Certificate } from "../exchange/certificate.ts"
import { ownPages, type Recipe } from "./recipe.ts"
import { isLoopback } from "./loopback.ts"
import { publisher } from "./publisher.ts"
import { logoutTokens, receiver } from "./receiver.ts"
import type { Received, Sent } from "../exchange/exchange.ts"
import type { RoleClient, RoleName } from "./roles.ts"
import { type Opening, type Person, Unreachable, Untried } from "./target.ts"

/** A remote provider, and the known facts about it. */
export interface HttpTarget {
  /** The issuer identifier. */
  readonly issuer: string
  readonly clients?: Readonly<Partial<Record<RoleName, RoleClient>>> | undefined
  readonly person?: Person | undefined
  readonly recipe?: Recipe | undefined
  /** The maximum requests per second; by default 50, and 500 for a provider on this machine. */
  readonly rate?: number | undefined
  /** The maximum milliseconds of a response; 10,000 by default. */
  readonly timeout?: number | undefined
}

const kinds: MemberKinds<HttpTarget> = {
  issuer: "text",
  clients: "object?",
  person: "object?",
  recipe: "object?",
  rate: "number?",
  timeout: "number?",
}

/** The maximum bytes of a response's body. A longer one is an error. */
const mostBytes = 1024 * 1024

/** Spaces requests evenly, at a rate per second. */
const paced = (rate: number) => {
  let next = 0
  return async (): Promise<void> => {
    const now = Date.now()
    next = Math.max(next, now) + 1000 / rate
    const wait = next - 1000 / rate - now
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

const bodyOf = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  if (response.body === null) return ""
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > mostBytes) throw new Unreachable(`an answer of more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** A URL without its query and fragment. */
const placeOf = (url: string): string => (URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url)

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return "no answer in time"
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

/** Sends a request over its own connection with a client certificate. */
const sentWith = (certificate: Certificate, sent: Sent, timeout: number): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { method, url, headers, body = "" } = sent
    if (!url.startsWith("https:")) throw new Untried(`a certificate can be shown by TLS alone, and ${placeOf(url)} has none`)
    const options = { ...certificate.pem(), method, headers, agent: false, signal: AbortSignal.timeout(timeout) } as const
    const asked = request(url, options, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
        if (text.length > mostBytes) asked.destroy(new Unreachable(`an answer of more than ${mostBytes} bytes`))
      })
      response.once("error", reject).once("end", () => {
        const fields = Object.entries(response.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        )
        resolve({ status: response.statusCode ?? 0, headers: new Headers(fields), body: text, sent })
      })
    })
    asked.once("error", reject)
    asked.end(body)
  })

const isHere = (uri = ""): boolean => URL.canParse(uri) && isLoopback(new URL(uri))

/** Creates a target for a provider over HTTP. */
export const overHttp = (target: HttpTarget): Opening => {
  refuseFaults("overHttp", memberFaults(target, kinds))
  const { issuer, clients = {}, person, recipe = ownPages, rate, timeout = 10_000 } = target
  const turn = paced(rate ?? (isHere(issuer) ? 500 : 50))
  const send = async (sent: Sent): Promise<Received> => {
    await turn()
    try {
      if (sent.certificate !== undefined) return await sentWith(sent.certificate, sent, timeout)
      const response = await fetch(sent.url, {
        method: sent.method,
        headers: sent.headers,
        redirect: "manual",
        signal: AbortSignal.timeout(timeout),
        ...(sent.body === undefined ? {} : { body: sent.body }),
      })
      return { status: response.status, headers: response.headers, body: await bodyOf(response), sent }
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Untried) throw error
      throw new Unreachable(`${sent.method} ${placeOf(sent.url)}: ${reasonOf(error)}`)
    }
  }
  return {
    name: issuer,
    fresh: false,
    open: async () => {
      const told = Object.values(clients).flatMap((client) => [
        client.backchannel_logout_uri,
        client.backchannel_client_notification_endpoint,
      ])
      const posted = await receiver(told)
      return {
        issuer,
        clients,
        person,
        recipe,
        send,
        logouts: posted && (({ backchannel_logout_uri: uri }) => logoutTokens(posted(uri))),
        // Nothing here receives the notices of a client that was registered later, or whose endpoint is elsewhere.
        notices:
          posted && (({ backchannel_client_notification_endpoint: uri }) => (told.includes(uri) && isHere(uri) ? posted(uri) : undefined)),
        publisher: await publisher(issuer),
        now: () => Math.floor(Date.now() / 1000),
      }
    },
  }
}
