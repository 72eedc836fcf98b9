import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Command, Decision, MetadataPlan } from "../model/index.ts"
import { commandsOf, outbox, rowPut } from "../model/index.ts"
import { type PortFailed, within } from "../ports/index.ts"
import { mapped, onward, unbroken } from "../ports/steps.ts"
import type { Inquiry } from "./request.ts"
import { unlessRewarded } from "./reserve.ts"
import { type SignedTokens, signJwt, signResponse, signTokens } from "./sign.ts"

/** A settled decision: signed, committed, and ready to be rendered. */
export interface Settled {
  readonly decision: Decision
  readonly signed: SignedTokens | undefined
  /** The JWT that is the whole response body, the signed response of a response mode, or signed metadata. */
  readonly jwt: string | undefined
}

/** Every attempt ended in a conflict, because other requests kept changing the same rows. Nothing of this request was done. */
export class Contended extends Data.TaggedError("Contended")<{ readonly attempts: number }> {
  override readonly message = `${this.attempts} conflicts in a row`
}

const attempts = 3

/** Signs the tokens of a decision, or the response itself. */
export const sign = (decision: Decision, inquiry: Inquiry): Effect.Effect<Settled, PortFailed> => {
  if (decision._tag === "ReplyJwt") return mapped(signJwt(inquiry, decision.jwt), (jwt) => ({ decision, signed: undefined, jwt }))
  if (decision._tag === "Reply" && decision.metadata !== undefined)
    return mapped(signMetadata(decision.metadata, inquiry), (jwt) => ({ decision, signed: undefined, jwt }))
  const plan = "tokens" in decision ? decision.tokens : undefined
  const tokens = plan === undefined ? unsigned : signTokens(inquiry, plan)
  if (decision._tag !== "SendBack") return mapped(tokens, (signed) => ({ decision, signed, jwt: undefined }))
  return onward(tokens, (signed) => mapped(signResponse(inquiry, decision, signed), (jwt) => ({ decision, signed, jwt })))
}

/** Signed metadata, by plan. */
const signedMetadata = new WeakMap<MetadataPlan, string>()

/** Signs metadata once for each plan, because anybody may request it any number of times. */
const signMetadata = (plan: MetadataPlan, inquiry: Inquiry): Effect.Effect<string, PortFailed> => {
  const known = signedMetadata.get(plan)
  if (known !== undefined) return Effect.succeed(known)
  return mapped(signJwt(inquiry, plan), (jwt) => {
    signedMetadata.set(plan, jwt)
    return jwt
  })
}

const unsigned: Effect.Effect<SignedTokens | undefined> = Effect.succeed(undefined)

/** A response without changes may expose another request's unsynced write, so it is sent when that is durable. */
const unchanging = (inquiry: Inquiry, settled: Settled): Effect.Effect<Settled, PortFailed> => {
  const { durable } = inquiry.ports.tokens
  return durable === undefined ? Effect.succeed(settled) : mapped(durable(), () => settled)
}

/**
 * Passes committed messages that are due now to the outbox port. The messages are already stored, so a failure here does not affect the
 * response.
 */
const told = (
  commands: ReadonlyArray<Command>,
  settled: Settled,
  { ports: { outbox: port, patience }, now }: Inquiry,
): Effect.Effect<Settled> => {
  if (port === undefined || !commands.some(({ event }) => event === "AddMessage")) return Effect.succeed(settled)
  const written = commands.flatMap((command) => (command.event === "AddMessage" ? (rowPut(outbox, command) ?? []) : []))
  const messages = written.filter(({ dueAt }) => dueAt <= now)
  if (messages.length === 0) return Effect.succeed(settled)
  const telling = Effect.exit(Effect.suspend(() => within(patience, "Outbox", "written", Promise.resolve(port.written(messages)))))
  return Effect.as(telling, settled)
}

/**
 * Returns the commands of a decision and those that stages have recorded. A refusal omits those that only a success may use up, and a
 * refusal that requests the same request again omits all of these (RFC 9449 §8).
 */
const committedWith = (decision: Decision, { changes, spent }: Inquiry): ReadonlyArray<Command> => {
  if (changes.length === 0 && spent.length === 0) return commandsOf(decision)
  const refusal = "refusal" in decision ? decision.refusal : undefined
  if (refusal?.unspent === true) return refusal.commands
  return [...changes, ...(refusal === undefined ? spent : []), ...commandsOf(decision)]
}

/**
 * Loads and decides, signs, then commits, in that order; only durable results are returned. After a conflict, it loads and decides again,
 * so that a race is judged by the rules that a later replay would meet. Once signing begins, it cannot be interrupted.
 */
export const settle = <E>(
  inquiry: Inquiry,
  attempt: () => Effect.Effect<Decision, E>,
): Effect.Effect<Settled, E | PortFailed | Contended> => {
  const once = (left: number): Effect.Effect<Settled, E | PortFailed | Contended> =>
    onward(attempt(), (decision) => {
      const commands = committedWith(decision, inquiry)
      if (commands.length === 0 && !("tokens" in decision) && !("jwt" in decision) && !("metadata" in decision))
        return unchanging(inquiry, { decision, signed: undefined, jwt: undefined })
      if (commands.length === 0) return unbroken(onward(sign(decision, inquiry), (settled) => unchanging(inquiry, settled)))
      return Effect.uninterruptible(
        Effect.flatMap(sign(decision, inquiry), (settled) =>
          onward(inquiry.ports.tokens.commit(commands), (result): Effect.Effect<Settled, E | PortFailed | Contended> => {
            if (result === "Committed") return told(commands, settled, inquiry)
            if (left === 1) return Effect.fail(new Contended({ attempts }))
            inquiry.trace.steps.length = 0
            // The profile of a client applies again once the client is loaded again.
            inquiry.trace.off = inquiry.ports.settings.rulesOff
            for (const noted of [inquiry.changes, inquiry.spent, inquiry.headers]) noted.length = 0
            return once(left - 1)
          }),
        ),
      )
    })
  return unlessRewarded(once(attempts), inquiry)
}
