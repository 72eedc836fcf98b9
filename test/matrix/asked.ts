import type { Kind } from "./kinds.ts"

/** Parameters as they are sent, in order. */
export type Pairs = ReadonlyArray<readonly [string, string]>

/** Way in which an answer travels back (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, Form Post Response Mode §2). */
export type Mode = "query" | "fragment" | "form_post"

/** The browser's standing with the provider when it asks. */
export interface Standing {
  /** Seconds since the sign-in; undefined when nobody is signed in. */
  readonly age: number | undefined
  /** True if the person has allowed this client every scope it may have. */
  readonly consented: boolean
}

/** One request, and everything about the world that its answer depends on. */
export interface Asked {
  readonly kind: Kind
  readonly pairs: Pairs
  readonly standing: Standing
  /** `response_types_supported` of the provider's own metadata: what it states, it must do (OpenID Connect Discovery §3). */
  readonly supported: ReadonlyArray<string>
}
