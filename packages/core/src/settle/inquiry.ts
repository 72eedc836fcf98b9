import type * as Effect from "effect/Effect"
import type {
  Binding,
  Callback,
  Client,
  Command,
  Confirmation,
  CookieChange,
  Decision,
  InteractionRoutes,
  Locator,
  Members,
  PendingVisit,
  Person,
  Profile,
  Refusal,
  ResponseParams,
  ResponseTo,
  Secret,
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

/** Facts that become known of a request on its way, attempt after attempt. */
export interface About {
  clientId: string | undefined
  subject: string | undefined
  /** The profile that the client is held to. */
  profile: Profile | undefined
  /** Empty where the request names none; undefined until that is known. */
  uiLocales: string | undefined
  /** The time of the authorization request that waits. */
  askedAt: number | undefined
  /** The tenant whose looks pages bear. */
  tenant: string | undefined
  /** The place that errors are sent to, once the client and its redirect_uri are trusted. */
  callback: Callback | undefined
  /** The account that a password was sent for, as audit events name it. */
  account: string | undefined
  /** The keys and certificates that the request has proved; undefined where it has proved none. */
  proved: ReadonlyArray<Confirmation> | undefined
  /** The one of them that its tokens are bound to. */
  confirmation: Confirmation | undefined
  /** The tokens that are bound to it; as {@link boundByKind} says when undefined. */
  binding: Binding | undefined
  /** Facts that a feature has computed, by name, for whoever asks why a request was answered as it was. They hold no secret. */
  facts: Readonly<Record<string, string>> | undefined
}

/** Results that a request asks for once, however often it is decided: they stand after a conflict. */
export interface Kept {
  /** The budgets of which a try was reserved for a guess. */
  guess: GuessSeen | undefined
  /** True once the guess was found right, until its try was taken back. */
  isRight: boolean
  /** The authenticator's answer. */
  verification: Verification | undefined
  /** The answer of another provider, which can be redeemed once only. */
  upstream: UpstreamOutcome | undefined
}

/** One request on its way: what it is answered by, when it came, and what is noted of it for its trail. */
export interface Inquiry {
  readonly ports: Ports
  readonly requestId: string
  /** The caller's address, as far as the adapter trusts it. */
  readonly address: string | undefined
  /** The time it came, in milliseconds. */
  readonly millis: number
  /** The time it came, in whole seconds. */
  readonly now: number
  readonly trace: Tracing
  /** A fresh nonce for a page's Content-Security-Policy. */
  readonly nonce: () => string
  /** Documents that others publish, as they were fetched lately. */
  readonly remote: RemoteDocuments
  /** Client secrets that are being judged, for this request and others. */
  readonly guesses: Guesses
  /** The parts of the provider's features that stages of others call. */
  readonly parts: FeatureParts
  /** The client, person and account it turned out to be about. */
  readonly about: About
  /** Commands that go with whatever this attempt decides: an assertion is used up, a right guess is not counted. */
  readonly changes: Array<Command>
  /** Commands that go with this attempt only where it is not refused: a proof is used up by what it brings, not by an error. */
  readonly spent: Array<Command>
  /** Headers of the answer that features add, by lower-case name. */
  readonly headers: Array<readonly [name: string, value: string]>
  /** Results that are asked for once; see {@link once}. */
  readonly kept: Kept
}

/** Ends a row of stages before its last: nothing is left to be proved. */
export class Decided {
  readonly decision: Decision

  constructor(decision: Decision) {
    this.decision = decision
  }
}

/** Part of a row: from what was seen before to what it has read and proved beside. */
export interface Stage<In extends object, Out extends object> {
  /** Its tables, in the order in which a request meets them. */
  readonly tables: ReadonlyArray<RuleTable>
  /** Reads and judges. What it adds is added to `seen` itself, which belongs to the row. */
  readonly run: (seen: In, inquiry: Inquiry) => Effect.Effect<Out | Decided, PortFailed>
}

/** A request, the client that it presents, and the wrong secrets counted before. */
export interface PresentedRequest extends ClientSeen {
  readonly params: Params
}

/** A way in which a client proves which one it is (RFC 6749 §2.3). A public client proves nothing. */
export interface ClientAuthentication extends AuthenticationMeans {
  /** Judges the proof of a client that is known, enabled and registered for this way. Every way has it but `none`. */
  readonly prove?: Stage<PresentedRequest & { readonly client: Client }, object>
}

/** A request that may prove what its tokens are bound to, of a client that is known. */
export interface ProvingRequest {
  readonly message: Message
  readonly client: Client
  /** The access token that it presents; undefined where it asks for tokens. */
  readonly accessToken: string | undefined
}

/** A request for authorization, of a client that is known. */
export interface ForetellingRequest {
  /** Its parameters, wherever they came from. */
  readonly params: Params
  /** The request that the client itself sends it by (RFC 9126); undefined where a browser brings it. */
  readonly message: Message | undefined
  readonly client: Client
}

/** The key or certificate that a code is to be bound to before it is redeemed. */
export interface Foretold {
  readonly confirmation?: Confirmation | undefined
  /** The parameters that say so, for a request that is kept. */
  readonly kept?: ReadonlyArray<readonly [name: string, value: string]> | undefined
}

/** A way to bind tokens to what requests prove: a key (RFC 9449) or a certificate (RFC 8705 §3). */
export interface Confirming {
  /** The HTTP scheme by which its tokens are presented, such as `DPoP`; that of bearer tokens when undefined. */
  readonly scheme?: string
  /** The parameters of the scheme's challenges (RFC 9110 §11.6.1), such as `algs="ES256"`. */
  readonly challenge?: string
  /** Reports whether all tokens of a client are bound so (RFC 9449 §5.2, RFC 8705 §3.4). */
  readonly isRequired: (client: Members) => boolean
  /** The tokens of a client that are bound; as {@link boundByKind} says when left out. A client that must have bound access tokens has them, whatever this says. */
  readonly binds?: (client: Client, settings: Settings) => Binding
  /** Judges the proof of a request, where it has one. Every token request meets it, and every request that presents a token which is bound. */
  readonly prove: Stage<ProvingRequest, { readonly confirmation?: Confirmation | undefined }>
  /** Judges what a request for authorization says of the key that its code is to be bound to (RFC 9449 §10). */
  readonly foretell?: Stage<ForetellingRequest, Foretold>
}

/** The commands of a feature that go with a grant of a person: for as long as that is kept, so is what it needs. */
export type GrantKeeping = (client: Client, until: number, now: number) => ReadonlyArray<Command>

/** A way to tell clients of the session of a browser (OpenID Connect Session Management §2, §3). */
export interface SessionTelling {
  /** Makes the parameters that every authorization response carries, and headers of the answer; of the session of the browser, live or not. */
  readonly told: (
    to: ResponseTo,
    session: Session | undefined,
    inquiry: Inquiry,
  ) => Effect.Effect<
    { readonly params: ResponseParams; readonly headers: ReadonlyArray<readonly [name: string, value: string]> },
    PortFailed
  >
  /** Makes the headers of the answer to a sign-out. */
  readonly signedOut: (inquiry: Inquiry) => ReadonlyArray<readonly [name: string, value: string]>
}

/** The base URL of a host at which the endpoints for programs answer too, as the settings state it; undefined where there is none. */
export type EndpointHost = (settings: Settings) => string | undefined

/** The browser behind a request: what its cookies prove, and the tokens its forms must carry. */
export interface Browser {
  /** Locator of the browser cookie; it is no secret, and proves nothing. */
  readonly locator: Locator
  /** Digest of the browser cookie's secret; interactions are bound to it. */
  readonly digest: string
  /** The cookie's secret: what is derived from it, only this browser can have made again. */
  readonly secret: Secret
  /** The cookie to set when the browser had none. */
  readonly cookies: ReadonlyArray<CookieChange>
  /** True if the browser had none. */
  readonly unknown: boolean
  /** The session its cookie proves; ended and expired ones too. */
  readonly session: Session | undefined
  /** CSRF token of forms for whoever sits there. */
  readonly csrf: string
  /** CSRF token of forms for the person who is signed in; the browser's own when nobody is. */
  readonly sessionCsrf: string
  /** User-Agent, cut to 200 characters. */
  readonly agent: string
  /** The network it sits in; undefined where the adapter does not tell addresses. */
  readonly address: string | undefined
}

/** A page of a feature, whose signed-in visitor is asked for something on a page of the embedder's own instead. */
export interface VisitAsked {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  /** The row that leads to the page. */
  readonly interaction: PendingVisit
  /** Its handle. */
  readonly handle: string
}

/** Such a page, whose visitor is signed in. */
export interface Visited extends VisitAsked {
  readonly client: Client
  readonly session: Session
  readonly person: Person
}

/** An answer to such a page, as an embedder's code gave it. */
export interface VisitAllowed extends VisitAsked {
  /** The version of the client that the person was shown. */
  readonly version: string | undefined
  readonly scopes: unknown
  readonly details?: unknown
}

/** The end of such a page without what it asks for. */
export interface VisitDenied extends VisitAsked {
  /** The reason: the person does not allow it, or something went wrong. */
  readonly refusal: Refusal
}

/** A page of a feature that may be drawn by the embedder: `provider.interaction` and `provider.resume` ask it by the path that rows lead to. */
export interface OwnVisit {
  /** The path of the page, below the issuer's. */
  readonly path: string
  /** The embedder's page in its place, which there is only where the settings have it. */
  readonly route: keyof InteractionRoutes
  /** Tells what the page asks of the person who is signed in; changes nothing. */
  readonly look: (seen: Visited, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /** Tells, where the page is the provider's own, that its visitor must sign in for it, or can go on there; by the same rules as the page itself, or nobody could get on. */
  readonly lookBefore: (seen: Visited, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /** Goes on with an answer that allows it. */
  readonly allow: (seen: VisitAllowed, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
  /** Goes on with an answer that denies it: `access_denied`, or the error that the page ends it with. */
  readonly deny: (seen: VisitDenied, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
}

/** The parts of a provider's features that stages of others call. */
export interface FeatureParts {
  /** Its pages that an embedder may draw, each behind a row that leads to it. */
  readonly ownVisits: ReadonlyArray<OwnVisit>
  /** Its hosts beside the issuer's, at which the endpoints for programs answer too: the base of their URLs, with the issuer's path (RFC 8705 §5). */
  readonly hosts: ReadonlyArray<EndpointHost>
  /** Ways to find clients that are not in the client store. */
  readonly clientResolvers: ReadonlyArray<ClientResolver>
  /** Its commands that go with every grant of a person that a client is given, or keeps. */
  readonly grantKeepings: ReadonlyArray<GrantKeeping>
  /** Its commands that go with a sign-in at another provider. */
  readonly upstreamSignIns: ReadonlyArray<UpstreamSignIn>
  /** Its commands that go with every use of a session for a client: a sign-in to it, or an approval for it. */
  readonly sessionUses: ReadonlyArray<SessionUse>
  /** Its commands that go with the end of a session, when a person signs out. */
  readonly sessionEndings: ReadonlyArray<SessionEnding>
  /** Its frames of the page that a browser is shown after a sign-out, in which clients end their own sessions. */
  readonly sessionFrames: ReadonlyArray<SessionFrames>
  /** Its ways to tell clients of the session of a browser. */
  readonly sessionTellings: ReadonlyArray<SessionTelling>
  /** Its reasons to keep a client's grants of a session: the end of the session concerns clients whose tokens are long gone. */
  readonly sessionMemories: ReadonlyArray<SessionMemory>
  /** Its ways to bind tokens to what requests prove. */
  readonly confirmations: ReadonlyArray<Confirming>
  /** Its ways of client authentication. */
  readonly clientAuthentication: ReadonlyArray<ClientAuthentication>
}
