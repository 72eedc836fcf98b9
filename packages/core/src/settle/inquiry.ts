import type * as Effect from "effect/Effect"
import type {
  Binding,
  Callback,
  Client,
  Command,
  Confirmation,
  Decision,
  InteractionRoutes,
  Members,
  Profile,
  ResponseParams,
  ResponseTo,
  Session,
  Settings,
  Verification,
} from "../model/index.ts"
import type { ClientResolver, PortFailed, Ports, UpstreamOutcome } from "../ports/index.ts"
import type { GuessSeen } from "../rules/budget.ts"
import type { AuthenticationMeans, ClientSeen } from "../rules/clientAuthentication.ts"
import type { RuleTable, Tracing } from "../rules/rule.ts"
import type { Message, Params } from "../wire/index.ts"
import type { RemoteDocuments } from "./documents.ts"
import type { Guesses } from "./guesses.ts"
import type { SessionEnding, SessionFrames, SessionMemory, SessionUse, UpstreamSignIn } from "./sessionParts.ts"
import type { VisitAllowed, VisitDenied, Visited } from "./visits.ts"

/** Facts about a request that become known during its attempts. */
export interface About {
  clientId: string | undefined
  subject: string | undefined
  /** The profile that applies to the client. */
  profile: Profile | undefined
  /** The `ui_locales`; empty if the request has none, undefined until that is known. */
  uiLocales: string | undefined
  /** The time of the waiting authorization request. */
  askedAt: number | undefined
  /** The tenant whose theme pages use. */
  tenant: string | undefined
  /** The destination of errors, once the client and its redirect_uri are validated. */
  callback: Callback | undefined
  /** The identifier in audit events of the account that a password was sent for. */
  account: string | undefined
  /** The keys and certificates that the request has proved; undefined if there are none. */
  proved: ReadonlyArray<Confirmation> | undefined
  /** The one of them that its tokens are bound to. */
  confirmation: Confirmation | undefined
  /** The tokens that are bound to it; {@link boundByKind} applies if undefined. */
  binding: Binding | undefined
  /** Facts that features have computed, by name, which explain the response. They contain no secret. */
  facts: Readonly<Record<string, string>> | undefined
}

/** Results that a request obtains only once, even if it is decided again after a conflict. */
export interface Kept {
  /** The budgets in which an attempt was reserved for a guess. */
  guess: GuessSeen | undefined
  /** True once the guess was found correct, until its attempt was returned. */
  isRight: boolean
  /** The result of the authenticator. */
  verification: Verification | undefined
  /** The response of another provider, which can be exchanged only once. */
  upstream: UpstreamOutcome | undefined
}

/** One request in progress, with its ports, its time, and the data for its trail. */
export interface Inquiry {
  readonly ports: Ports
  readonly requestId: string
  /** The caller's address, as far as the adapter trusts it. */
  readonly address: string | undefined
  /** The time of arrival, in milliseconds. */
  readonly millis: number
  /** The time of arrival, in whole seconds. */
  readonly now: number
  readonly trace: Tracing
  /** Returns a fresh nonce for a page's Content-Security-Policy. */
  readonly nonce: () => string
  /** Recently fetched documents of other parties. */
  readonly remote: RemoteDocuments
  /** Guesses of client secrets that are in progress, for all requests. */
  readonly guesses: Guesses
  /** The parts of the provider's features that stages of other features call. */
  readonly parts: FeatureParts
  /** The client, person and account that it concerns, once known. */
  readonly about: About
  /** Commands that are committed with any decision of this attempt: an assertion is used up, a correct guess is not counted. */
  readonly changes: Array<Command>
  /** Commands that are committed only if this attempt is not refused: a success uses up a proof, an error does not. */
  readonly spent: Array<Command>
  /** Response headers that features add, by lower-case name. */
  readonly headers: Array<readonly [name: string, value: string]>
  /** Results that are obtained once; see {@link once}. */
  readonly kept: Kept
}

/** Ends a row of stages early with a decision. */
export class Decided {
  readonly decision: Decision

  constructor(decision: Decision) {
    this.decision = decision
  }
}

/** A part of a row, which adds what it reads and proves to the data of earlier parts. */
export interface Stage<In extends object, Out extends object> {
  /** Its tables, in the order of evaluation. */
  readonly tables: ReadonlyArray<RuleTable>
  /** Reads and validates. Its additions are written to `seen` itself, which belongs to the row. */
  readonly run: (seen: In, inquiry: Inquiry) => Effect.Effect<Out | Decided, PortFailed>
}

/** A request, the client that it presents, and the number of earlier wrong secrets. */
export interface PresentedRequest extends ClientSeen {
  readonly params: Params
}

/** A method of client authentication (RFC 6749 §2.3). A public client proves nothing. */
export interface ClientAuthentication extends AuthenticationMeans {
  /** Verifies the proof of a client that is known, enabled and registered for this method. Every method but `none` has it. */
  readonly prove?: Stage<PresentedRequest & { readonly client: Client }, object>
}

/** A request of a known client that may prove possession of a key or certificate. */
export interface ProvingRequest {
  readonly message: Message
  readonly client: Client
  /** The access token that it presents; undefined if it requests tokens. */
  readonly accessToken: string | undefined
}

