import { challenge } from "../support/flows.ts"
import type { Pairs } from "./asked.ts"
import type { Kind } from "./kinds.ts"

/** The response types of the specification §2.1. */
export const responseTypes = ["id_token", "token", "id_token token", "code", "code id_token", "code id_token token"] as const

/** The same in every order of their words (RFC 6749 §3.1.1). */
export const ordered: ReadonlyArray<string> = responseTypes.flatMap((type) => orders(type.split(" ")).map((words) => words.join(" ")))

function orders(words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> {
  if (words.length <= 1) return [words]
  return words.flatMap((word, at) => orders(words.toSpliced(at, 1)).map((rest) => [word, ...rest]))
}

/** The response modes, and none asked for. */
export const responseModes = [undefined, "query", "fragment", "form_post"] as const

/** A scope that every client may ask for with a response type. */
export const fitting = (type: string): string => {
  if (type === "token") return "api.read"
  return type.split(" ").includes("token") ? "openid api.read" : "openid"
}

/** Parameters that requests differ in; undefined leaves one out. */
export interface Choice {
  readonly type: string
  readonly mode?: string | undefined
  readonly scope?: string | undefined
  readonly nonce?: string | undefined
  readonly prompt?: string | undefined
  readonly state?: string | undefined
  readonly resource?: string | undefined
  readonly proof?: Proof
}

/** The ways to send a code_challenge, or none. */
export const proofs = ["S256", "plain", "plain by default", "none", "method alone"] as const
export type Proof = (typeof proofs)[number]

const proofParameters: Readonly<Record<Proof, Pairs>> = {
  S256: [
    ["code_challenge", challenge],
    ["code_challenge_method", "S256"],
  ],
  plain: [
    ["code_challenge", challenge],
    ["code_challenge_method", "plain"],
  ],
  "plain by default": [["code_challenge", challenge]],
  none: [],
  "method alone": [["code_challenge_method", "S256"]],
}

/** The request that a choice describes. */
export const requestOf = (kind: Kind, { type, mode, scope, nonce, prompt, state, resource, proof = "S256" }: Choice): Pairs => {
  const optional: ReadonlyArray<readonly [string, string | undefined]> = [
    ["response_mode", mode],
    ["scope", scope],
    ["state", state],
    ["nonce", nonce],
    ["prompt", prompt],
    ["resource", resource],
  ]
  return [
    ["client_id", kind.clientId],
    ["redirect_uri", kind.redirectUri],
    ["response_type", type],
    ...optional.flatMap(([name, value]): Pairs => (value === undefined ? [] : [[name, value]])),
    ...proofParameters[proof],
  ]
}

/** The usual request of a response type: nothing wrong with it. */
export const usual = (type: string, more: Partial<Choice> = {}): Choice => ({
  type,
  scope: fitting(type),
  nonce: "n-0S6",
  state: "af0if",
  ...more,
})
