import * as Effect from "effect/Effect"
import type { Seconds } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { OutboundPort } from "./outbound.ts"
import type { Lifted } from "./lifted.ts"
import { PortFailed } from "./portFailed.ts"
import { afterwards } from "./steps.ts"

/**
 * No request was sent, because too many requests already wait for other hosts or because this host was unreachable a moment ago. Nothing
 * was changed.
 */
export class OutwardRefused extends Error {
  override readonly name = "OutwardRefused"
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: Seconds

  constructor(message: string, retryAfter: Seconds) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/**
 * The maximum number of concurrent outbound requests of all processes of a server: in total, to one host, and to URLs that strangers chose.
 * A host that never answers uses up only its own share.
 */
const most = { all: 400, host: 100, strangers: 200 }

/** Seconds until a retry makes sense if all slots are taken. No call takes longer than ten seconds. */
const retryAfter: Seconds = 5

/** The load of outbound requests. */
export interface OutwardLoad {
  /** Calls that hold a slot and wait for an answer. */
  readonly waiting: number
  /** Calls that were refused since the start because no slot was free. */
  readonly refused: number
}

/** Slots for outbound requests. */
export interface Outward {
  /**
   * Runs a request to a host in a slot of its own. Fails with {@link OutwardRefused} if no slot is free, without sending the request. URLs
   * that strangers chose are counted separately, so that they use up neither the slots of a host for other requests nor more than their
   * share of all slots.
   */
  readonly wait: <A>(
    host: string,
    port: string,
    operation: string,
    ask: () => Effect.Effect<A, PortFailed>,
    ofStranger?: boolean,
  ) => Effect.Effect<A, PortFailed>
  /** Returns the current load. */
  readonly load: () => OutwardLoad
}

/** Creates the slots of one process, which has an equal share if there are several processes. */
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

/** Returns the host of a URL, or the URL itself if it has none. */
export const hostOf = (url: string): string => /^[a-z]+:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? url

/** Wraps the port so that each call takes a slot. */
export const placedOutbound = ({ fetch }: Lifted<OutboundPort>, { wait }: Outward): Lifted<OutboundPort> => ({
  fetch: (url, accept, limits) => wait(hostOf(url), "Outbound", "fetch", () => fetch(url, accept, limits), limits?.ofStranger),
})

/** Wraps the port so that each call takes a slot. */
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
    // The sender of a logout token is not authenticated yet, so its key fetches take no slot of those who sign in.
    ...(logoutKeys && {
      logoutKeys: (asked) => wait(`logout keys of ${asked.provider}`, "IdentityProviders", "logoutKeys", () => logoutKeys(asked), true),
    }),
  }
}
