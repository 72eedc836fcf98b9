import type { JsonObject } from "./json.ts"
import type { Seconds } from "./time.ts"

/** A person who can sign in, as the authenticator knows them. */
export interface Person {
  /** The `sub` claim: at most 255 ASCII characters, never used again for someone else (OpenID Connect Core §2). */
  readonly subject: string
  /** The name the person signs in with. */
  readonly username: string
  /** A disabled or locked person signs in nowhere, and their tokens stop working. */
  readonly active: boolean
  /** The only tenant they may sign in for; null for any. Left out where the authenticator alone knows: it is asked again for each tenant. */
  readonly tenant?: string | null | undefined
  /** Every claim known of the person; scopes choose among them. */
  readonly claims: JsonObject
}

/** A username as it is compared and counted: by compatibility form, without regard to case or surrounding space. */
export const usernameKey = (username: string): string => username.normalize("NFKC").trim().toLowerCase().normalize("NFKC")

/** The result of checking a person's credentials. */
export type Verification =
  | {
      /** The person was recognized. */
      readonly _tag: "Verified"
      /** The person. */
      readonly person: Person
      /** The methods that were used (RFC 8176). */
      readonly amr: ReadonlyArray<string>
      /** The authentication context that was reached; none when left out. */
      readonly acr?: string | undefined
    }
  /** `reason` is for the operator; the person learns only that it did not work. */
  | {
      /** The person was not recognized, or may not sign in. */
      readonly _tag: "Rejected"
      /** The reason, for the operator. */
      readonly reason: string
    }
  | {
      /** Too many attempts were made. */
      readonly _tag: "Throttled"
      /** The reason, for the operator. */
      readonly reason: string
      /** Seconds until another try makes sense. */
      readonly retryAfter: Seconds
    }
