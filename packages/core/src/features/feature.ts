import type * as Effect from "effect/Effect"
import type { ExtensionGrant } from "../extension/index.ts"
import type { Grant } from "../issuance/index.ts"
import type {
  AuditEvent,
  AuthorizationParameter,
  Catalog,
  Command,
  DetailRules,
  Field,
  IdentityProvider,
  Instant,
  JsonObject,
  JwtPlan,
  KeyEncryptionAlgorithm,
  Members,
  OutboxMessage,
  ResponseMode,
  RowKind,
  Settings,
  SigningAlgorithm,
} from "../model/index.ts"
import type { AuditPort, ClientResolver, ClientStorePort, OutboundPort, PortFailed, SignerPort, TokenStorePort } from "../ports/index.ts"
import type { RegistrationTable } from "../rules/registrationFault.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { FeatureParts } from "../settle/inquiry.ts"
import type { EndingBy, TellingMeans } from "../settle/sessionParts.ts"
import type { Undelivered } from "../settle/outbox.ts"
import type { OwnWay, PageCalls } from "./ownPages.ts"
import type { RegistrationName } from "./registrations.ts"

/**
 * The parts that a protocol extension adds to a provider. A provider is a list of these; its paths, discovery, rule reference and
 * registration are derived from that list.
 */
export interface Feature extends Partial<Omit<FeatureParts, "clientResolvers">> {
  /** The name of the feature, which no other feature of a provider has: lower-case letters, digits and dashes. */
  readonly name: string
  /** Its endpoints, made from the whole provider. */
  readonly endpoints?: (provider: Composition) => ReadonlyArray<Endpoint>
  /** Its grants at the token endpoint. */
  readonly grants?: ReadonlyArray<Grant>
  /** Its extension grants (RFC 6749 §4.5), made with `extensionGrant`. */
  readonly extensionGrants?: ReadonlyArray<ExtensionGrant>
  /**
   * Makes a token endpoint grant out of an extension grant. Only one feature has it; a provider without that feature accepts no extension
   * grants.
   */
  readonly defineExtension?: (grant: ExtensionGrant) => Grant
  /** Grant types that clients register without using the token endpoint: `implicit` (RFC 7591 §2.1). */
  readonly grantTypes?: ReadonlyArray<string>
  /** Its parameters of authorization requests. */
  readonly authorizationParameters?: ReadonlyArray<AuthorizationParameter>
  /** Its response types, each in canonical word order. */
  readonly responseTypes?: ReadonlyArray<string>
  /** Its response modes. */
  readonly responseModes?: ReadonlyArray<ResponseMode>
  /** Its ways to find clients that are not in the client store, made from the whole provider. */
  readonly clientResolvers?: (provider: Composition) => ReadonlyArray<ClientResolver>
  /**
   * Its kinds of message in the outbox (made with `addMessage`), each with the function that delivers it; a kind begins with the feature's
   * name and a dot.
   */
  readonly deliveries?: Readonly<Record<string, Deliver>>
  /** The rule tables that none of its endpoints or grants lists, for the rule reference. */
  readonly tables?: ReadonlyArray<RuleTable>
  /** Its fields of client metadata (RFC 7591 §2). A field that would otherwise be stored without effect belongs to the feature. */
  readonly clientMetadata?: ReadonlyArray<Field>
  /**
   * Lifetimes of the tokens and codes that it issues: fields of client metadata, and of the configuration's `lifetimes` for clients that
   * state none.
   */
  readonly lifetimes?: ReadonlyArray<Field>
  /**
   * The registration rules for clients that use its metadata; a default feature gives the name under which `registrations.ts` lists its
   * rules.
   */
  readonly registration?: RegistrationTable | RegistrationName
  /** Its settings, under their names in the configuration. */
  readonly providerSettings?: ReadonlyArray<Field>
  /**
   * Its kinds of row, each a table of its own with columns, guarded events, lists and a lifetime, made with `rowKind`. Stores that are
   * given `rowKindsOf` create the tables and interpret the descriptions. Names begin with the feature's name, with underscores for dashes.
   */
  readonly rows?: ReadonlyArray<RowKind>
  /** Its pages, each made with `pageKind`. The pages port must be able to draw them, in any way it likes. */
  readonly pages?: ReadonlyArray<{ readonly name: string }>
  /** Makes `provider.interaction` and `provider.resume`, for an embedder's own pages. Only one feature of a provider has them. */
  readonly ownPages?: (calls: PageCalls) => OwnWay
  /** The types of authorization details (RFC 9396) that its settings define. Only one feature of a provider has them. */
  readonly details?: (settings: Members) => DetailRules
  /** The faults of its settings that no single value shows, in words: each says where the fault is and how to correct it. */
  readonly settingFaults?: (
    settings: Members,
    provider: Pick<Catalog, "resources"> & Composition & { readonly issuer?: string | undefined },
  ) => ReadonlyArray<string>
  /** Names of its request headers, in lower case, for scripts of other origins (Fetch §3.2.3). */
  readonly allowedHeaders?: ReadonlyArray<string>
  /** Names of its response headers that such scripts may read. */
  readonly exposedHeaders?: ReadonlyArray<string>
  /** Its audit events, by the command that each reports; a command that no feature lists is only an intermediate step. */
  readonly audit?: Readonly<Record<string, (command: Command) => AuditMeaning | undefined>>
  /** Ids of its rules whose refusals count as failed sign-ins in the audit trail. */
  readonly signInRules?: ReadonlyArray<string>
  /** Its members of the discovery document (RFC 8414 §2). Lists that several features state under the same name are joined. */
  readonly discovery?: (provider: Described) => JsonObject
}

