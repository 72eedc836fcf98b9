import * as Effect from "effect/Effect"
import { type Grant, grants, latest } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, steps } from "../ports/steps.ts"
import { firstBy } from "../rules/firstBy.ts"
import type { SessionName, TellingMeans } from "./sessionParts.ts"

/** The maximum number of pages of grants that are read for one session. */
const mostPages = 50

/** Lists every grant of a session, newest first. A client whose tokens were revoked may still have its own session. */
const grantsIn = steps(function* ({ subject, locator }: SessionName, { ports: { tokens } }: TellingMeans) {
  const found: Array<Grant> = []
  let from = latest
  for (let page = 0; page < mostPages; page++) {
    const listed = yield* tokens.list(grants, "ofSession", { subject, sessionId: locator, ...from })
    found.push(...listed)
    const last = listed.at(-1)
    if (last === undefined) break
    from = { until: last.createdAt, before: last.id }
  }
  return found
})

/** A client that was signed in to, with a session of it. */
export interface SignedInTo {
  readonly session: SessionName
  readonly grant: Grant
}

/** Returns the clients of each session, each once per session. */
export const signedInTo = (
  sessions: ReadonlyArray<SessionName>,
  means: TellingMeans,
): Effect.Effect<ReadonlyArray<SignedInTo>, PortFailed> =>
  mapped(
    Effect.all(
      sessions.map((session) => mapped(grantsIn(session, means), (found) => ({ session, found }))),
      { concurrency: 8 },
    ),
    (all) => all.flatMap(({ session, found }) => firstBy(found, ({ clientId }) => clientId).map((grant) => ({ session, grant }))),
  )
