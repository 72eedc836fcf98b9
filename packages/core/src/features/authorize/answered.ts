import * as Effect from "effect/Effect"
import type { AuthorizationAnswer, Decision } from "../../model/index.ts"
import { refuse, writeHandle } from "../../model/index.ts"
import { type FoundCode, type PortFailed } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import { type PageRefusal, refusePage } from "../../rules/page.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { type Inquiry, findBy } from "../../settle/request.ts"
import { openFor } from "../../settle/sealed.ts"
import { Decided, row, where } from "../../settle/stage.ts"
import type { Asking, Loaded, Resuming, Trusted, Waiting } from "./evidence.ts"
import { refuseByPage } from "./outcome.ts"

type Answered = Asking & Loaded & Trusted & { readonly waiting: Waiting }

/** A code that was sent, with its row and its grant. */
interface SentCode {
  readonly value: string
  readonly found: FoundCode
}

interface AnsweredSeen extends Pick<Loaded, "now" | "visitor"> {
  readonly waiting: Waiting
  /** Undefined if no code was sent, or if its row has been deleted. */
  readonly sent: SentCode | undefined
}

const finished = (reason: string): PageRefusal =>
  refusePage("interaction_finished", 400, "invalid_request", "The sign-in is already finished.", reason)

/** Judges whether a finished request can be given the same answer again, because one request has one outcome (RFC 6749 §4.1.2). */
const answeredRules = table<AnsweredSeen, PageRefusal>("authorize/answered")
  .establish("answered.outcome-kept", "RFC 6749 §4.1.2", ({ waiting: { interaction } }) =>
    interaction.answer === undefined ? finished("answered before, and its outcome was not kept") : prove({ answer: interaction.answer }),
  )
  .rule("answered.same-person", "OpenID Connect Core §3.1.2.3", ({ answer, visitor, now }) =>
    answer.outcome === "refused" || (isLive(visitor?.session, now) && visitor?.session.subject === answer.subject)
      ? pass
      : finished("answered for another person, or nobody is signed in"),
  )
  .rule("answered.code-good", "RFC 6749 §4.1.2", ({ answer, sent, now }) => {
    if (answer.outcome === "refused") return pass
    if (sent === undefined) return finished("answered with tokens, which are sent once, or the code is swept")
    const { code, grant } = sent.found
    return code.consumedAt === undefined && now < code.expiresAt && grant.revokedAt === undefined
      ? pass
      : finished("its code was redeemed, has expired, or was revoked")
  })

/** Sends the error that the request was answered with. */
const errorRules = table<{ readonly answer: AuthorizationAnswer }>("authorize/answered-error").rule(
  "answered.error",
  "RFC 6749 §4.1.2.1",
  ({ answer }) =>
    answer.outcome === "refused" ? refuse(answer.error, answer.description, "a second answer to a request that has ended so") : pass,
)

const sentCode = (
  { waiting: { interaction, handle }, browser }: Answered,
  inquiry: Inquiry,
): Effect.Effect<SentCode | undefined, PortFailed> => {
  const { answer } = interaction
  if (answer?.outcome !== "granted" || answer.code === undefined) return Effect.succeed(undefined)
  const { ports } = inquiry
  return onward(openFor({ handle, browser }, "c", answer.code, inquiry), (code) =>
    mapped(
      findBy(ports, code, ports.tokens.findCode, (row) => row.code.digest),
      (found) => found && { value: writeHandle(code), found },
    ),
  )
}

/** Sends the outcome again. A sign-in made by the same page stays valid; the person's choices on that page have no effect. */
const sendAgain = (params: ReadonlyArray<readonly [string, string]>, { callback, waiting }: Trusted & Resuming): Decision => ({
  _tag: "SendBack",
  callback,
  params,
  tokens: undefined,
  cookies: waiting?.page?.cookies ?? [],
  commands: waiting?.page?.commands ?? [],
})

/** Reports whether a request has already been answered, as after a double click, a lost answer, or many requests at once. */
export const isAnswered = ({ waiting }: Resuming): boolean => waiting?.interaction.finishedAt !== undefined

/** Answers a finished request as it was answered the first time. */
export const answered = where(
  (s: Asking & Loaded & Trusted): s is Answered => isAnswered(s),
  row<Answered, PageRefusal>(refuseByPage)
    .read((s, inquiry) => mapped(sentCode(s, inquiry), (sent) => ({ sent })))
    .judge(answeredRules)
    .judge(errorRules, ({ error, description }, s) =>
      sendAgain(
        [
          ["error", error],
          ["error_description", description],
        ],
        s,
      ),
    )
    .read((s) => new Decided(sendAgain(s.sent === undefined ? [] : [["code", s.sent.value]], s))),
)
