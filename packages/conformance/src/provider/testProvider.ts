import type { LimiterPort, ProviderOptions } from "@postern/core"
import type { Faulty } from "../misbehave/wiring.ts"
import type { KnownClient, TestClient } from "./clients.ts"
import type { FaultVerdicts } from "./faults.ts"
import type { Minting } from "./mint.ts"
import type { TestPerson } from "./people.ts"
import type { SignedIn, SigningIn, Subject } from "./signIn.ts"
import type { QueuedAnswer, ReceivedRequest } from "./traffic.ts"

/** Options of a test provider. All are optional. */
export interface StartOptions {
  /** The clients; by default one named `app`. */
  readonly clients?: ReadonlyArray<TestClient> | undefined
  /** The people who may sign in; by default `alice` with the password `password`. */
  readonly people?: ReadonlyArray<TestPerson> | undefined
  /**
   * Lets anybody sign in under any name that is not one of `people`, with any password or none. The page has a field for their claims, a
   * JSON object, which may also be typed as the password. If it is empty, the claims that `signIn` or `authorize` set stay.
   */
  readonly anyUser?: boolean | undefined
  /**
   * Seconds since 1970 at which the clock stands until it is changed, up to the end of the year 9999. By default it runs with the system's
   * clock.
   */
  readonly at?: number | undefined
  /** The port to listen on; a free one by default. */
  readonly port?: number | undefined
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string | undefined
  /** The issuer, if clients reach the provider by a name other than the address that it listens on, such as in a container. */
  readonly issuer?: string | undefined
  /**
   * Enables the control calls under `/_test` over HTTP: time, queue, requests, mint, sign-in. Anyone who can reach the port may use them.
   * Off by default.
   */
  readonly control?: boolean | undefined
  /**
   * Ids of faults and names of presets for the provider to show. A single fault applies to every request. Otherwise a fault is selected by
   * `acr_values=fault:ID` or the header `Postern-Fault`, and `fault:none` selects none.
   */
  readonly faults?: ReadonlyArray<string> | undefined
  /** Further ways to select faults: by client, by a script, by a seed. */
  readonly misbehave?: Omit<Faulty, "faults"> | undefined
  /** A rate limiter that uses the provider's clock; no limits by default. */
  readonly limiter?: LimiterPort | undefined
  /** Other options of `createProvider`: `resources`, `scopes`, `sessionLifetime`, `profile`, … */
  readonly provider?: Omit<ProviderOptions, "issuer"> | undefined
}

/** A test provider that runs in this process. */
export interface TestProvider {
  /** The issuer identifier, by default the provider's address. */
  readonly issuer: string
  /** The clients with their secrets. */
  readonly clients: ReadonlyArray<KnownClient>
  /** The clock's time in seconds since 1970. */
  readonly now: () => number
  /**
   * Advances the clock, by seconds or a string such as `30d`, and performs the key rotation that is due. Everything expires by this clock.
   */
  readonly advance: (by: number | string) => Promise<void>
  /** Stops the clock, at a time in seconds since 1970 or at its current time. */
  readonly freeze: (at?: number) => void
  /** Lets the clock run again from its current time. */
  readonly thaw: () => void
  /** Reports whether the clock is stopped. */
  readonly isFrozen: () => boolean
  /** Signs a person in through the real pages, and redeems the code. Rejects with `SignInRefused`. */
  readonly signIn: (asked?: SigningIn) => Promise<SignedIn>
  /**
   * Opens your own client's authorization request as a browser would, and returns the client's address that the browser is redirected to.
   */
  readonly authorize: (url: string | URL, person?: Subject) => Promise<URL>
  /** Signs a token with any content, using the provider's keys. */
  readonly mint: (token?: Minting) => Promise<string>
  /**
   * Replaces or changes the response to the next request at an endpoint, or drops the connection. Several queued responses apply in order.
   */
  readonly queue: (answer: QueuedAnswer) => void
  /**
   * The requests at an endpoint, or at all endpoints, in order, each with its response and the rules that were applied. The last 10,000 are
   * kept.
   */
  readonly requests: (endpoint?: string) => ReadonlyArray<ReceivedRequest>
  /** Signs with new keys from now on. The old ones stay published unless `forget` is set. */
  readonly rotateKeys: (how?: { readonly forget?: boolean }) => Promise<void>
  /** The verdicts on the clients, if the provider was started with faults. */
  readonly faults: FaultVerdicts
  /** Stops the provider and closes its connections. */
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
