import * as Effect from "effect/Effect"
import type { Seconds } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { OutboundPort } from "./outbound.ts"
import type { Lifted } from "./lifted.ts"
import { PortFailed } from "./portFailed.ts"
import { afterwards } from "./steps.ts"

/** Nobody was asked: too many wait for others already, or the one to ask was not to be reached a moment ago. Nothing was done. */
export class OutwardRefused extends Error {
  override readonly name = "OutwardRefused"
  /** After how long another try makes sense. */
  readonly retryAfter: Seconds

  constructor(message: string, retryAfter: Seconds) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/**
 * Requests that wait for others at once, in all, for one host, and for URLs that strangers chose, at all processes of a server: whoever never answers takes
 * these places, and none besides.
 */
const most = { all: 400, host: 100, strangers: 200 }

/** Seconds before another try makes sense where places are taken: a call takes no longer than ten seconds. */
const retryAfter: Seconds = 5

/** Number of requests that wait for others. */
export interface OutwardLoad {
  /** Calls that wait for a place. */
  readonly waiting: number
  /** Refused since the start, for want of a place. */
  readonly refused: number
}

/** Places for requests that wait for an answer of somebody else. */
export interface Outward {
  /**
   * Waits for a host in a place of its own; fails with {@link OutwardRefused} where there is none, and then asks nobody. URLs that strangers chose have
   * places apart, so that they take none of others, nor those of another's host.
   */
  readonly wait: <A>(
    host: string,
    port: string,
    operation: string,
    ask: () => Effect.Effect<A, PortFailed>,
    ofStranger?: boolean,
  ) => Effect.Effect<A, PortFailed>
  /** Tells how much is going on now. */
  readonly load: () => OutwardLoad
}

/** Places of one of so many processes, all of them free. */
export const outwardPlaces = (processes = 1): Outward => {
  const share = (places: number): number => Math.ceil(places / processes)
  const [ofAll, ofOne, ofStrangers] = [share(most.all), share(most.host), share(most.strangers)]
  const byHost = new Map<string, number>()
  let waiting = 0
  let strangers = 0
  let refused = 0
  return {
    wait: (host, port, operation, ask, ofStranger = false) =>
      Effect.suspend(() => {
        const counted = ofStranger ? `of strangers ${host}` : host
        const ofHost = byHost.get(counted) ?? 0
        if (waiting >= ofAll || ofHost >= ofOne || (ofStranger && strangers >= ofStrangers)) {
          refused++
          const cause = new OutwardRefused(`${ofHost} requests wait for ${host} already, and ${waiting} in all`, retryAfter)
          return Effect.fail(new PortFailed({ port, operation, cause }))
        }
        waiting++
        if (ofStranger) strangers++
        byHost.set(counted, ofHost + 1)
        return afterwards(ask(), () => {
          waiting--
          if (ofStranger) strangers--
          const left = (byHost.get(counted) ?? 1) - 1
          if (left === 0) byHost.delete(counted)
          else byHost.set(counted, left)
        })
      }),
    load: () => ({ waiting, refused }),
  }
}

/** The host that a URL names; the URL itself where it names none. */
export const hostOf = (url: string): string => /^[a-z]+:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? url

/** The port, whose callers take places. */
export const placedOutbound = ({ fetch }: Lifted<OutboundPort>, { wait }: Outward): Lifted<OutboundPort> => ({
  fetch: (url, accept, limits) => wait(hostOf(url), "Outbound", "fetch", () => fetch(url, accept, limits), limits?.ofStranger),
})

/** The port, whose callers take places. */
export const placedIdentityProviders = (
  { begin, finish, password, logoutKeys }: Lifted<IdentityProvidersPort>,
  { wait }: Outward,
): Lifted<IdentityProvidersPort> => {
  const placed =
    <Asked extends { readonly provider: string }, A>(operation: string, ask: (asked: Asked) => Effect.Effect<A, PortFailed>) =>
    (asked: Asked): Effect.Effect<A, PortFailed> =>
      wait(`provider ${asked.provider}`, "IdentityProviders", operation, () => ask(asked))
  return {
    begin: placed("begin", begin),
    finish: placed("finish", finish),
    password: placed("password", password),
    // Whoever sends logout tokens has not shown who they are: they take no place of those who sign in.
    ...(logoutKeys && {
      logoutKeys: (asked) => wait(`logout keys of ${asked.provider}`, "IdentityProviders", "logoutKeys", () => logoutKeys(asked), true),
    }),
  }
}