/** The means by which a message is delivered. */
export interface DeliveryMeans {
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal
  /** The current time in whole seconds. */
  readonly now: Instant
  /** The issuer identifier. */
  readonly issuer: string
  /** The clients of the provider. */
  readonly clients: Pick<ClientStorePort, "find">
  /** The token store of the provider; undefined if the deliveries have none. */
  readonly tokens: TokenStorePort | undefined
  /** Signs tokens and messages. */
  readonly signer: SignerPort
  /** Finds the clients that the end of a session concerns; undefined if the deliveries have no token store. */
  readonly telling: (<A>(find: (means: TellingMeans) => Effect.Effect<A, PortFailed>) => Promise<A>) | undefined
  /** Ends sessions as a sign-out does, through the features of the provider; undefined if the deliveries have no token store. */
  readonly ending: (<A>(find: (by: EndingBy) => Effect.Effect<A, PortFailed>) => Promise<A>) | undefined
  /** The current settings of the provider, as far as the deliveries were given them. */
  readonly settings: Settings
  /** Signs a JWT, and encrypts it if its plan says so. */
  readonly sign: (plan: JwtPlan) => Promise<string>
  /** Returns a fresh identifier of 128 random bits. */
  readonly fresh: () => string
  /** Sends messages. */
  readonly outbound: OutboundPort
  /**
   * Computes a keyed hash of texts with the account key of the provider, base64url. It opens data that was sealed for a message under that
   * key.
   */
  readonly keyed: (texts: ReadonlyArray<string>) => Promise<string>
  /** Computes SHA-256 of a text, base64url. */
  readonly digest: (text: string) => Promise<string>
  /** Ids of rules to leave out, for tests of the rules. */
  readonly rulesOff: ReadonlySet<string>
  /** Receives the audit events of deliveries and refusals. */
  readonly audit: AuditPort
}

/**
 * Delivers one message, which may be given to it twice. It resolves to nothing when the message is delivered. A rejection is a failure, and
 * the message is tried again.
 */
export type Deliver = (message: OutboxMessage, means: DeliveryMeans) => Promise<Undelivered | void>

/** A command as the audit trail reports it: the name of the event and its subject matter. */
export type AuditMeaning = readonly [
  event: AuditEvent["event"],
  told: Partial<Omit<AuditEvent, "event" | "account" | "at" | "requestId" | "endpoint" | "address">>,
]

/** The joined lists of all features, each under the name of the member. */
export type Joined = {
  readonly [Name in keyof Feature as NonNullable<Feature[Name]> extends ReadonlyArray<unknown> ? Name : never]-?: NonNullable<Feature[Name]>
}

/** A provider as the sum of its features. */
export interface Composition extends Joined, Required<Pick<Feature, "defineExtension">> {
  /** The ways to find clients that are not in the client store. */
  readonly clientResolvers: ReadonlyArray<ClientResolver>
  /** Every field of client metadata that has an effect: the fields of every client, those of the features, and the lifetimes. */
  readonly clientMetadata: ReadonlyArray<Field>
  /** Every feature, in order. */
  readonly features: ReadonlyArray<Feature>
  /** Every grant type that clients may register (RFC 7591 §2). */
  readonly grantTypes: ReadonlyArray<string>
  /** The other providers at which people may sign in. */
  readonly identityProviders: ReadonlyArray<IdentityProvider>
}

/** A provider as its discovery document describes it. */
export interface Described extends Composition {
  readonly settings: Settings
  /** Returns the URL of a path below the issuer's. */
  readonly url: (path: string) => string
  /** The algorithms that the signer currently signs with. */
  readonly signing: ReadonlyArray<SigningAlgorithm>
  /** The algorithms that the signer currently decrypts with. */
  readonly decryption: ReadonlyArray<KeyEncryptionAlgorithm>
  /** The languages of the pages; undefined if the pages port states none. */
  readonly languages: ReadonlyArray<string> | undefined
  /** True if some client may send unsigned request objects. */
  readonly unsignedRequestObjects: boolean
}
