import { readFileSync } from "node:fs"
import type { Sent } from "./mutations.ts"
import type { Wire } from "./sockets.ts"

/** Inputs that once mattered, here or to others of the kind, each with the reason. Read as text: a bundler's JSON has no room for half a character. */
export interface Corpus {
  /** For a provider in memory. */
  readonly messages: ReadonlyArray<Sent & { readonly why: string }>
  /** For a running server. */
  readonly wires: ReadonlyArray<Omit<Wire, "name"> & { readonly why: string }>
}

/** All of them. An input by which a law is broken joins them, and stays. */
export const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Corpus
