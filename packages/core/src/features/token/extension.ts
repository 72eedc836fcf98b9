import * as Effect from "effect/Effect"
import type { ExtensionAnswer, ExtensionGrant, OpenedGrant } from "../../extension/index.ts"
import type { Client, Decision, Refusal, Settings } from "../../model/index.ts"
import { refuse } from "../../model/index.ts"
import { PortFailed } from "../../ports/index.ts"
import { tokenPath } from "../../rules/clientAuthentication.ts"
import { judge, pass, rule, table } from "../../rules/rule.ts"
import { resourceForm } from "../../rules/resource.ts"
import { scopeForm } from "../../rules/scope.ts"
import { loadContext } from "../../settle/extension.ts"
import type { Inquiry } from "../../settle/request.ts"
import { answered, loadAnswer } from "./extensionAnswer.ts"
import { answerRules } from "./extensionAnswerRules.ts"
import type { Grant } from "../../issuance/index.ts"

/** What core reads of every request of an extension grant. */
const formRules = table<OpenedGrant, { readonly client: Client; readonly settings: Settings }>("token/extension/form", [
  rule("extension.policy", "RFC 6749 §5.2", (q) =>
    q.policyFault === undefined
      ? pass
      : refuse(
          "unauthorized_client",
          "The client may not use this grant_type.",
          `grant_policies of the client: ${q.policyFault.path.join(".")} ${q.policyFault.reason}`,
        ),
  ),
  scopeForm("extension"),
  resourceForm("extension"),
])

/** The tables that every extension grant's requests meet, beside its own. */
export const extensionTables = [formRules, answerRules] as const

const loaded = (grantType: string, request: OpenedGrant, client: Client, inquiry: Inquiry) =>
  Effect.suspend(() => {
    const found = request.load(loadContext(grantType, tokenPath, client, inquiry))
    if (!("then" in found)) return Effect.succeed(found)
    const failed = (cause: unknown) =>
      cause instanceof PortFailed ? cause : new PortFailed({ port: `extension grant ${grantType}`, operation: "load", cause })
    return Effect.tryPromise({ try: () => Promise.resolve(found), catch: failed })
  })

/** An extension grant as the token endpoint calls it: its own tables, and around them what core holds of every one (RFC 6749 §4.5). */
export const defineExtension = (extension: ExtensionGrant): Grant => ({
  grantType: extension.name,
  repeatable: extension.repeatable,
  tables: extension.tables,
  attempt: Effect.fnUntraced(function* ({ params, client }, inquiry) {
    const { trace, ports } = inquiry
    const refused = (refusal: Refusal): Decision => ({ _tag: "RefuseJson", refusal })
    const request = extension.open(params, client.grantPolicies[extension.name])
    const malformed = request.judgeForm(trace) ?? judge(trace, formRules, request, { client, settings: ports.settings })
    if (malformed !== undefined) return refused(malformed)
    const found = yield* loaded(extension.name, request, client, inquiry)
    const refusal = found.judge(trace)
    if (refusal !== undefined) return refused(refusal)
    const answer: ExtensionAnswer = found.answer()
    inquiry.about.subject = answer.subject
    const seen = yield* loadAnswer(extension.name, answer, client, inquiry)
    const unfit = judge(trace, answerRules, request, seen)
    return unfit === undefined ? answered(extension.name, request, seen) : refused(unfit)
  }),
})
