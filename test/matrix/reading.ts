import type { Asked, Mode } from "./asked.ts"

/** Certainty of the documents about something: `maybe` where they leave it open. */
export type Sure = "no" | "maybe" | "yes"

/** Content of a request, read by RFC 6749 §3.1. */
export interface Reading {
  /** The values of a parameter that are not empty; an empty one counts as omitted. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** The first of them. */
  readonly one: (name: string) => string | undefined
  /** True if a parameter is repeated. `a=&a=1` is open: an omitted parameter is not there, and is there all the same. */
  readonly repeated: (name: string) => Sure
  readonly names: ReadonlyArray<string>
  readonly redirectUri: string
  /** The response type: its words sorted, whatever their order (RFC 6749 §3.1.1); none when it is not one supported. */
  readonly words: ReadonlyArray<string>
  /** The mode of a success. */
  readonly mode: Mode
  /** The modes an error may be sent back in. */
  readonly errorModes: ReadonlyArray<Mode>
  /** Values that `state` may have in the answer: as it came, or as any of those that came. */
  readonly states: ReadonlyArray<string | undefined>
  readonly nonce: string | undefined
  readonly scope: ReadonlyArray<string>
  readonly resource: ReadonlyArray<string>
  readonly prompts: ReadonlyArray<string>
  readonly maxAge: number | undefined
}

const modes: ReadonlyArray<Mode> = ["query", "fragment", "form_post"]

/** Words of a list that spaces separate (RFC 6749 §3.3), each once. */
export const wordsOf = (text: string): ReadonlyArray<string> => [...new Set(text.split(" ").filter((word) => word !== ""))]

/** A response type with its words in the order of the alphabet. */
export const sorted = (responseType: string): string => wordsOf(responseType).toSorted().join(" ")

/** Reads the parameters of a request. */
export const read = ({ pairs, supported }: Asked): Reading => {
  const all = (name: string): ReadonlyArray<string> => pairs.flatMap(([each, value]) => (each === name && value !== "" ? [value] : []))
  const one = (name: string): string | undefined => all(name)[0]
  const repeated = (name: string): Sure => {
    if (all(name).length > 1) return "yes"
    return pairs.filter(([each]) => each === name).length > 1 ? "maybe" : "no"
  }
  const types = all("response_type").filter((type) => supported.map(sorted).includes(sorted(type)))
  const words = types.length === 0 ? [] : wordsOf(sorted(types[0] ?? ""))
  const states = all("state")
  const maxAge = one("max_age")
  return {
    all,
    one,
    repeated,
    names: [...new Set(pairs.map(([name]) => name))],
    redirectUri: one("redirect_uri") ?? "",
    words,
    mode: knownMode(one("response_mode")) ?? defaultMode(words),
    errorModes: errorModes(all("response_type"), words, all("response_mode")),
    states: states.length > 1 ? [...states, undefined] : [states[0]],
    nonce: one("nonce"),
    scope: wordsOf(one("scope") ?? ""),
    resource: all("resource"),
    prompts: wordsOf(one("prompt") ?? ""),
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
  }
}

const knownMode = (text: string | undefined): Mode | undefined => modes.find((mode) => mode === text)

/** `query` for a code alone, `fragment` where a token comes with it (Multiple Response Types §2.1, §3, §5). */
const defaultMode = (words: ReadonlyArray<string>): Mode => (words.join(" ") === "code" ? "query" : "fragment")

/**
 * An error travels as the success would have: in the mode asked for, or else in the type's default (Multiple Response Types §5; OpenID Connect
 * Core §3.2.2.6, §3.3.2.6). Of what carries a token, nothing goes into the query. Where the type is missing the query is the default,
 * RFC 6749 §4.1.2.1; where it is unknown or comes twice, nobody can tell its default.
 */
const errorModes = (sent: ReadonlyArray<string>, words: ReadonlyArray<string>, asked: ReadonlyArray<string>): ReadonlyArray<Mode> => {
  const plain = sent.length === 1 && words.length > 0
  const otherwise: ReadonlyArray<Mode> = plain ? [defaultMode(words)] : sent.length === 0 ? ["query"] : ["query", "fragment"]
  const known = asked.flatMap((mode) => knownMode(mode) ?? [])
  const fitting = known.filter((mode) => mode !== "query" || otherwise.includes("query"))
  if (asked.length === 1 && fitting.length === 1) {
    // A type that nobody knows may carry a token, so `query` may be denied to it.
    return fitting[0] === "query" ? otherwise : fitting
  }
  return asked.length > 1 ? [...new Set([...otherwise, ...fitting])] : otherwise
}
