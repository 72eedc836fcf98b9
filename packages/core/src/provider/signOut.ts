import { clientStoreOf, digestsOf, tokenStoreOf } from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import type { Composition } from "../features/feature.ts"
import { type Command, type Settings, revokeGrants } from "../model/index.ts"
import {
  type ClientStorePort,
  type DigestPort,
  type EntropyPort,
  type TimerPort,
  type TokenStorePort,
  resolvingClients,
  whenRunWithin,
} from "../ports/index.ts"
import { kindFault, refuseFaults } from "../model/members.ts"
import { promptMillis } from "../ports/prompt.ts"
import { steps } from "../ports/steps.ts"
import { isLive } from "../rules/session.ts"
import type { EndingMeans, SessionEnding } from "../settle/sessionParts.ts"
import { sessionsEnd } from "../settle/signOut.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"
import type { ProviderOptions } from "./options.ts"
import { patienceOf } from "./patience.ts"

/** The ports for signing a person out. */
export interface SignOutPorts {
  /** Finds clients, for features that notify them. */
  readonly clients: ClientStorePort
  /** Stores the sessions and grants. */
  readonly tokens: TokenStorePort
  /** The implementation of WebCrypto by default. */
  readonly digest?: DigestPort | undefined
  /** The implementation of WebCrypto by default. */
  readonly entropy?: EntropyPort | undefined
  /** Starts the timers for the time limit of each port call, the `portTimeout` of the options; the platform's by default. */
  readonly timer?: TimerPort | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The sessions of a person could not be ended, because they kept changing. Those that were ended before stay ended. */
export class SignOutContended extends Error {
  override readonly name = "SignOutContended"
}

/** Signs a person out of a provider everywhere: see `signOutEverywhere`. */
export const signedOutEverywhere = async (
  { sessionEndings, clientResolvers }: Pick<Composition, "sessionEndings" | "clientResolvers">,
  settings: Settings,
  { clients, tokens, digest = webDigest, entropy = webEntropy(), timer, clock }: SignOutPorts,
  { portTimeout }: Pick<ProviderOptions, "portTimeout">,
  subject: string,
): Promise<number> => {
  const millis = promptMillis(clock)
  const lift = whenRunWithin(patienceOf({ timer, portTimeout }))
  const resolving = { tokens: tokenStoreOf(tokens, lift), digest: digestsOf(digest, lift), clock: () => Effect.succeed(millis) }
  const means: EndingMeans = {
    ports: {
      clients: resolvingClients(clientStoreOf(clients, lift), clientResolvers, resolving),
      tokens: resolving.tokens,
      digest: resolving.digest,
      entropy,
      settings,
    },
    millis,
    now: Math.floor(millis / 1000),
  }
  return Effect.runPromise(endedAll(subject, sessionEndings, means))
}

/** Ends all sessions and grants of a person. */
export const endedAll = steps(function* (subject: string, endings: ReadonlyArray<SessionEnding>, means: EndingMeans) {
  // A person whom nobody has would be signed out without a word.
  refuseFaults("signOut", kindFault("subject", subject, "text"))
  const { tokens } = means.ports
  const ended = new Set<string>()
  let live = 0
  // The store lists a limited number of sessions at a time, and no longer lists ended ones.
  for (;;) {
    const sessions = (yield* tokens.sessionsOf(subject)).filter(({ locator }) => !ended.has(locator))
    const ends: ReadonlyArray<Command> = yield* sessionsEnd({ subject, sessions, isEverywhere: true }, endings, means)
    if ((yield* tokens.commit([...ends, revokeGrants({ subject }, means.now)])) !== "Committed")
      return yield* Effect.fail(new SignOutContended("the sessions were not ended"))
    if (sessions.length === 0) return live
    for (const session of sessions) {
      ended.add(session.locator)
      if (isLive(session, means.now)) live++
    }
  }
})