/** An authorization request of a known client. */
export interface ForetellingRequest {
  /** Its parameters, from any source. */
  readonly params: Params
  /** The client's own request that contains it (RFC 9126); undefined if it comes through a browser. */
  readonly message: Message | undefined
  readonly client: Client
}

/** The key or certificate to which a code will be bound before it is exchanged. */
export interface Foretold {
  readonly confirmation?: Confirmation | undefined
  /** The parameters that state it, for a stored request. */
  readonly kept?: ReadonlyArray<readonly [name: string, value: string]> | undefined
}

/** A confirmation method, which binds tokens to a key (RFC 9449) or a certificate (RFC 8705 §3). */
export interface Confirming {
  /** The HTTP scheme with which its tokens are presented, such as `DPoP`; that of bearer tokens if undefined. */
  readonly scheme?: string
  /** The parameters of the scheme's challenges (RFC 9110 §11.6.1), such as `algs="ES256"`. */
  readonly challenge?: string
  /** Reports whether a client requires it for all its tokens (RFC 9449 §5.2, RFC 8705 §3.4). */
  readonly isRequired: (client: Members) => boolean
  /**
   * Returns the tokens of a client that are bound; {@link boundByKind} by default. A client that requires bound access tokens gets them
   * regardless.
   */
  readonly binds?: (client: Client, settings: Settings) => Binding
  /** Verifies the proof of a request, if it has one. It runs for every token request, and for every request that presents a bound token. */
  readonly prove: Stage<ProvingRequest, { readonly confirmation?: Confirmation | undefined }>
  /** Reads the key to which the code of an authorization request will be bound (RFC 9449 §10). */
  readonly foretell?: Stage<ForetellingRequest, Foretold>
}

/** Returns the commands of a feature for a person's grant, which keep the data that the grant needs for as long as the grant. */
export type GrantKeeping = (client: Client, until: number, now: number) => ReadonlyArray<Command>

/** Informs clients about the session of a browser (OpenID Connect Session Management §2, §3). */
export interface SessionTelling {
  /**
   * Builds parameters of every authorization response and headers of the answer, for the session of the browser, whether or not it is live.
   */
  readonly told: (
    to: ResponseTo,
    session: Session | undefined,
    inquiry: Inquiry,
  ) => Effect.Effect<
    { readonly params: ResponseParams; readonly headers: ReadonlyArray<readonly [name: string, value: string]> },
    PortFailed
  >
  /** Builds the headers of the answer to a sign-out. */
  readonly signedOut: (inquiry: Inquiry) => ReadonlyArray<readonly [name: string, value: string]>
}

/** Returns the base URL of another host of the endpoints for programs, as the settings state it; undefined if there is none. */
export type EndpointHost = (settings: Settings) => string | undefined

/** A page of a feature that the embedder may render. `provider.interaction` and `provider.resume` find it by the path in rows. */
export interface OwnVisit {
  /** The path of the page, below the issuer's path. */
  readonly path: string
  /** The embedder's page that replaces it, if the settings have one. */
  readonly route: keyof InteractionRoutes
  /** Describes the page's question to the signed-in person, without any change. */
  readonly look: (seen: Visited, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /**
   * Describes, for a built-in page, whether its visitor must sign in or can continue. It uses the same rules as the page itself, because
   * otherwise nobody could continue.
   */
  readonly lookBefore: (seen: Visited, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /** Continues with an allowing answer. */
  readonly allow: (seen: VisitAllowed, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /** Continues with a denying answer: `access_denied`, or the error of the embedder's page. */
  readonly deny: (seen: VisitDenied, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
}

/** The parts of a provider's features that stages of other features call. */
export interface FeatureParts {
  /** Its pages that an embedder may render, each with rows that refer to it. */
  readonly ownVisits: ReadonlyArray<OwnVisit>
  /**
   * Its hosts in addition to the issuer's, which also have the endpoints for programs: the base of their URLs, with the issuer's path (RFC
   * 8705 §5).
   */
  readonly hosts: ReadonlyArray<EndpointHost>
  /** Its resolvers of clients that are not in the client store. */
  readonly clientResolvers: ReadonlyArray<ClientResolver>
  /** Its commands for every grant of a person that a client receives or keeps. */
  readonly grantKeepings: ReadonlyArray<GrantKeeping>
  /** Its commands for a sign-in at another provider. */
  readonly upstreamSignIns: ReadonlyArray<UpstreamSignIn>
  /** Its commands for every use of a session for a client: a sign-in to it, or an approval for it. */
  readonly sessionUses: ReadonlyArray<SessionUse>
  /** Its commands for the end of a session, when a person signs out. */
  readonly sessionEndings: ReadonlyArray<SessionEnding>
  /** Its frames of the page after a sign-out, in which clients end their own sessions. */
  readonly sessionFrames: ReadonlyArray<SessionFrames>
  /** Its functions that inform clients about the session of a browser. */
  readonly sessionTellings: ReadonlyArray<SessionTelling>
  /** Its reasons to keep a client's grants of a session, because the end of the session also concerns clients whose tokens have expired. */
  readonly sessionMemories: ReadonlyArray<SessionMemory>
  /** Its confirmation methods. */
  readonly confirmations: ReadonlyArray<Confirming>
  /** Its methods of client authentication. */
  readonly clientAuthentication: ReadonlyArray<ClientAuthentication>
}
