import type { ConsentDetail } from "./details.ts"
import type { Instant } from "./time.ts"

/** The parts of a client that a page may show. */
export interface ClientFace {
  /** The `client_id`. */
  readonly clientId: string
  /** The name to show: the `client_id` where the client has no other. */
  readonly name: string
  /** The home page of the client. */
  readonly uri?: string | undefined
  /** The logo of the client. */
  readonly logoUri?: string | undefined
  /** The privacy policy of the client. */
  readonly policyUri?: string | undefined
  /** The terms of service of the client. */
  readonly tosUri?: string | undefined
  /** True for a client that registered itself, or that publishes its own metadata: nobody has verified that it is what it calls itself. */
  readonly unverified?: boolean
  /** The parts that it states in languages, by BCP 47 tag (RFC 7591 §2.2); none when left out. */
  readonly inLanguages?: Readonly<Record<string, TranslatedFace>>
  /** The host that a client is known by which publishes its own metadata; its `name` is that too, since nothing else about it is proved. */
  readonly host?: string
  /** The name that such a client calls itself, cut short. */
  readonly callsItself?: string
  /** True if such a client sends people to their own device alone, where any program can take its place. */
  readonly isOnDevice?: boolean
  /** True if such a client is under development. */
  readonly isUnderDevelopment?: boolean
}

/** A change of what a client says of itself, as a person reads it. */
export interface ClientChange {
  /** The part that changed. */
  readonly part: "name" | "redirect" | "keys" | "method" | "scope"
  /** The place that the browser may go to now too; for a name, the one before. Undefined where there is none. */
  readonly value?: string | undefined
}

/** The parts of a client that it may state in several languages. */
export type TranslatedFace = Partial<Pick<ClientFace, "name" | "uri" | "logoUri" | "policyUri" | "tosUri">>

/** The parts of the signed-in person that a page may show. */
export interface PersonFace {
  /** The `sub` of the person. */
  readonly subject: string
  /** The name the person signs in with. */
  readonly username: string
  /** The `name` claim, or the username when there is none. */
  readonly name: string
  /** The `zoneinfo` claim: the time zone that times are shown in. */
  readonly zone?: string | undefined
}

/** A form that changes something: where it posts to, and the hidden fields it must carry. */
export interface Form {
  /** Path below the issuer's; a page puts `basePath` before it. */
  readonly action: string
  /** `csrf`, and `interaction` where one waits. */
  readonly hidden: ReadonlyArray<readonly [string, string]>
}

/** A scope, or a claim asked for by name, on the consent page. */
export interface ConsentScope {
  /** The scope, or the claim. */
  readonly name: string
  /** Tells a scope of the person from one of an API, a single claim and lasting access. */
  readonly kind: "identity" | "claim" | "resource" | "offline_access"
  /** True if it cannot be unticked. */
  readonly required: boolean
  /** As configured, or the claim's name; undefined for the standard scopes, whose words are the page's own. */
  readonly title?: string | undefined
  /** A sentence about it, as configured. */
  readonly description?: string | undefined
  /** Titles, or else identifiers, of the resources that own it. */
  readonly resources: ReadonlyArray<string>
  /** True if the client has it already, by a consent that is remembered, and asks for more now. */
  readonly held?: true
}

/** A session on the home page. */
export interface SessionFace {
  /** The value that ends it, posted as `session`. */
  readonly id: string
  /** The `User-Agent` it was begun with. */
  readonly agent: string
  /** The network it was signed in from, as a session keeps it. */
  readonly address?: string | undefined
  /** The time of the sign-in. */
  readonly signedInAt: Instant
  /** The time of its last use. */
  readonly seenAt: Instant
  /** True if it is the one that looks. */
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
  /** The name it is configured under. */
  readonly name: string
  /** The name to show. */
  readonly displayName: string
  /** The form that goes there. */
  readonly form: Form
}
