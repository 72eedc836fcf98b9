import { readFileSync } from "node:fs"
import type { Forged } from "./forged.ts"
import type { Sent } from "./mutations.ts"
import type { Wire } from "./sockets.ts"

/** Inputs that once mattered, here or to others of the kind, each with the reason. An input by which a law is broken joins them, and stays. */
export interface Corpus {
  /** For a provider in memory. */
  readonly messages: ReadonlyArray<Sent & { readonly why: string }>
  /** For a running server. */
  readonly wires: ReadonlyArray<Omit<Wire, "name"> & { readonly why: string }>
  /** Change of a sound JWT. */
  readonly jwts: ReadonlyArray<Omit<Forged, "name"> & { readonly why: string }>
  /** Configuration files. */
  readonly configs: ReadonlyArray<{ readonly why: string; readonly name: string; readonly text: string }>
  /** Command lines. */
  readonly lines: ReadonlyArray<{ readonly why: string; readonly args: ReadonlyArray<string> }>
}

// Read as text: a bundler's JSON has no room for half a character.
const read = <Name extends keyof Corpus>(name: Name): Corpus[Name] =>
  JSON.parse(readFileSync(new URL(`corpus/${name}.json`, import.meta.url), "utf8")) as Corpus[Name]

/** All of them. */
export const corpus: Corpus = {
  messages: read("messages"),
  wires: read("wires"),
  jwts: read("jwts"),
  configs: read("configs"),
  lines: read("lines"),
}
