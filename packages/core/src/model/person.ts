import type { JsonObject } from "./json.ts"
import type { Seconds } from "./time.ts"

/** A person who can sign in, as the authenticator knows them. */
export interface Person {
  /** The `sub` claim: at most 255 ASCII characters, never reassigned to another person (OpenID Connect Core §2). */
  readonly subject: string
  /** The name the person signs in with. */
  readonly username: string
  /** False for a disabled or locked person, who cannot sign in and whose tokens stop working. */
  readonly active: boolean
  /**
   * The only tenant that the person may sign in for; null for any. Omitted if only the authenticator knows, which is then asked for each
   * tenant.
   */
  readonly tenant?: string | null | undefined
  /** All known claims of the person; scopes select from them. */
  readonly claims: JsonObject
}

/** Normalizes a username for comparison and counting: to compatibility form, ignoring case and surrounding space. */
export const usernameKey = (username: string): string => username.normalize("NFKC").trim().toLowerCase().normalize("NFKC")

/** The result of checking a person's credentials. */
export type Verification =
  | {
      /** The person was authenticated. */
      readonly _tag: "Verified"
      /** The person. */
      readonly person: Person
      /** The authentication methods that were used (RFC 8176). */
      readonly amr: ReadonlyArray<string>
      /** The authentication context that was satisfied, if any. */
      readonly acr?: string | undefined
    }
  /** `reason` is for the operator. The person is told only that the sign-in failed. */
  | {
      /** The credentials are wrong, or the person may not sign in. */
      readonly _tag: "Rejected"
      /** The reason, for the operator. */
      readonly reason: string
    }
  | {
      /** Too many attempts were made. */
      readonly _tag: "Throttled"
      /** The reason, for the operator. */
      readonly reason: string
      /** Seconds until a retry makes sense. */
      readonly retryAfter: Seconds
    }
