import type { Json, JsonObject } from "@postern/core/model"

/** The rule that refuses, by which paragraph and why. */
export interface RefusedBy {
  readonly rule: string
  readonly cites: string
  readonly reason: string
}

/** An answer of a server to what a client would send. */
export interface Answered {
  readonly status: number
  /** The place that a browser is sent on to. */
  readonly location: string | undefined
  readonly body: string
  readonly requestId: string | undefined
  /** The rule that its trail names, where the trail can be read. */
  readonly refused: RefusedBy | undefined
}

/** A place where metadata was looked for. */
export interface Looked {
  readonly url: string
  /** The metadata there; undefined where there is none. */
  readonly found: JsonObject | undefined
  /** The reason why the place was not asked, or did not answer. */
  readonly problem?: string
}

/** A protected resource, and the way to its metadata. */
export interface ResourceFound {
  /** The URL that was given. */
  readonly url: string
  /** The `resource_metadata` of the challenge; undefined where a request without a token is answered without one. */
  readonly challenge: string | undefined
  readonly looked: ReadonlyArray<Looked>
  readonly metadata: JsonObject | undefined
}

/** An authorization server as clients find it. */
export interface Server {
  readonly issuer: string
  /** The three places of its metadata, in the order in which clients try them (RFC 8414 §3.1, OpenID Connect Discovery §4). */
  readonly looked: ReadonlyArray<Looked>
  /** The metadata that was found first; empty where there is none. */
  readonly metadata: JsonObject
  /** The reasons why endpoints of the metadata are not asked, by their names. */
  readonly barred: Readonly<Record<string, string>>
  /** The resource that clients started from; undefined where the server itself was named. */
  readonly resource: ResourceFound | undefined
  /** The identifier that clients name as `resource`. */
  readonly identifier: string | undefined
  /** The scopes that clients ask for. */
  readonly scope: string | undefined
  /** True if a client may be registered there for the trial: nobody keeps it. */
  readonly registers: boolean
  /** Sends a request. */
  readonly ask: (method: "GET" | "POST", url: string, body?: { readonly type: string; readonly text: string }) => Promise<Answered>
}

/** The places of an issuer's metadata, in the order in which clients try them. */
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

/** Reports whether two texts are one identifier but for a slash at the end and the case of scheme and host. */
export const isSameIdentifier = (left: string, right: string): boolean => comparable(left) === comparable(right)

/** A member as a text: empty where it is none. */
export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
