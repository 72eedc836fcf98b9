import * as Effect from "effect/Effect"
import type { ExtensionGrant, OpenedGrant } from "../../extension/index.ts"
import { type Client, type Refusal, refuse } from "../../model/index.ts"
import { type Grant, grant, grantRow, issueTokens } from "../../issuance/index.ts"
import { PortFailed, within } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { tokenPath } from "../../rules/clientAuthentication.ts"
import { resourceForm } from "../../rules/resource.ts"
import { type RuleTable, type Tracing, pass, table } from "../../rules/rule.ts"
import { askedScope, scopeForm } from "../../rules/scope.ts"
import { refuseJson } from "../../settle/programs.ts"
import type { Inquiry } from "../../settle/request.ts"
import { type Stage, decided } from "../../settle/stage.ts"
import { issuanceOf, loadAnswer } from "./answer.ts"
import { answerRules } from "./answerRules.ts"
import { loadContext } from "./context.ts"

interface FormSeen {
  readonly opened: OpenedGrant
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
}

/** Judges the parameters that core reads in every request of an extension grant. */
const formRules = table<FormSeen>("token/extension/form")
  .rule("extension.policy", "RFC 6749 §5.2", ({ opened: { policyFault } }) =>
    policyFault === undefined
      ? pass
      : refuse(
          "unauthorized_client",
          "The client may not use this grant_type.",
          `grant_policies of the client: ${policyFault.path.join(".")} ${policyFault.reason}`,
        ),
  )
  .include(scopeForm("extension"))
  .include(resourceForm("extension"))

/** The tables that judge the requests of every extension grant, in addition to its own. */
export const extensionTables = [formRules, answerRules] as const

/** A stage whose table has types that only the extension grant knows. */
const judgedBy = <In extends object>(
  tables: ReadonlyArray<RuleTable>,
  judge: (seen: In, trace: Tracing) => Refusal | undefined,
): Stage<In, In> => ({
  tables,
  run: (seen, inquiry) => {
    const refusal = judge(seen, inquiry.trace)
    return refusal === undefined ? Effect.succeed(seen) : decided(refuseJson(refusal))
  },
})

const loaded = (grantType: string, { load }: OpenedGrant, client: Client, inquiry: Inquiry) =>
  Effect.suspend(() => {
    const found = load(loadContext(grantType, tokenPath, client, inquiry))
    if (!("then" in found)) return Effect.succeed(found)
    // If a port that the grant called has failed, that failure is reported.
    return Effect.mapError(within(inquiry.ports.patience, `extension grant ${grantType}`, "load", found), (failed) =>
      failed.cause instanceof PortFailed ? failed.cause : failed,
    )
  })

/** Makes a token endpoint grant of an extension grant: its own tables, with the rules that core applies to every one (RFC 6749 §4.5). */
export const defineExtension = ({ name, repeatable, tables, open, takes }: ExtensionGrant): Grant => {
  const own = tables.at(-1)
  const defined = grant(
    name,
    grantRow
      .read(({ params, client }) => ({ opened: open(params, client.grantPolicies[name]), scope: askedScope(params) }))
      .through(judgedBy(tables.slice(0, -1), ({ opened }: FormSeen, trace) => opened.judgeForm(trace)))
      .judge(formRules)
      .read(({ opened, client }, inquiry) => mapped(loaded(name, opened, client, inquiry), (found) => ({ found })))
      .through(judgedBy(own === undefined ? [] : [own], ({ found }, trace) => found.judge(trace)))
      .read(({ found, client }, inquiry) => loadAnswer(name, found.answer(), client, inquiry))
      .judge(answerRules)
      .decide((s, inquiry) => issueTokens(issuanceOf(name, s), inquiry, s.answer.issuedTokenType)),
    repeatable,
  )
  return takes === undefined ? defined : { ...defined, takes }
}
