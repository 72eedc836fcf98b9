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
 * The parts that a protocol extension adds to a provider. A provider is a list of these; its paths, discovery, rule reference and registration are derived
 * from that list.
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
  /** Makes a grant of the token endpoint of an extension grant: of one feature alone, without which a provider takes none. */
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
  /** Its kinds of message in the outbox (made with `addMessage`), each with what delivers them; kinds begin with the feature's name and a dot. */
  readonly deliveries?: Readonly<Record<string, Deliver>>
  /** The rule tables that none of its endpoints or grants names, for the rule reference. */
  readonly tables?: ReadonlyArray<RuleTable>
  /** Its fields of client metadata (RFC 7591 §2). One that metadata is kept under without effect otherwise is its own from then on. */
  readonly clientMetadata?: ReadonlyArray<Field>
  /** Lifetimes of what it issues: fields of client metadata, and of the configuration's `lifetimes` for the clients that state none. */
  readonly lifetimes?: ReadonlyArray<Field>
  /** The rules of registration of clients that use its metadata; a default feature names those that `registrations.ts` has for it. */
  readonly registration?: RegistrationTable | RegistrationName
  /** Its settings, by the names that the configuration has for them. */
  readonly providerSettings?: ReadonlyArray<Field>
  /**
   * Its kinds of row, each a table of its own: columns, events with guards, lists and life, made with `rowKind`. Stores that are given `rowKindsOf` make the tables and
   * interpret the descriptions. Names begin with the feature's, with underscores for dashes.
   */
  readonly rows?: ReadonlyArray<RowKind>
  /** Its pages, each made with `pageKind`. The pages port must be able to draw them; how is its own affair. */
  readonly pages?: ReadonlyArray<{ readonly name: string }>
  /** Makes `provider.interaction` and `provider.resume`, for pages of an embedder's own. One feature of a provider has them. */
  readonly ownPages?: (calls: PageCalls) => OwnWay
  /** The types of authorization details (RFC 9396) that its settings state. One feature of a provider has them. */
  readonly details?: (settings: Members) => DetailRules
  /** The faults of its settings that no single value shows, in words: each says where it is, and how it is mended. */
  readonly settingFaults?: (
    settings: Members,
    provider: Pick<Catalog, "resources"> & Pick<Composition, "extensionGrants">,
  ) => ReadonlyArray<string>
  /** Names of its request headers, in lower case, for scripts of other origins (Fetch §3.2.3). */
  readonly allowedHeaders?: ReadonlyArray<string>
  /** Names of its response headers that such scripts may read. */
  readonly exposedHeaders?: ReadonlyArray<string>
  /** Its audit events, by the change of state that each tells; a change that no feature names is a step on the way. */
  readonly audit?: Readonly<Record<string, (command: Command) => AuditMeaning | undefined>>
  /** Ids of its rules whose refusals are failed sign-ins to an auditor. */
  readonly signInRules?: ReadonlyArray<string>
  /** Its members of the discovery document (RFC 8414 §2). Lists that several features state under one name are joined. */
  readonly discovery?: (provider: Described) => JsonObject
}

/** The means by which messages are delivered. */
export interface DeliveryMeans {
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal
  /** Time in whole seconds. */
  readonly now: Instant
  /** The issuer identifier. */
  readonly issuer: string
  /** The clients of the provider. */
  readonly clients: Pick<ClientStorePort, "find">
  /** The token store of the provider; undefined where the deliveries were given none. */
  readonly tokens: TokenStorePort | undefined
  /** Signs what is sent. */
  readonly signer: SignerPort
  /** Finds out whom the end of a session concerns; undefined where the deliveries were given no token store. */
  readonly telling: (<A>(find: (means: TellingMeans) => Effect.Effect<A, PortFailed>) => Promise<A>) | undefined
  /** Ends sessions as a sign-out does, by the features of the provider; undefined where the deliveries were given no token store. */
  readonly ending: (<A>(find: (by: EndingBy) => Effect.Effect<A, PortFailed>) => Promise<A>) | undefined
  /** The settings of the provider as they are now, as far as the deliveries were given them. */
  readonly settings: Settings
  /** Signs a JWT, and encrypts it where its plan says so. */
  readonly sign: (plan: JwtPlan) => Promise<string>
  /** Returns a fresh identifier of 128 random bits. */
  readonly fresh: () => string
  /** Sends messages. */
  readonly outbound: OutboundPort
  /** Computes a keyed hash of texts by the account key of the provider, base64url: what was sealed under it for a message is opened by it. */
  readonly keyed: (texts: ReadonlyArray<string>) => Promise<string>
  /** Computes SHA-256 of a text, base64url. */
  readonly digest: (text: string) => Promise<string>
  /** Ids of rules to leave out, for tests of the rules themselves. */
  readonly rulesOff: ReadonlySet<string>
  /** Receives audit events of what was delivered and of what was refused. */
  readonly audit: AuditPort
}

/** Delivers one message, which it may be given twice. It answers with nothing where that is done; a rejection is a failure, and the message is tried again. */
export type Deliver = (message: OutboxMessage, means: DeliveryMeans) => Promise<Undelivered | void>

/** A change of state in an auditor's words: the name of the event, and what it is about. */
export type AuditMeaning = readonly [
  event: AuditEvent["event"],
  told: Partial<Omit<AuditEvent, "event" | "account" | "at" | "requestId" | "endpoint" | "address">>,
]

/** The joined lists of all features, each under the name of its member. */
export type Joined = {
  readonly [Name in keyof Feature as NonNullable<Feature[Name]> extends ReadonlyArray<unknown> ? Name : never]-?: NonNullable<Feature[Name]>
}

/** A provider as the sum of its features. */
export interface Composition extends Joined, Required<Pick<Feature, "defineExtension">> {
  /** The ways to find clients that are not in the client store. */
  readonly clientResolvers: ReadonlyArray<ClientResolver>
  /** Every field of client metadata that decides something: those of every client, of features, and their lifetimes. */
  readonly clientMetadata: ReadonlyArray<Field>
  /** Every feature, in order. */
  readonly features: ReadonlyArray<Feature>
  /** Every grant type that clients may register (RFC 7591 §2). */
  readonly grantTypes: ReadonlyArray<string>
  /** The other providers that people may sign in at. */
  readonly identityProviders: ReadonlyArray<IdentityProvider>
}

/** A provider as its discovery document describes it. */
export interface Described extends Composition {
  readonly settings: Settings
  /** Returns the URL of a path below the issuer's. */
  readonly url: (path: string) => string
  /** The algorithms that the signer signs with now. */
  readonly signing: ReadonlyArray<SigningAlgorithm>
  /** The algorithms that the signer decrypts by now. */
  readonly decryption: ReadonlyArray<KeyEncryptionAlgorithm>
  /** The languages of the pages; undefined where nobody says. */
  readonly languages: ReadonlyArray<string> | undefined
  /** True if some client may send unsigned request objects. */
  readonly unsignedRequestObjects: boolean
}
