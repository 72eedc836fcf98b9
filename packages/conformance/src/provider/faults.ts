import type { Provider } from "@postern/core"
import type { SigningKey } from "@postern/core/jose"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Score } from "../misbehave/ledger.ts"
import type { Faulty } from "../misbehave/wiring.ts"
import type { Report } from "../run/result.ts"
import type { KnownClient, TestClient } from "./clients.ts"

/** The verdicts on the clients of a provider with faults. Each member throws a `TypeError` if the provider was started without faults. */
export interface FaultVerdicts {
  /** The seed of the preset `chaos`; undefined without it. */
  readonly seed: number | undefined
  /**
   * The verdict on a client, by default the first one: `noticed`, `accepted` or `not reached`, with its reason, and whether it is the right
   * one.
   */
  readonly verdict: (id: string, client?: string) => Score
  /** Records whether the person is signed in at the client, by default the first one. */
  readonly told: (id: string, signedIn: boolean, client?: string) => void
  /** Sends a client wrong logout tokens, then a correct one. */
  readonly signOut: (client?: string) => Promise<void>
  /** The verdicts on all clients, for the formats of `@postern/conformance`. */
  readonly report: () => Report
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A provider's faults: their changes to the provider, and the verdicts. */
export interface Faults {
  readonly wrapped: <P extends Pick<Provider, "handle">>(provider: P) => P
  readonly listening: (listener: Listener) => Listener
  readonly verdicts: FaultVerdicts
}

const none = (): never => {
  throw new TypeError("the provider was started without faults: startPostern({ faults: [ID] })")
}

/** The members for a provider without faults. */
export const noFaults: Faults = {
  wrapped: (provider) => provider,
  listening: (listener) => listener,
  verdicts: {
    seed: undefined,
    verdict: none,
    told: none,
    signOut: () => Promise.reject(new TypeError("the provider was started without faults")),
    report: none,
  },
}

/** The parts of a provider that its faults need. */
export interface FaultPlace {
  readonly issuer: string
  readonly known: ReadonlyArray<KnownClient>
  readonly registered: ReadonlyArray<TestClient>
  readonly keys: () => ReadonlyArray<SigningKey>
  readonly now: () => number
}

/** Creates the faults of a provider. Rejects with `UnknownFault` for an unknown id, and with `ScriptRefused` for an invalid script. */
export const openFaults = async (asked: Faulty, { issuer, known, registered, keys, now }: FaultPlace): Promise<Faults> => {
  // Imported only if faults are requested, so that the provider starts sooner without them.
  const [{ openWiring }, { deliverable }] = await Promise.all([import("../misbehave/wiring.ts"), import("../misbehave/delivery.ts")])
  const clients = known.map(({ client_id, redirect_uris }, index) => {
    const { post_logout_redirect_uris, backchannel_logout_uri } = registered[index] ?? {}
    return { client_id, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri }
  })
  const first = clients[0]?.client_id ?? ""
  const { wrap, seed, scores, told, signOut, report } = await openWiring(asked, { keys, clients, now })
  return {
    wrapped: (provider) => ({ ...provider, handle: wrap(provider, { issuer, other: "https://other.example", plain: undefined }).handle }),
    listening: deliverable,
    verdicts: {
      seed,
      verdict: (id, client = first) => {
        const score = scores().find((each) => each.misbehavior.id === id && each.client === client)
        if (score === undefined)
          throw new TypeError(`this provider was not given the fault ${JSON.stringify(id)}, or has no client ${JSON.stringify(client)}`)
        return score
      },
      told: (id, signedIn, client = first) => told(id, client, signedIn),
      signOut: (client = first) => signOut(client),
      report,
    },
  }
}
