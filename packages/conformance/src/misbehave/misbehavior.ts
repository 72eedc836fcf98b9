import type { Answer } from "@postern/core/wire"
import type { Level } from "../requirement/requirement.ts"
import type { Forge } from "./forge.ts"

/** The responses that a misbehavior can change. */
export const stages = [
  "metadata",
  "resource",
  "keys",
  "authorize",
  "authorization",
  "token",
  "refresh",
  "device",
  "ciba",
  "poll",
  "id-jag",
  "userinfo",
  "signed-out",
  "notice",
  "logout",
] as const

/**
 * A response that a misbehavior changes. `authorize` is the response to the authorization request, `authorization` the authorization
 * response to the client, `ciba` the response to a CIBA authentication request, `poll` the token response for a device code or a CIBA
 * request, `id-jag` the token response with an ID-JAG, `signed-out` the redirect from the end session endpoint, `notice` the provider's
 * notification about the result of a CIBA request, and `logout` a logout token.
 */
export type Stage = (typeof stages)[number]

/**
 * A client's request that the provider sees. `again` repeats an earlier code or token. `planted` goes to an address that only a fault
 * names.
 */
export type Step =
  | "metadata"
  | "resource"
  | "keys"
  | "authorize"
  | "token"
  | "token again"
  | "refresh"
  | "refresh again"
  | "device"
  | "ciba"
  | "poll"
  | "id-jag"
  | "userinfo"
  | "userinfo again"
  | "signed-out"
  | "planted"

/** Values that a misbehavior keeps for a client's next sign-in. */
export type Kept = Readonly<Record<string, string>>

/** A response to change, and the context for the change. */
export interface Change {
  readonly answer: Answer
  readonly issuer: string
  readonly forge: Forge
  /** The parameters of the request. */
  readonly sent: URLSearchParams
  /** The nonce of the request's DPoP proof (RFC 9449 §4.2); undefined if it has none. */
  readonly nonce: string | undefined
  /** The parameters of the authorization request that started the sign-in. */
  readonly asked: URLSearchParams
  readonly kept: Kept
  /** Another issuer of this provider, which behaves correctly. */
  readonly other: string
  /** The client that receives the response; empty if the request does not identify it. */
  readonly client: string
  /** Seconds since 1970. */
  readonly now: number
  /** The base address of paths that only a fault names. */
  readonly planted: string
  /** The same address without TLS; undefined if the provider has none. */
  readonly plain: string | undefined
}

/** A changed response with its delivery and side effects. */
export interface Delivered {
  readonly answer: Answer
  /** `lost` ends the connection without a response. `slow` delays it by the provider's `patience`. */
  readonly delivery?: "lost" | "slow"
  /** Notices to send after this one. */
  readonly next?: ReadonlyArray<Answer>
  /** Values to keep for the client's next sign-in. */
  readonly keep?: Kept
  /** True if the response is still the correct one, and the outcome only keeps values or prepares a later fault. */
  readonly unchanged?: true
}

/** The outcome of a change; undefined if there is nothing to change. */
export type Outcome = Answer | Delivered | undefined

/** Changes a response. It is pure. */
export type Transform = (change: Change) => Outcome | Promise<Outcome>

/** One wrong or unusual behavior of a provider, and the duty of its clients. */
export interface Misbehavior {
  readonly id: string
  /** The paragraph of the client's duty. */
  readonly paragraph: string
  /** The strength of that duty. */
  readonly level: Level
  readonly title: string
  /** True for unusual but correct behavior, which a client must accept. */
  readonly positive: boolean
  /** The change of each response. */
  readonly transform: Readonly<Partial<Record<Stage, Transform>>>
  /** The requests after a changed response by which the client shows that it accepted it. */
  readonly observe: Readonly<Record<Stage, ReadonlyArray<Step>>>
  /** True if the duty is to refrain from something. A client that sends none of the requests in `observe` has then noticed. */
  readonly calm: boolean
  /** The number of sign-ins that the behavior needs. */
  readonly signIns: number
  /** More requests of a step than this after the changed response mean that the client does not stop as it should. */
  readonly most?: readonly [step: Step, times: number]
  /** Seconds that a client must wait between its polls. Each changed response adds `more` (RFC 8628 §3.5). */
  readonly pace?: { readonly first: number; readonly more: number }
  /** The question to the person at the client, if it is not about a signed-in page. */
  readonly question?: string
  /**
   * True if only a request whose own response is unchanged counts as acceptance, because the client first does what the changed response
   * asks for.
   */
  readonly settled?: true
  /** True if the client should send requests to the planted address. */
  readonly leads?: true
}

/** The requests that follow each response if the client continues. After userinfo the provider sees no more requests. */
const goingOn: Misbehavior["observe"] = {
  metadata: ["authorize", "token", "device"],
  resource: ["metadata", "authorize", "token"],
  keys: ["userinfo", "userinfo again"],
  authorize: ["token"],
  authorization: ["token"],
  token: ["userinfo"],
  refresh: ["userinfo"],
  device: ["poll"],
  ciba: ["poll"],
  poll: ["userinfo"],
  "id-jag": [],
  userinfo: [],
  "signed-out": [],
  notice: ["poll", "userinfo"],
  logout: [],
}

/** Optional members of a misbehavior. */
export type More = Partial<Pick<Misbehavior, "level" | "calm" | "signIns" | "most" | "pace" | "question" | "leads" | "settled">> & {
  readonly observe?: Partial<Misbehavior["observe"]>
}

/** Defines a fault that clients have a duty to notice. */
export const misbehavior = (
  id: string,
  title: string,
  paragraph: string,
  transform: Misbehavior["transform"],
  more: Level | More = {},
): Misbehavior => {
  const { observe, ...others } = typeof more === "string" ? { level: more } : more
  return {
    id,
    title,
    paragraph,
    level: "MUST",
    positive: false,
    transform,
    calm: false,
    signIns: 1,
    ...others,
    observe: { ...goingOn, ...observe },
  }
}

/** Defines unusual but correct behavior. */
export const unusual = (...stated: Parameters<typeof misbehavior>): Misbehavior => ({ ...misbehavior(...stated), positive: true })
