import * as Effect from "effect/Effect"
import { type Grant, distinct, grants, latest } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, steps } from "../ports/steps.ts"
import type { SessionName, TellingMeans } from "./sessionParts.ts"

/** Grants that are looked at for one session. Pages of so many are listed until none is left. */
const mostPages = 50

/** Every grant that came of a session, newest first: a client whose tokens were revoked may have its own session still. */
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

/** A client as it was signed in to, with a session of it. */
export interface SignedInTo {
  readonly session: SessionName
  readonly grant: Grant
}

/** The clients of each session, once for each session. */
export const signedInTo = (
  sessions: ReadonlyArray<SessionName>,
  means: TellingMeans,
): Effect.Effect<ReadonlyArray<SignedInTo>, PortFailed> =>
  mapped(
    Effect.all(
      sessions.map((session) => mapped(grantsIn(session, means), (found) => ({ session, found }))),
      { concurrency: 8 },
    ),
    (all) =>
      all.flatMap(({ session, found }) =>
        distinct(found.map(({ clientId }) => clientId)).flatMap((clientId) => {
          const grant = found.find((each) => each.clientId === clientId)
          return grant === undefined ? [] : [{ session, grant }]
        }),
      ),
  )
