import { type Server, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { nodeDigest, nodeEntropy, toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import { type ProviderOptions, compose, createProvider, rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { Faulty } from "../misbehave/wiring.ts"
import { type KnownClient, type TestClient, clientsOf } from "./clients.ts"
import { testClock } from "./clock.ts"
import { type FaultVerdicts, noFaults, openFaults } from "./faults.ts"
import { testKeys } from "./keys.ts"
import { type Minting, minted } from "./mint.ts"
import { type TestPerson, alice, peopleOf } from "./people.ts"
import { type SignInPlace, type SignedIn, type SigningIn, type Subject, authorized, signedIn } from "./signIn.ts"
import { type QueuedAnswer, type ReceivedRequest, trafficOf } from "./traffic.ts"

/** Options of a provider for tests; none is needed. */
export interface StartOptions {
  /** The clients; one named `app` when not given. */
  readonly clients?: ReadonlyArray<TestClient> | undefined
  /** The people who may sign in; `alice`, whose password is `password`, when not given. */
  readonly people?: ReadonlyArray<TestPerson> | undefined
  /** Lets anybody sign in under any name that is not one of `people`, with any password. A password that is an object of JSON gives their claims. */
  readonly anyUser?: boolean | undefined
  /** Seconds since 1970 at which the clock stands until it is moved; it runs with the system's when not given. */
  readonly at?: number | undefined
  /** The port to listen on; a free one when not given. */
  readonly port?: number | undefined
  /**
   * Ids of faults, and names of presets, that the provider is to get wrong; one id alone it gets wrong for everybody. More are chosen by `acr_values=fault:ID`
   * or the header `Postern-Fault`, and `fault:none` is right.
   */
  readonly faults?: ReadonlyArray<string> | undefined
  /** More of how faults are chosen: by client, by a script, by a seed. */
  readonly misbehave?: Omit<Faulty, "faults"> | undefined
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
  /** Signs a person in through the real pages and redeems the code. Rejects with `SignInRefused`. */
  readonly signIn: (asked?: SigningIn) => Promise<SignedIn>
  /** Opens an authorization request of your own client as a person's browser would, and answers with the address that the client would be opened at. */
  readonly authorize: (url: string | URL, person?: Subject) => Promise<URL>
  /** Signs a token of any content with its keys. */
  readonly mint: (token?: Minting) => Promise<string>
  /** Answers the next request of an endpoint with this; several are given in turn. */
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

const listening = async (server: Server, port: number): Promise<string> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const stopped = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/**
 * Starts a provider on a port of 127.0.0.1, in this process and without files: our own with all its rules, on stores in memory and a clock that can be
 * moved. Rejects with `ClientRefused` for a client that registration would refuse, and with the system's error for a port that is taken.
 */
export const startPostern = async (options: StartOptions = {}): Promise<TestProvider> => {
  const {
    anyUser = false,
    people: given = anyUser ? [] : [alice],
    clients: registered = [{}],
    at,
    port = 0,
    provider: more = {},
    faults,
    misbehave,
  } = options
  const clock = testClock(at)
  const server = createServer()
  try {
    const [issuer, keys] = await Promise.all([listening(server, port), testKeys(clock.now)])
    const clients = clientsOf(registered, { ...more, issuer })
    const people = peopleOf(given, anyUser)
    const composition = compose(more)
    const endpoints = composition.features.flatMap((feature) => feature.endpoints?.(composition) ?? [])
    const traffic = trafficOf(clock.millis, new Set(endpoints.map(({ name }) => name)))
    const pages = liquidPages({ name: "Postern for tests" })
    const provider = createProvider({
      ...more,
      issuer,
      clients: clients.store,
      tokens: memoryTokenStore(rowKindsOf(more)),
      signer: keys.signer,
      authenticator: people.authenticator,
      pages,
      trails: traffic.trails,
      entropy: nodeEntropy,
      digest: nodeDigest,
      clock: clock.millis,
    })
    const faultPlace = { issuer, known: clients.known, registered, keys: keys.list, now: clock.now }
    const faulty = faults === undefined && misbehave === undefined ? noFaults : await openFaults({ ...misbehave, faults }, faultPlace)
    server.on("request", faulty.listening(toNodeHandler(traffic.noted(faulty.wrapped(provider)), { assets: pages.assets })))
    const place: SignInPlace = {
      issuer,
      clients: clients.known,
      people,
      now: clock.now,
      trail: (id) => traffic.requests().findLast(({ trail }) => trail?.requestId === id)?.trail,
    }
    const stop = () => stopped(server)
    return {
      issuer,
      clients: clients.known,
      now: clock.now,
      advance: async (by) => {
        clock.advance(by)
        await keys.tend()
      },
      signIn: (asked = {}) => signedIn(asked, place),
      authorize: async (url, person = {}) => (await authorized(String(url), person, place)).back,
      mint: (token = {}) => minted(token, { issuer, signer: keys.signer, now: clock.now() }),
      queue: traffic.queue,
      requests: traffic.requests,
      rotateKeys: ({ forget = false } = {}) => keys.rotate(forget),
      faults: faulty.verdicts,
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stopped(server)
    throw error
  }
}
