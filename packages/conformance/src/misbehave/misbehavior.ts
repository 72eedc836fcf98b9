import type { Answer } from "@postern/core/wire"
import type { Level } from "../requirement/requirement.ts"
import type { Forge } from "./forge.ts"

/** The answers that a misbehavior changes. */
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
 * An answer that a misbehavior changes: `authorize` is the answer to the authorization request, `authorization` the response that goes to the client, `ciba` that to a request
 * by which a client asks a person, `poll` the token response for a device code or for such a request, `id-jag` the one by which a client gets an ID-JAG, `signed-out` the way back from the end session endpoint, `notice` a message of the provider about the
 * result of a CIBA request, and `logout` a logout token.
 */
export type Stage = (typeof stages)[number]

/** Requests of a client that the provider sees. `again` says that it sent the same code or token before; `planted` is an address that only a fault names. */
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

/** Texts that a misbehavior keeps from one sign-in of a client for the next. */
export type Kept = Readonly<Record<string, string>>

/** An answer to change, and everything it may be changed with. */
export interface Change {
  readonly answer: Answer
  readonly issuer: string
  readonly forge: Forge
  /** The parameters of the request that is answered. */
  readonly sent: URLSearchParams
  /** The nonce of the request's DPoP proof (RFC 9449 §4.2); undefined where it has none. */
  readonly nonce: string | undefined
  /** The parameters of the authorization request that began the sign-in. */
  readonly asked: URLSearchParams
  readonly kept: Kept
  /** Another issuer of this provider, which is right. */
  readonly other: string
  /** The client that the answer is for; empty where the request says nothing of it. */
  readonly client: string
  /** Seconds since 1970. */
  readonly now: number
  /** The address below which requests are answered that only a fault leads to. */
  readonly planted: string
  /** The same without TLS; undefined where the provider has none itself. */
  readonly plain: string | undefined
}

/** A changed answer with more to it than its bytes. */
export interface Delivered {
  readonly answer: Answer
  /** `lost`: the connection ends without the answer. `slow`: it comes after the provider's `patience`. */
  readonly delivery?: "lost" | "slow"
  /** Notices that are sent after this one. */
  readonly next?: ReadonlyArray<Answer>
  /** Texts to keep for the client's next sign-in. */
  readonly keep?: Kept
  /** True where the answer is the right one still: something is kept of it, no more. */
  readonly unchanged?: true
}

/** The outcome of a change; undefined where there is nothing to change. */
export type Outcome = Answer | Delivered | undefined

/** Changes an answer. Pure: the same change has the same outcome. */
export type Transform = (change: Change) => Outcome | Promise<Outcome>

/** One thing that a provider does wrong, or unusually, and the duty of its clients. */
export interface Misbehavior {
  readonly id: string
  /** The paragraph of the client's duty. */
  readonly paragraph: string
  /** Strength of that duty. */
  readonly level: Level
  readonly title: string
  /** True for what is unusual and right: a client must accept it. */
  readonly positive: boolean
  /** The changes of each answer. */
  readonly transform: Readonly<Partial<Record<Stage, Transform>>>
  /** The requests after a changed answer which show that the client went on. */
  readonly observe: Readonly<Record<Stage, ReadonlyArray<Step>>>
  /** True where the duty is to leave something undone: a client that does nothing of `observe` has noticed. */
  readonly calm: boolean
  /** The number of sign-ins that show it. */
  readonly signIns: number
  /** More requests than this of a step, after the changed answer, show that the client does not know when to stop. */
  readonly most?: readonly [step: Step, times: number]
  /** Seconds that must lie between a changed answer and the next request of that kind; each changed answer adds `more` (RFC 8628 §3.5). */
  readonly pace?: { readonly first: number; readonly more: number }
  /** The question to the person in front of the client, where it is not about a signed-in page. */
  readonly question?: string
  /** True where only a request whose own answer is right shows that the client went on: it did what the changed answer asks for. */
  readonly settled?: true
  /** True where the planted address is the one that the client should ask at. */
  readonly leads?: true
}

/** The requests that follow each answer where a client goes on. After userinfo the provider sees nothing more. */
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

/** Members of a misbehavior beside its usual ones. */
export type More = Partial<Pick<Misbehavior, "level" | "calm" | "signIns" | "most" | "pace" | "question" | "leads" | "settled">> & {
  readonly observe?: Partial<Misbehavior["observe"]>
}

/** A fault with a duty to notice it. */
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

/** Something unusual that is right. */
export const unusual = (...stated: Parameters<typeof misbehavior>): Misbehavior => ({ ...misbehavior(...stated), positive: true })
