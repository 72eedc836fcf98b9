import type { LimiterPort, ProviderOptions } from "@postern/core"
import type { Faulty } from "../misbehave/wiring.ts"
import type { KnownClient, TestClient } from "./clients.ts"
import type { FaultVerdicts } from "./faults.ts"
import type { Minting } from "./mint.ts"
import type { TestPerson } from "./people.ts"
import type { SignedIn, SigningIn, Subject } from "./signIn.ts"
import type { QueuedAnswer, ReceivedRequest } from "./traffic.ts"

/** Options of a provider for tests; none is needed. */
export interface StartOptions {
  /** The clients; one named `app` when not given. */
  readonly clients?: ReadonlyArray<TestClient> | undefined
  /** The people who may sign in; `alice`, whose password is `password`, when not given. */
  readonly people?: ReadonlyArray<TestPerson> | undefined
  /**
   * Lets anybody sign in under any name that is not one of `people`, with any password or none. The page has a field for their claims, an object of JSON, which the
   * password may be too; left empty, it leaves those that `signIn` or `authorize` gave.
   */
  readonly anyUser?: boolean | undefined
  /** Seconds since 1970 at which the clock stands until it is moved, up to the end of the year 9999; it runs with the system's when not given. */
  readonly at?: number | undefined
  /** The port to listen on; a free one when not given. */
  readonly port?: number | undefined
  /** The address of this machine to listen on; 127.0.0.1 when not given. */
  readonly host?: string | undefined
  /** The issuer, where clients reach the provider by another name than the address that it listens on, as in a container. */
  readonly issuer?: string | undefined
  /** Takes the calls under `/_test` over HTTP: time, queue, requests, mint, sign-in. Whoever reaches the port may do all of that. Not taken when not given. */
  readonly control?: boolean | undefined
  /**
   * Ids of faults, and names of presets, that the provider is to get wrong; one id alone it gets wrong for everybody. More are chosen by `acr_values=fault:ID`
   * or the header `Postern-Fault`, and `fault:none` is right.
   */
  readonly faults?: ReadonlyArray<string> | undefined
  /** More of how faults are chosen: by client, by a script, by a seed. */
  readonly misbehave?: Omit<Faulty, "faults"> | undefined
  /** Limits requests, by the provider's clock; nothing is limited when not given. */
  readonly limiter?: LimiterPort | undefined
  /** Any other options of `createProvider`: `resources`, `scopes`, `sessionLifetime`, `profile`, … */
  readonly provider?: Omit<ProviderOptions, "issuer"> | undefined
}

/** A provider that runs in this process, for tests. */
export interface TestProvider {
  /** The issuer identifier, which is its address too. */
  readonly issuer: string
  /** The clients with their secrets. */
  readonly clients: ReadonlyArray<KnownClient>
  /** The time of its clock in seconds since 1970. */
  readonly now: () => number
  /** Moves its clock on, by seconds or a text as `30d`, and does what is due by then with its keys. Everything expires by this clock. */
  readonly advance: (by: number | string) => Promise<void>
  /** Lets its clock stand still, at a time in seconds since 1970 or where it is. */
  readonly freeze: (at?: number) => void
  /** Lets its clock run on from where it is. */
  readonly thaw: () => void
  /** Tells whether its clock stands still. */
  readonly isFrozen: () => boolean
  /** Signs a person in through the real pages and redeems the code. Rejects with `SignInRefused`. */
  readonly signIn: (asked?: SigningIn) => Promise<SignedIn>
  /** Opens an authorization request of your own client as a person's browser would, and answers with the address that the client would be opened at. */
  readonly authorize: (url: string | URL, person?: Subject) => Promise<URL>
  /** Signs a token of any content with its keys. */
  readonly mint: (token?: Minting) => Promise<string>
  /** Answers the next request of an endpoint with this, changes its answer, or drops the connection; several are taken in turn. */
  readonly queue: (answer: QueuedAnswer) => void
  /** Every request of an endpoint, or of all, in order, each with its answer and the rules that it met. The last 10,000 are kept. */
  readonly requests: (endpoint?: string) => ReadonlyArray<ReceivedRequest>
  /** Signs with new keys from now on. The old ones stay published, unless they are to be forgotten. */
  readonly rotateKeys: (how?: { readonly forget?: boolean }) => Promise<void>
  /** The verdicts on the clients of a provider that was started with faults. */
  readonly faults: FaultVerdicts
  /** Ends it, and the connections that are open. */
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
