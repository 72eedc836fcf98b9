import type { Answer } from "@postern/core/wire"
import type { Level } from "../requirement/requirement.ts"
import type { Forge } from "./forge.ts"

/** The answers that a misbehavior changes, in the order of a sign-in. */
export type Stage = "metadata" | "keys" | "authorization" | "token" | "refresh" | "userinfo"

/** What a client does next where it goes on: requests that the provider sees. */
export type Step = "metadata" | "keys" | "authorize" | "token" | "refresh" | "userinfo"

/** An answer to change, and what it may be changed with. */
export interface Change {
  readonly answer: Answer
  readonly issuer: string
  readonly forge: Forge
}

/** Changes an answer; undefined where there is nothing in it to change. */
export type Transform = (change: Change) => Answer | undefined | Promise<Answer | undefined>

/** One thing that a provider does wrong, or unusually, and what its clients must make of it. */
export interface Misbehavior {
  readonly id: string
  /** The paragraph of the client's duty. */
  readonly paragraph: string
  /** How strong that duty is. */
  readonly level: Level
  readonly title: string
  /** True for what is unusual and right: a client must accept it. */
  readonly positive: boolean
  /** The changes of each answer. */
  readonly transform: Readonly<Partial<Record<Stage, Transform>>>
  /** The requests after a changed answer which show that the client went on. */
  readonly observe: Readonly<Record<Stage, ReadonlyArray<Step>>>
}

/** The requests that follow each answer where a client goes on. After userinfo the provider sees nothing more. */
const goingOn: Misbehavior["observe"] = {
  metadata: ["authorize", "token"],
  keys: ["userinfo"],
  authorization: ["token"],
  token: ["userinfo"],
  refresh: ["userinfo"],
  userinfo: [],
}

/** A fault with a duty to notice it. */
export const misbehavior = (
  id: string,
  title: string,
  paragraph: string,
  transform: Misbehavior["transform"],
  level: Level = "MUST",
): Misbehavior => ({ id, title, paragraph, level, positive: false, transform, observe: goingOn })

/** Something unusual that is right. */
export const unusual = (id: string, title: string, paragraph: string, transform: Misbehavior["transform"]): Misbehavior => ({
  ...misbehavior(id, title, paragraph, transform),
  positive: true,
})
