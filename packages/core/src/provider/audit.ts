import type { AuditEvent, AuditEventName, Command, Decision, TokenPlan } from "../model/index.ts"
import { commandsOf } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"

type Told = Partial<Omit<AuditEvent, "event" | "account" | "at" | "requestId" | "endpoint" | "address">>

const kinds = (tokens: TokenPlan, refreshToken: string | undefined): string =>
  [
    ...(tokens.accessToken === undefined ? [] : ["access_token"]),
    ...(tokens.idToken === undefined ? [] : ["id_token"]),
    ...(refreshToken === undefined ? [] : ["refresh_token"]),
  ].join(" ")

/** What a change of state means to an auditor; undefined for what is a step on the way. */
const meaning = (command: Command): readonly [AuditEventName, Told] | undefined => {
  switch (command._tag) {
    case "SaveSession": {
      const { subject, locator, amr, idp } = command.session
      return ["sign_in", { subject, sessionId: locator, detail: [...amr, ...(idp === undefined ? [] : [`idp:${idp}`])].join(" ") }]
    }
    case "EndSession":
      return command.grants ? ["sign_out", { sessionId: command.locator }] : undefined
    case "SaveGrant": {
      const { id, clientId, subject, sessionId, scope, extension, parentId = "" } = command.grant
      const detail = extension === undefined ? undefined : `${extension.grantType} ${parentId}`.trimEnd()
      return ["granted", { grantId: id, clientId, subject, sessionId, scope, detail }]
    }
    case "RevokeGrant":
      return ["revoked", { grantId: command.grantId }]
    case "RevokeGrants":
      return ["revoked", { subject: command.subject, clientId: command.clientId, sessionId: command.sessionId }]
    case "RevokeAccessToken":
      return ["revoked", {}]
    case "SaveConsent": {
      const { subject, clientId, scope } = command.consent
      return ["consent_given", { subject, clientId, scope }]
    }
    case "RemoveConsent":
      return ["consent_withdrawn", { subject: command.subject, clientId: command.clientId }]
    case "ReplaceInteraction":
      return command.interaction.denied ? ["consent_denied", {}] : undefined
    case "ReplaceDevice": {
      const { state, clientId, grantId } = command.device
      if (state === "approved") return ["device_approved", { clientId, grantId }]
      return state === "denied" ? ["device_denied", { clientId }] : undefined
    }
    default:
      return undefined
  }
}

/** Reports whether a sign-in at another provider came to nothing: the person goes on to the sign-in page, which tells them. */
const turnedBack = (decision: Decision): boolean =>
  decision._tag === "Go" &&
  decision.commands.some(
    (command) =>
      command._tag === "ReplaceInteraction" &&
      command.interaction.finishedAt !== undefined &&
      command.interaction.params.some(([name]) => name === "idp"),
  ) &&
  !decision.commands.some(({ _tag }) => _tag === "SaveSession")

/** Reports whether a decision says no. What a device is told while it waits is no refusal that anybody looks for. */
const isRefusal = (decision: Decision): boolean => {
  if ("refusal" in decision) return decision.refusal.error !== "authorization_pending" && decision.refusal.error !== "slow_down"
  if (decision._tag === "SendBack") return decision.params.some(([name]) => name === "error")
  if (decision._tag === "Go") return turnedBack(decision)
  const problem = decision._tag === "Show" && decision.page._tag === "Login" ? decision.page.problem : undefined
  // What went wrong at another provider was told when it did.
  return problem !== undefined && !problem.startsWith("upstream_")
}

/** The rules that tell a wrong password, a throttled person, or a sign-in elsewhere that does not count. */
const signInRules: ReadonlySet<string> = new Set([
  "login.device-attempts",
  "login.account-attempts",
  "login.address-attempts",
  "login.throttled",
  "login.verified",
  "login.person-active",
  "password.account-attempts",
  "password.address-attempts",
  "password.throttled",
  "password.verified",
  "password.person-active",
  "upstream.identified",
  "upstream.fresh",
  "upstream.admitted",
  "upstream.person-active",
])

/** Reports whether there is anything to tell of a decision that stands. */
export const isAudited = (decision: Decision): boolean =>
  "tokens" in decision || commandsOf(decision).some((command) => meaning(command) !== undefined) || isRefusal(decision)

/** What a decision that stands comes to, in an auditor's words. */
export const auditOf = (decision: Decision, endpoint: string, inquiry: Inquiry): ReadonlyArray<AuditEvent> => {
  const { about, address, now, requestId, trace } = inquiry
  const event = (name: AuditEventName, told: Told): AuditEvent => ({
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
    detail: told.detail,
  })
  const changes = commandsOf(decision).flatMap((command) => {
    const meant = meaning(command)
    return meant === undefined ? [] : [event(...meant)]
  })
  const tokens = "tokens" in decision ? decision.tokens : undefined
  const refreshToken = decision._tag === "IssueTokens" ? decision.refreshToken : undefined
  const issued = tokens === undefined ? [] : [event("token_issued", { scope: tokens.scope, detail: kinds(tokens, refreshToken) })]
  if (!isRefusal(decision)) return [...changes, ...issued]
  const last = trace.steps.findLast(({ objection }) => objection !== undefined)
  const rule = last?.table.rules[last.passed]?.id
  return [...changes, event(rule !== undefined && signInRules.has(rule) ? "sign_in_failed" : "refused", { detail: rule })]
}
