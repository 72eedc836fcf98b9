import type { Provider } from "@postern/core"
import type { ErrorCode, Page, PageContext, Trail, Trouble } from "@postern/core/model"
import { refuse } from "@postern/core/model"
import type { EntropyPort, PagesPort, TrailPort } from "@postern/core/ports"
import { type Answer, acceptedLocales, pageHeaders, requestIdHeader } from "@postern/core/wire"

/** A request that the adapter itself refuses, before core sees it. */
export interface Offence {
  readonly rule: string
  readonly cites: string
  readonly status: number
  readonly description: string
  readonly reason: string
  readonly trouble: Trouble
  /** `invalid_request` when not given. */
  readonly error?: ErrorCode
  /** After how many seconds another try makes sense. */
  readonly retryAfter?: number
  /** True if it leaves no trail: there may be thousands of it in a second. */
  readonly untold?: boolean
}

/** RFC 9110 §15.6.4: more is being answered at once than the limit. */
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

/** RFC 9110 §15.5.14. */
export const bodyTooLong: Offence = {
  rule: "http.body-length",
  cites: "RFC 9110 §15.5.14",
  status: 413,
  description: "The body is too long.",
  reason: "a body beyond the limit",
  trouble: "request_invalid",
}

/** RFC 9110 §15.5.15. */
export const targetTooLong: Offence = {
  rule: "http.target-length",
  cites: "RFC 9110 §15.5.15",
  status: 414,
  description: "The request URL is too long.",
  reason: "a request target beyond the limit",
  trouble: "request_invalid",
}

/** RFC 9112 §3.2: servers in front could take another of several hosts, or what stands in an invalid one, for the right one. */
export const invalidHost: Offence = {
  rule: "http.host",
  cites: "RFC 9112 §3.2",
  status: 400,
  description: "The request must have one valid Host header.",
  reason: "more than one Host header, or one with a character that no host has",
  trouble: "request_invalid",
}

/** The characters of a host and its port (RFC 3986 §3.2.2, §3.2.3), but for the comma: repeated fields are joined with it. */
const hostCharacters = /^[\w.~!$&'()*+;=%:[\]-]*$/

/** Reports whether a Host field may be one: also an empty one, and in HTTP/1.0 none at all. */
export const isHost = (field: string | undefined): boolean => field === undefined || hostCharacters.test(field)

/** Pages that are written at once: a server that has too much to do waits for none. */
export interface WrittenPages extends PagesPort {
  /** Renders a page at once. */
  readonly render: (page: Page, context: PageContext) => string
}

/** Parts that a refusal is written with. */
export interface RefusalMeans {
  readonly issuer: string
  readonly basePath: string
  readonly endpointAt: Provider["endpointAt"]
  readonly pages: WrittenPages
  readonly entropy: EntropyPort
  readonly trails: TrailPort | undefined
  readonly clock: () => number
}

/** Answers an offence as its reader understands it, JSON for a program and a page for a person, and leaves its trail. */
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
    if (endpointAt(path)?.audience === "programs") {
      return {
        status,
        headers: [["content-type", "application/json"], ...common],
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
