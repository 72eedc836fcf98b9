import type { JsonObject } from "./json.ts"
import type { Seconds } from "./time.ts"

/** A person who can sign in, as the authenticator knows them. */
export interface Person {
  /** The `sub` claim: at most 255 ASCII characters, never used again for someone else (OpenID Connect Core §2). */
  readonly subject: string
  readonly username: string
  /** A disabled or locked person signs in nowhere, and their tokens stop working. */
  readonly active: boolean
  /** The only tenant they may sign in for; undefined where that is any, or not known. */
  readonly tenant?: string | undefined
  /** Every claim known of the person; scopes choose among them. */
  readonly claims: JsonObject
}

/** A username as it is compared and counted: by compatibility form, without regard to case or surrounding space. */
export const usernameKey = (username: string): string => username.normalize("NFKC").trim().toLowerCase().normalize("NFKC")

/** What came of checking a person's credentials. */
export type Verification =
  | { readonly _tag: "Verified"; readonly person: Person; readonly amr: ReadonlyArray<string>; readonly acr?: string | undefined }
  /** `reason` is for the operator; the person learns only that it did not work. */
  | { readonly _tag: "Rejected"; readonly reason: string }
  | { readonly _tag: "Throttled"; readonly reason: string; readonly retryAfter: Seconds }
