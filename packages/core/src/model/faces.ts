import type { ConsentDetail } from "./details.ts"
import type { Instant } from "./time.ts"

/** The parts of a client that a page may show. */
export interface ClientFace {
  /** The `client_id`. */
  readonly clientId: string
  /** The name to show; the `client_id` if the client has no other. */
  readonly name: string
  /** The home page of the client. */
  readonly uri?: string | undefined
  /** The logo of the client. */
  readonly logoUri?: string | undefined
  /** The privacy policy of the client. */
  readonly policyUri?: string | undefined
  /** The terms of service of the client. */
  readonly tosUri?: string | undefined
  /** True for a client that registered itself or publishes its own metadata: nobody has verified its identity. */
  readonly unverified?: boolean
  /** The translations that it states, by BCP 47 tag (RFC 7591 §2.2); none by default. */
  readonly inLanguages?: Readonly<Record<string, TranslatedFace>>
  /** The host of a client that publishes its own metadata. It is also the `name`, because nothing else about the client is proved. */
  readonly host?: string
  /** The name that such a client states, truncated. */
  readonly callsItself?: string
  /** True if such a client redirects only to the person's own device, where any program can take its place. */
  readonly isOnDevice?: boolean
  /** True if such a client is under development. */
  readonly isUnderDevelopment?: boolean
}

/** A change of a client's own metadata, as shown to a person. */
export interface ClientChange {
  /** The part that changed. */
  readonly part: "name" | "redirect" | "keys" | "method" | "scope"
  /** The new redirect destination, or the previous name for a change of name. Undefined if there is none. */
  readonly value?: string | undefined
}

/** The parts of a client that may be translated. */
export type TranslatedFace = Partial<Pick<ClientFace, "name" | "uri" | "logoUri" | "policyUri" | "tosUri">>

/** The parts of the signed-in person that a page may show. */
export interface PersonFace {
  /** The `sub` of the person. */
  readonly subject: string
  /** The username. */
  readonly username: string
  /** The `name` claim, or the username if there is none. */
  readonly name: string
  /** The `zoneinfo` claim: the time zone that times are shown in. */
  readonly zone?: string | undefined
}

/** A form that changes something: its target and its hidden fields. */
export interface Form {
  /** Path below the issuer's path; a page prepends `basePath`. */
  readonly action: string
  /** The hidden fields: `csrf`, and `interaction` if there is a waiting one. */
  readonly hidden: ReadonlyArray<readonly [string, string]>
}

/** A scope or a named claim on the consent page. */
export interface ConsentScope {
  /** The scope, or the claim. */
  readonly name: string
  /** The kind of entry: an identity scope, a single claim, a scope of an API, or offline access. */
  readonly kind: "identity" | "claim" | "resource" | "offline_access"
  /** True if it cannot be unchecked. */
  readonly required: boolean
  /** The configured title, or the claim's name; undefined for standard scopes, whose titles the page provides. */
  readonly title?: string | undefined
  /** The configured description. */
  readonly description?: string | undefined
  /** The titles (or identifiers) of the resources that own it. */
  readonly resources: ReadonlyArray<string>
  /** True if a remembered consent already covers it and the client now requests more. */
  readonly held?: true
}

/** A session on the home page. */
export interface SessionFace {
  /** The value that ends it, posted as `session`. */
  readonly id: string
  /** The `User-Agent` of the sign-in. */
  readonly agent: string
  /** The network of the sign-in, as stored in the session. */
  readonly address?: string | undefined
  /** The time of the sign-in. */
  readonly signedInAt: Instant
  /** The time of its last use. */
  readonly seenAt: Instant
  /** True if it is the session of this browser. */
  readonly current: boolean
}

/** A consent on the home page. */
export interface ConsentFace {
  /** The client it was given to. */
  readonly client: ClientFace
  /** The scopes it holds. */
  readonly scopes: ReadonlyArray<ConsentScope>
  /** The authorization details it holds. */
  readonly details?: ReadonlyArray<ConsentDetail> | undefined
  /** The time it was given. */
  readonly grantedAt: Instant
}

/** Another provider on the sign-in page. */
export interface ProviderChoice {
  /** Its configured name. */
  readonly name: string
  /** The name to show. */
  readonly displayName: string
  /** The form that leads there. */
  readonly form: Form
}
