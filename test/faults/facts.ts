import type { LoadClient } from "./setting.ts"

/** State of a fact: promised to hold, promised not to, or asked for and never answered; the last may be either, never both. */
export type Fate = "live" | "dead" | "unsure"

/** Use of something that works once. */
export type Use = "fresh" | "spent" | "unsure"

/** A code and everything that came of it. */
export interface Chain {
  readonly client: LoadClient
  readonly code: string
  readonly verifier: string
  use: Use
  grant: Fate
  readonly access: Array<{ readonly value: string; fate: Fate }>
  /** In the order they came; the last one is the one to use. */
  readonly refresh: Array<{ readonly value: string; use: Use }>
}

/** A device that asked. */
export interface DeviceFact {
  readonly deviceCode: string
  readonly userCode: string
  /** Answer of the person. */
  decision: "pending" | "approved" | "denied" | "perhaps approved" | "perhaps denied"
  use: Use
  tokens: { readonly access: string; readonly refresh: string } | undefined
}

/** A sign-in of its own, with a token that ends with it. */
export interface SessionFact {
  readonly cookies: ReadonlyMap<string, string>
  readonly access: string
  fate: Fate
}

/** Chains that can still be worked with: nothing about them is unsure. */
export const isSettled = ({ grant, use, refresh }: Chain): boolean =>
  grant === "live" && use !== "unsure" && refresh.every((token) => token.use !== "unsure")

/** Everything of a chain is dead. */
export const kill = (chain: Chain): void => {
  chain.grant = "dead"
  for (const token of chain.access) token.fate = "dead"
}
