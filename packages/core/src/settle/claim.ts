import * as Effect from "effect/Effect"
import { type Handle, type PendingUpstream, type Seconds, noteAnswer } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { type InteractionSeen, interactionRules } from "../rules/interaction.ts"
import { type PageRefusal, refusePage, toPage } from "../rules/page.ts"
import { judge, pass, table } from "../rules/rule.ts"
import { type Inquiry, findBy } from "./request.ts"
import { Decided, type Stage, aside, decided, row } from "./stage.ts"

/** A browser that comes back from another provider, and the `state` that it brings. */
interface Returned extends Omit<InteractionSeen, "interaction"> {
  readonly state: Handle | undefined
}

/** The attempt that a `state` names. */
interface Attempted {
  readonly attempt: PendingUpstream
}

/** The attempt that a `state` names: it must be this browser's, and wait. */
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

/** Seconds after which a claim passes to another request: a provider is waited for less long, so whoever had it is gone. */
const claimLasts: Seconds = 15

/** Milliseconds between two looks at an attempt that another request has claimed. */
const lookAgain = 100

/** Judges whether this request may redeem the answer: a code that is redeemed twice may take back what it was redeemed for (RFC 6749 §4.1.2). */
const claimRules = table<Attempted & { readonly now: number }, PageRefusal>("upstream/claim").rule(
  "upstream.unclaimed",
  "RFC 6749 §4.1.2",
  ({ attempt, now }) =>
    attempt.claimedAt === undefined || now >= attempt.claimedAt + claimLasts
      ? pass
      : refusePage("unavailable", 503, "temporarily_unavailable", "The sign-in is being completed.", "another request redeems the answer"),
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

/** Claims the attempt, or waits until whoever has claimed it has finished it, has given it up, or is gone. */
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
  const refusal = judge(trace, claimRules, { attempt, now })
  if (refusal !== undefined) return waited >= claimLasts * 1000 ? decided(toPage(refusal)) : onward(pause(inquiry), again)
  const mine = { ...attempt, claimedAt: now }
  return onward(ports.tokens.commit([noteAnswer(mine)]), (outcome) =>
    outcome === "Committed" ? Effect.succeed({ attempt: { ...mine, version: attempt.version + 1 } }) : again(),
  )
}

/**
 * A stage that makes one request of all that bring the same answer redeem it, on however many machines: its claim is a commit of its own. The others see the attempt as it
 * was finished. A request that is decided again has redeemed it.
 */
export const claimed: Stage<Returned & Attempted, Attempted> = {
  tables: [claimRules],
  run: (seen, inquiry) => (inquiry.kept.upstream === undefined ? claim(seen, inquiry) : Effect.succeed(seen)),
}

/** Does what the claim was made for. Where that cannot be done, now, the claim is given up: the answer may come again. */
export const redeeming = <A>(
  effect: Effect.Effect<A, PortFailed>,
  attempt: PendingUpstream,
  { ports }: Inquiry,
): Effect.Effect<A, PortFailed> =>
  Effect.tapError(effect, () => Effect.exit(ports.tokens.commit([noteAnswer({ ...attempt, claimedAt: undefined })])))
