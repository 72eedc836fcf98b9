import { type Client, type Person, type Refusal, type Seconds, refuse, refuseForNow, secretOf } from "../../model/index.ts"
import { aVerdict } from "../../ports/due.ts"
import { whenRunWithin } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { pass, table } from "../../rules/rule.ts"
import { personCodeBudgets } from "./codeBudgets.ts"
import { refuseJson } from "../../settle/programs.ts"
import type { Inquiry } from "../../settle/request.ts"
import { judging, reserved, rightGuess } from "../../settle/reserve.ts"
import { row } from "../../settle/stage.ts"
import type { Params } from "../../wire/index.ts"
import type { CibaSettings } from "./options.ts"

/** A request of a client that sends user codes. */
interface CodeAsked {
  readonly client: Client
  readonly params: Params
  readonly person: Person
}

/** Judges whether a code was sent (CIBA Core §7.1, §13). */
const sentRules = table<{ readonly userCode: string | undefined }>("backchannel-authentication/user-code-sent").present(
  "ciba.user-code-present",
  "CIBA Core §7.1, §13",
  "userCode",
  () => refuse("missing_user_code", "The user_code is missing."),
)

const tooMany = (wait: Seconds, reason: string): Refusal =>
  refuseForNow("temporarily_unavailable", "Too many user codes were tried.", reason, wait)

/** Judges whether this client, or any client, may try another code for this person. */
const attemptRules = table<GuessSeen>("backchannel-authentication/user-code-attempts")
  .include(budgetRule("ciba.user-code-attempts", "CIBA Core §14, NIST SP 800-63B §3.2.2", "client", tooMany))
  .include(budgetRule("ciba.user-code-person-attempts", "CIBA Core §14, NIST SP 800-63B §3.2.2", "account", tooMany))

/** Judges the result of the check of a code. */
const codeRules = table<{ readonly isRight: boolean }>("backchannel-authentication/user-code").rule(
  "ciba.user-code",
  "CIBA Core §7.1, §13",
  ({ isRight }) => (isRight ? pass : refuse("invalid_user_code", "The user_code is not valid.", "not the code of this person")),
)

/** Judges the user code of a request, and counts the guess before it is judged (CIBA Core §7.1). */
export const userCodeOf = ({ checkUserCode = () => false }: CibaSettings) => {
  const checked = (subject: string, code: string, { ports }: Pick<Inquiry, "ports">) => {
    const asking = whenRunWithin(ports.patience)("ciba", "checkUserCode", () => checkUserCode(subject, secretOf(code)), aVerdict)()
    // A record must not contain the code, so it has only the question about one for each request.
    return ports.serviceAsked === undefined ? asking : ports.serviceAsked("ciba", "checkUserCode", [subject], asking)
  }
  return row<CodeAsked>(refuseJson)
    .read(({ params }) => ({ userCode: params.one("user_code") }))
    .judge(sentRules)
    .through(
      reserved(
        attemptRules,
        ({ client, person }: CodeAsked, inquiry) => personCodeBudgets(client.clientId, person.subject, inquiry),
        refuseJson,
      ),
    )
    .read(({ person, userCode }, inquiry) =>
      mapped(judging(checked(person.subject, userCode, inquiry), inquiry), (isRight) => ({ isRight })),
    )
    .judge(codeRules)
    .read((_, inquiry) => ({ changes: rightGuess(inquiry) }))
}
