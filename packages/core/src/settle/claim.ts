import * as Effect from "effect/Effect"
import { type Handle, type PendingUpstream, type Seconds, noteAnswer } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { type InteractionSeen, interactionRules } from "../rules/interaction.ts"
import { type PageRefusal, refusePage, toPage } from "../rules/page.ts"
import { judge, pass, table } from "../rules/rule.ts"
import { type Inquiry, findBy } from "./request.ts"
import { Decided, type Stage, aside, decided, row } from "./stage.ts"

/** A browser that returns from another provider, and its `state`. */
interface Returned extends Omit<InteractionSeen, "interaction"> {
  readonly state: Handle | undefined
}

/** The sign-in attempt that a `state` identifies. */
interface Attempted {
  readonly attempt: PendingUpstream
}

/** Finds the sign-in attempt that a `state` identifies. It must belong to this browser and be pending. */
export const attempted: Stage<Returned, Attempted> = aside(
  row<Returned, PageRefusal>(toPage)
    .read(({ state }, { ports }) =>
      mapped(
        findBy(ports, state, ports.tokens.findInteraction, ({ digest }) => digest),
        (found) => ({ interaction: found?.kind === "upstream" ? found : undefined }),
      ),
    )
    .judge(interactionRules),
  ({ interaction }) => ({ attempt: interaction }),
)

/**
 * Seconds after which another request may take over a claim. The request that has it waits for two ports, one after the other: the provider
 * that redeems the answer, and the authenticator that admits the person. Each has the time limit of any port; five seconds are for the store.
 */
const lastsFor = ({ ports: { patience } }: Inquiry): Seconds => Math.ceil((2 * patience.milliseconds) / 1000) + 5

/** Milliseconds between two checks of an attempt that another request has claimed. */
const lookAgain = 100

const taken = refusePage(
  "unavailable",
  503,
  "temporarily_unavailable",
  "The sign-in is being completed.",
  "another request redeems the answer",
)

/**
 * Checks that this request may exchange the code. If a code is exchanged twice, the authorization server may revoke the tokens issued for
 * it (RFC 6749 §4.1.2).
 */
const claimRules = table<Attempted & { readonly now: number; readonly lasts: Seconds }, PageRefusal>("upstream/claim").rule(
  "upstream.unclaimed",
  "RFC 6749 §4.1.2",
  ({ attempt, now, lasts }) => (attempt.claimedAt === undefined || now >= attempt.claimedAt + lasts ? pass : taken),
)

const pause = ({
  ports: {
    patience: { timer },
  },
}: Inquiry): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const stop = timer.start(lookAgain, () => resume(Effect.void))
    return Effect.sync(stop)
  })

/** Claims the attempt, or waits until the request that has claimed it finishes it, gives it up, or dies. */
const claim = (seen: Returned & Attempted, inquiry: Inquiry, waited = 0): Effect.Effect<Attempted | Decided, PortFailed> => {
  const { ports, trace } = inquiry
  const { attempt } = seen
  if (attempt.finishedAt !== undefined) return Effect.succeed({ attempt })
  const before = trace.steps.length
  const now = inquiry.now + Math.floor(waited / 1000)
  const again = () => {
    trace.steps.length = before
    return onward(attempted.run({ ...seen }, inquiry), (found) => {
      if (found instanceof Decided) return Effect.succeed(found)
      trace.steps.length = before
      return claim({ ...seen, ...found }, inquiry, waited + lookAgain)
    })
  }
  const lasts = lastsFor(inquiry)
  const wait = () => (waited >= lasts * 1000 ? decided(toPage(taken)) : onward(pause(inquiry), again))
  if (judge(trace, claimRules, { attempt, now, lasts }) !== undefined) return wait()
  const mine = { ...attempt, claimedAt: now }
  return onward(ports.tokens.commit([noteAnswer(mine)]), (outcome) =>
    outcome === "Committed" ? Effect.succeed({ attempt: { ...mine, version: attempt.version + 1 } }) : wait(),
  )
}

/**
 * A stage that lets only one of all requests with the same authorization response exchange it, on any number of machines: the claim is a
 * commit of its own. The others see the finished attempt. A request that is decided again has already exchanged it.
 */
export const claimed: Stage<Returned & Attempted, Attempted> = {
  tables: [claimRules],
  run: (seen, inquiry) => (inquiry.kept.upstream === undefined ? claim(seen, inquiry) : Effect.succeed(seen)),
}

/** Performs the claimed exchange. If it fails temporarily, the claim is released, so that the response may be sent again. */
export const redeeming = <A>(
  effect: Effect.Effect<A, PortFailed>,
  attempt: PendingUpstream,
  { ports }: Inquiry,
): Effect.Effect<A, PortFailed> =>
  Effect.tapError(effect, () => Effect.exit(ports.tokens.commit([noteAnswer({ ...attempt, claimedAt: undefined })])))
