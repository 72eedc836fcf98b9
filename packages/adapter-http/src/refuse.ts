import type { IncomingMessage } from "node:http"
import type { Provider } from "@postern/core"
import type { ErrorCode, Page, PageContext, Trail, Trouble } from "@postern/core/model"
import { refuse } from "@postern/core/model"
import type { EntropyPort, PagesPort, TrailPort } from "@postern/core/ports"
import { type Answer, acceptedLocales, pageHeaders, requestIdHeader } from "@postern/core/wire"

/** A request that the adapter itself rejects before it reaches core. */
export interface Offence {
  readonly rule: string
  readonly cites: string
  readonly status: number
  readonly description: string
  readonly reason: string
  readonly trouble: Trouble
  /** Default: `invalid_request`. */
  readonly error?: ErrorCode
  /** The number of seconds after which the caller should retry. */
  readonly retryAfter?: number
  /** True if no trail is recorded, because there may be thousands of these refusals per second. */
  readonly untold?: boolean
}

/** Too many requests in progress (RFC 9110 §15.6.4). */
export const overloaded: Offence = {
  rule: "http.in-flight",
  cites: "RFC 9110 §15.6.4",
  status: 503,
  description: "Too much is asked at once; nothing was changed. Try again.",
  reason: "more requests in flight than the limit",
  trouble: "unavailable",
  error: "temporarily_unavailable",
  retryAfter: 2,
  untold: true,
}

/** Too many bytes of bodies are arriving (RFC 9110 §15.6.4). */
export const bodiesFull: Offence = {
  ...overloaded,
  rule: "http.bodies",
  reason: "more bytes of bodies were arriving than the limit, and most of them in this request",
}

/** The body is too long (RFC 9110 §15.5.14). */
export const bodyTooLong: Offence = {
  rule: "http.body-length",
  cites: "RFC 9110 §15.5.14",
  status: 413,
  description: "The body is too long.",
  reason: "a body beyond the limit",
  trouble: "request_invalid",
}

/** The body is compressed (RFC 9110 §15.5.16). No endpoint needs that, and a small body could become a large one. */
export const bodyCoded: Offence = {
  rule: "http.content-coding",
  cites: "RFC 9110 §15.5.16",
  status: 415,
  description: "The body must not be compressed.",
  reason: "a Content-Encoding other than identity",
  trouble: "request_invalid",
}

/** The request target is too long (RFC 9110 §15.5.15). */
export const targetTooLong: Offence = {
  rule: "http.target-length",
  cites: "RFC 9110 §15.5.15",
  status: 414,
  description: "The request URL is too long.",
  reason: "a request target beyond the limit",
  trouble: "request_invalid",
}

/** No Host, several values, or an invalid one (RFC 9112 §3.2). Servers in front might choose a different host from them. */
export const invalidHost: Offence = {
  rule: "http.host",
  cites: "RFC 9112 §3.2",
  status: 400,
  description: "The request must have one valid Host header.",
  reason: "no Host header, more than one, or one with a character that no host has",
  trouble: "request_invalid",
}

/** A body that is coded in another way than by chunks (RFC 9112 §6.1). Servers in front might decode it. */
export const unknownCoding: Offence = {
  rule: "http.transfer-coding",
  cites: "RFC 9112 §6.1",
  status: 501,
  description: "The only transfer coding is chunked.",
  reason: "a transfer coding that is not chunked",
  trouble: "request_invalid",
}

/** Reports whether the transfer codings of a request are understood, which are none or chunked. */
export const isCoding = (field: string | undefined): boolean => field === undefined || field.trim().toLowerCase() === "chunked"

/** The characters of a host and port (RFC 3986 §3.2.2, §3.2.3), except the comma, which joins repeated fields. */
const hostCharacters = /^[\w.~!$&'()*+;=%:[\]-]*$/

/** Reports whether the Host field of a request is valid. It may be empty, and in HTTP/1.0 absent. */
export const isHost = ({ headers: { host }, httpVersion }: Pick<IncomingMessage, "headers" | "httpVersion">): boolean =>
  host === undefined ? httpVersion === "1.0" : hostCharacters.test(host)

/** Pages that are rendered synchronously, because an overloaded server must not wait for one. */
export interface WrittenPages extends PagesPort {
  /** Renders a page synchronously. */
  readonly render: (page: Page, context: PageContext) => string
}

/** Dependencies of `refuseRequest`. */
export interface RefusalMeans {
  readonly issuer: string
  readonly basePath: string
  readonly endpointAt: Provider["endpointAt"]
  readonly pages: WrittenPages
  readonly entropy: EntropyPort
  readonly trails: TrailPort | undefined
  readonly clock: () => number
}

/** Answers an offence with JSON for a program or a page for a browser, and records its trail. */
export const refuseRequest =
  ({ issuer, basePath, endpointAt, pages, entropy, trails, clock }: RefusalMeans) =>
  (offence: Offence, path: string, acceptLanguage: string | undefined): Answer => {
    const { rule, cites, status, description, reason, trouble, retryAfter, untold = false } = offence
    const { error } = refuse(offence.error ?? "invalid_request", description, reason)
    const requestId = Buffer.from(entropy.bytes(12)).toString("base64url")
    const now = Math.floor(clock() / 1000)
    if (!untold)
      trails?.record(
        (): Trail => ({
          requestId,
          at: now,
          endpoint: "http",
          clientId: undefined,
          subject: undefined,
          steps: [{ table: "http", passed: [], refused: { rule, cites, answer: error, reason } }],
          outcome: "Refuse",
          status,
          fault: undefined,
        }),
        true,
      )
    const common = [
      ["cache-control", "no-store"],
      [requestIdHeader, requestId],
      ...(retryAfter === undefined ? [] : [["retry-after", String(retryAfter)] as const]),
    ] as const
    const endpoint = endpointAt(path)
    if (endpoint?.audience === "programs") {
      return {
        status,
        headers: [["content-type", "application/json"], ...common, ["pragma", "no-cache"], ...endpoint.headers],
        body: JSON.stringify({ error, error_description: description }),
      }
    }
    const nonce = Buffer.from(entropy.bytes(16)).toString("base64url")
    return {
      status,
      headers: [...pageHeaders(nonce), ...common],
      body: pages.render(
        { _tag: "Error", trouble, error, retryAfter },
        {
          locales: acceptedLocales(acceptLanguage),
          languageAddress: undefined,
          requestId,
          nonce,
          issuer,
          basePath,
          tenant: undefined,
          now,
        },
      ),
    }
  }
