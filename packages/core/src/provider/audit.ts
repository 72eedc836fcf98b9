import type { AuditEvent, AuditEventName, Command, Decision, Given, TokenPlan } from "../model/index.ts"
import { commandsOf, consents, devices, grants, interactions, rowPut, sessions } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"

type Told = Partial<Omit<AuditEvent, "event" | "account" | "at" | "requestId" | "endpoint" | "address">>

const kinds = (tokens: TokenPlan, refreshToken: string | undefined): string =>
  [
    ...(tokens.accessToken === undefined ? [] : ["access_token"]),
    ...(tokens.idToken === undefined ? [] : ["id_token"]),
    ...(refreshToken === undefined ? [] : ["refresh_token"]),
  ].join(" ")

type Meaning = readonly [AuditEventName, Told]

/** The meaning of a change of state to an auditor, by its event; one that is not here is a step on the way. */
const meanings: Readonly<Record<string, (command: Command) => Meaning | undefined>> = {
  SaveSession: (command) =>
    told(rowPut(sessions, command), ({ subject, locator, amr, idp }) => [
      "sign_in",
      { subject, sessionId: locator, detail: [...amr, ...(idp === undefined ? [] : [`idp:${idp}`])].join(" ") },
    ]),
  SignOut: ({ given }) => ["sign_out", { sessionId: text(given["locator"]) }],
  SaveGrant: (command) =>
    told(rowPut(grants, command), ({ id, clientId, subject, sessionId, scope, extension, parentId = "" }) => {
      const detail = extension === undefined ? undefined : `${extension.grantType} ${parentId}`.trimEnd()
      return ["granted", { grantId: id, clientId, subject, sessionId, scope, detail }]
    }),
  RevokeGrant: ({ given }) => ["revoked", { grantId: text(given["id"]) }],
  RevokeGrants: ({ given: { subject, clientId, sessionId } }) => [
    "revoked",
    { subject: text(subject), clientId: text(clientId), sessionId: text(sessionId) },
  ],
  RevokeAccessToken: () => ["revoked", {}],
  SaveConsent: (command) => given(command),
  ReplaceConsent: (command) => given(command),
  RemoveConsent: ({ given: { subject, clientId } }) => ["consent_withdrawn", { subject: text(subject), clientId: text(clientId) }],
  ReplaceInteraction: (command) =>
    told(rowPut(interactions, command), (row) => (row.kind === "authorization" && row.denied ? ["consent_denied", {}] : undefined)),
  ReplaceDevice: (command) =>
    told(rowPut(devices, command), ({ state, clientId, grantId }) => {
      if (state === "approved") return ["device_approved", { clientId, grantId }]
      return state === "denied" ? ["device_denied", { clientId }] : undefined
    }),
}

const told = <Row>(row: Row | undefined, tell: (row: Row) => Meaning | undefined): Meaning | undefined =>
  row === undefined ? undefined : tell(row)

const given = (command: Command): Meaning | undefined =>
  told(rowPut(consents, command), ({ subject, clientId, scope }) => ["consent_given", { subject, clientId, scope }])

const text = (value: Given): string | undefined => (typeof value === "string" ? value : undefined)

const meaning = (command: Command): Meaning | undefined => meanings[command.event]?.(command)

/** Reports whether a sign-in at another provider came to nothing: the person goes on to the sign-in page, which tells them. */
const turnedBack = (decision: Decision): boolean =>
  decision._tag === "Go" &&
  decision.commands.some((command) => {
    const next = command.event === "ReplaceInteraction" ? rowPut(interactions, command) : undefined
    return next?.kind === "upstream" && next.finishedAt !== undefined
  }) &&
  !decision.commands.some(({ event }) => event === "SaveSession")

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
