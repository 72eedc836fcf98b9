import type { Json, JsonObject } from "@postern/core/model"

/** The rule that refuses a request, its citation, and the reason. */
export interface RefusedBy {
  readonly rule: string
  readonly cites: string
  readonly reason: string
}

/** The response to a request of a client. */
export interface Answered {
  readonly status: number
  /** The URL of a redirect. */
  readonly location: string | undefined
  readonly body: string
  readonly requestId: string | undefined
  /** The rule that refused the request, from the trail if available. */
  readonly refused: RefusedBy | undefined
}

/** A URL at which metadata was looked for. */
export interface Looked {
  readonly url: string
  /** The metadata; undefined if there is none. */
  readonly found: JsonObject | undefined
  /** The reason why no request was sent or answered. */
  readonly problem?: string
}

/** A protected resource and the search for its metadata. */
export interface ResourceFound {
  /** The URL that was given. */
  readonly url: string
  /** The `resource_metadata` of the challenge; undefined if a request without a token gets no challenge. */
  readonly challenge: string | undefined
  readonly looked: ReadonlyArray<Looked>
  readonly metadata: JsonObject | undefined
}

/** An authorization server as clients see it. */
export interface Server {
  readonly issuer: string
  /** The URLs tried for its metadata, in the order in which clients try them (RFC 8414 §3.1, OpenID Connect Discovery §4). */
  readonly looked: ReadonlyArray<Looked>
  /** The first metadata found; empty if there is none. */
  readonly metadata: JsonObject
  /** The reasons why no requests are sent to some endpoints, by endpoint name. */
  readonly barred: Readonly<Record<string, string>>
  /** The resource from which clients started; undefined if the command named the server itself. */
  readonly resource: ResourceFound | undefined
  /** The value of the `resource` parameter. */
  readonly identifier: string | undefined
  /** The value of the `scope` parameter. */
  readonly scope: string | undefined
  /** True if a client may be registered for the check, because registrations are not stored. */
  readonly registers: boolean
  /** Sends a request. */
  readonly ask: (method: "GET" | "POST", url: string, body?: { readonly type: string; readonly text: string }) => Promise<Answered>
}

/** Returns the URLs of an issuer's metadata, in the order in which clients try them. */
export const placesOf = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ]
}

const comparable = (url: string): string => (URL.canParse(url) ? new URL(url).href.replace(/\/$/, "") : url)

/** Compares two identifiers, ignoring a trailing slash and the case of scheme and host. */
export const isSameIdentifier = (left: string, right: string): boolean => comparable(left) === comparable(right)

/** Returns a string, or "" for any other value. */
export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
