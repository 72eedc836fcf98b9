import type { AuditMeaning, Feature } from "../features/feature.ts"
import { onceFor } from "./composition.ts"
import type { AuditEvent, Command, Decision, Given, TokenPlan } from "../model/index.ts"
import { commandsOf, grants, rowPut, sessions } from "../model/index.ts"
import { typesTold } from "../rules/details/index.ts"
import type { Inquiry } from "../settle/request.ts"

/** The kind of an access token in audit events. For a grant for another server, it includes the audience. */
const accessKind = (plan: NonNullable<TokenPlan["accessToken"]>): string =>
  plan._tag === "Grant" ? `authorization_grant:${plan.audience}` : "access_token"

const kinds = (tokens: TokenPlan, refreshToken: string | undefined): string =>
  [
    ...(tokens.accessToken === undefined ? [] : [accessKind(tokens.accessToken)]),
    ...(tokens.idToken === undefined ? [] : ["id_token"]),
    ...(refreshToken === undefined ? [] : ["refresh_token"]),
  ].join(" ")

/** The audit events of changes that no single feature makes, by row event. */
const shared: NonNullable<Feature["audit"]> = {
  SaveSession: (command) => {
    const row = rowPut(sessions, command)
    if (row === undefined) return undefined
    const { subject, locator, amr, idp } = row
    return ["sign_in", { subject, sessionId: locator, detail: [...amr, ...(idp === undefined ? [] : [`idp:${idp}`])].join(" ") }]
  },
  SignOut: ({ given }) => ["sign_out", { sessionId: text(given["locator"]), subject: text(given["subject"]) }],
  SaveGrant: (command) => {
    const row = rowPut(grants, command)
    if (row === undefined) return undefined
    const { id, clientId, subject, sessionId, scope, extension, parentId = "" } = row
    const detail = extension === undefined ? undefined : `${extension.grantType} ${parentId}`.trimEnd()
    return [
      "granted",
      { grantId: id, clientId, subject, sessionId, scope, authorizationDetails: typesTold(row.authorizationDetails), detail },
    ]
  },
  RevokeGrant: ({ given }) => ["revoked", { grantId: text(given["id"]) }],
  RevokeGrants: ({ given: { subject, clientId, sessionId } }) => [
    "revoked",
    { subject: text(subject), clientId: text(clientId), sessionId: text(sessionId) },
  ],
  RevokeAccessToken: () => ["revoked", {}],
}

const text = (value: Given): string | undefined => (typeof value === "string" ? value : undefined)

/** Reports whether a sign-in at another provider failed. The person then returns to the sign-in page, which shows the reason. */
const turnedBack = (decision: Decision): boolean =>
  decision._tag === "Go" &&
  decision.commands.some(({ event }) => event === "FinishUpstream") &&
  !decision.commands.some(({ event }) => event === "SaveSession")

/** Reports whether a decision is a refusal for auditors. The errors that a polling device receives while it waits do not count. */
const isRefusal = (decision: Decision): boolean => {
  if ("refusal" in decision) return decision.refusal.error !== "authorization_pending" && decision.refusal.error !== "slow_down"
  if (decision._tag === "SendBack") return decision.params.some(([name]) => name === "error")
  if (decision._tag === "Go") return turnedBack(decision)
  const problem = decision._tag === "Show" && decision.page._tag === "Login" ? decision.page.problem : undefined
  // A failure at another provider was audited when it happened.
  return problem !== undefined && !problem.startsWith("upstream_")
}

/** Converts decisions into audit events. */
export interface Auditing {
  /** Reports whether a committed decision has audit events. */
  readonly isAudited: (decision: Decision) => boolean
  /** Returns the audit events of a committed decision. */
  readonly auditOf: (decision: Decision, endpoint: string, inquiry: Inquiry) => ReadonlyArray<AuditEvent>
}

/** Returns the audit functions of a provider with these features. */
export const auditing = onceFor(({ features, signInRules: ids }): Auditing => {
  const meanings: NonNullable<Feature["audit"]> = Object.assign({}, shared, ...features.map((each) => each.audit ?? {}))
  const signInRules = new Set(ids)
  const meaning = (command: Command): AuditMeaning | undefined => meanings[command.event]?.(command)
  const isAudited = (decision: Decision): boolean =>
    "tokens" in decision || commandsOf(decision).some((command) => meaning(command) !== undefined) || isRefusal(decision)
  const auditOf: Auditing["auditOf"] = (decision, endpoint, inquiry) => {
    const { about, address, now, requestId, trace } = inquiry
    const event = (...[name, told]: AuditMeaning): AuditEvent => ({
      event: name,
      at: now,
      requestId,
      endpoint,
      address,
      clientId: told.clientId ?? about.clientId,
      subject: told.subject ?? about.subject,
      account: name === "sign_in" || name === "sign_in_failed" ? about.account : undefined,
      sessionId: told.sessionId,
      grantId: told.grantId,
      scope: told.scope,
      ...(told.authorizationDetails === undefined ? {} : { authorizationDetails: told.authorizationDetails }),
      detail: told.detail,
    })
    const changes = commandsOf(decision).flatMap((command) => {
      const meant = meaning(command)
      return meant === undefined ? [] : [event(...meant)]
    })
    const tokens = "tokens" in decision ? decision.tokens : undefined
    const refreshToken = decision._tag === "IssueTokens" ? decision.refreshToken : undefined
    const issued =
      tokens === undefined
        ? []
        : [
            event("token_issued", {
              scope: tokens.scope,
              authorizationDetails: typesTold(tokens.authorizationDetails),
              detail: kinds(tokens, refreshToken),
            }),
          ]
    if (!isRefusal(decision)) return [...changes, ...issued]
    const last = trace.steps.findLast(({ objection }) => objection !== undefined)
    const rule = last?.table.rules[last.passed]?.id
    return [...changes, event(rule !== undefined && signInRules.has(rule) ? "sign_in_failed" : "refused", { detail: rule })]
  }
  return { isAudited, auditOf }
})
