import * as Effect from "effect/Effect"
import type { Client, Decision, FreshHandle, Grant, Locator, Person, Secret, Settings, Verification } from "../../../model/index.ts"
import { refuse, refuseForNow, scopeWords, secretOf } from "../../../model/index.ts"
import { acrWord } from "../../../rules/acr.ts"
import { familyOf, firstTokens, keptFor } from "../../../rules/firstTokens.ts"
import { reachable, resourceAmong, resourceForm } from "../../../rules/resource.ts"
import { held, pass, rule, table } from "../../../rules/rule.ts"
import { mayHave, scopeForm } from "../../../rules/scope.ts"
import { freshHandle, freshLocator } from "../../../settle/request.ts"
import { subjectFor } from "../../../settle/subject.ts"
import { defineGrant } from "../grant.ts"

interface PasswordRequest {
  readonly username: string | undefined
  readonly password: Secret | undefined
  /** Undefined when no scope was asked for. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  readonly tenant: string | undefined
}

interface PasswordSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  /** Undefined where the request does not come so far as to have its password checked. */
  readonly verification: Verification | undefined
  readonly namesClient: boolean
  /** The person as the client knows them. */
  readonly sub: string
  readonly grantId: Locator
  readonly accessHandle: FreshHandle
  readonly refreshHandle: FreshHandle
}

/** The longest password that is looked at; hashing longer ones would be work for nothing. */
const longestPassword = 1024

const badCredentials = "The username or password is not right."

/** Every scope the client is explicitly allowed (specification §4 rule 8). */
const allowedScope = ({ client, settings }: Pick<PasswordSeen, "client" | "settings">): ReadonlyArray<string> =>
  client.scope.filter((name) => mayHave(settings, client, name))

/** Resource owner password credentials grant: RFC 6749 §4.3, specification §4 rule 5. Off for a client until it is given. */
const formRules = table<PasswordRequest, { readonly client: Client; readonly settings: Settings }>("token/password/form", [
  rule("password.username-present", "RFC 6749 §4.3.2, specification §4 rule 5", (q) =>
    q.username === undefined ? refuse("invalid_request", "The username is missing.") : pass,
  ),
  rule("password.password-present", "RFC 6749 §4.3.2, specification §4 rule 5", (q) =>
    q.password === undefined ? refuse("invalid_request", "The password is missing.") : pass,
  ),
  rule("password.length", "NIST SP 800-63B §3.1.1.2", (q) =>
    held(q.password).reveal().length <= longestPassword
      ? pass
      : refuse("invalid_grant", badCredentials, `a password longer than ${longestPassword} characters`),
  ),
  scopeForm("password"),
  rule("password.scope-allowed", "RFC 6749 §3.3", (q, s) =>
    (q.scope ?? []).every((name) => mayHave(s.settings, s.client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "asked for a scope outside the client's own"),
  ),
  resourceForm("password"),
  resourceAmong("password", "RFC 8707 §2.2", (q, s) => reachable(s.settings.catalogue, q.scope ?? s.client.scope)),
  rule("password.scope-some", "specification §2.2 scope", (q, s) =>
    q.scope === undefined && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has none")
      : pass,
  ),
])

/** What the authenticator said; every refusal reads the same to the client. */
const rules = table<PasswordRequest, PasswordSeen>("token/password", [
  rule("password.throttled", "RFC 6749 §4.3.2", (_, s) => {
    const said = held(s.verification)
    return said._tag === "Throttled"
      ? refuseForNow("invalid_grant", "Too many failed attempts. Try again later.", said.reason, said.retryAfter)
      : pass
  }),
  rule("password.verified", "RFC 6749 §4.3.2", (_, s) => {
    const said = held(s.verification)
    return said._tag === "Rejected" ? refuse("invalid_grant", badCredentials, said.reason) : pass
  }),
  rule("password.person-active", "RFC 6749 §5.2", (_, s) =>
    personOf(s).active ? pass : refuse("invalid_grant", badCredentials, "the person is disabled"),
  ),
  rule("password.apart-from-clients", "RFC 9700 §4.15", (_, s) =>
    s.namesClient
      ? refuse("invalid_grant", badCredentials, "the person's subject is also a client_id; tokens of the two could be confused")
      : pass,
  ),
])

const verified = ({ verification }: PasswordSeen): Extract<Verification, { _tag: "Verified" }> => {
  if (verification?._tag !== "Verified") throw new Error("a password grant went on that was not verified")
  return verification
}
const personOf = (s: PasswordSeen): Person => verified(s).person

/** Exchanges a person's password for tokens. */
export const password = defineGrant<PasswordRequest, PasswordSeen>({
  grantType: "password",
  before: formRules,
  rules,
  parse: (params) => {
    const scope = params.one("scope")
    const sent = params.one("password")
    return {
      username: params.one("username"),
      password: sent === undefined ? undefined : secretOf(sent),
      scope: scope === undefined ? undefined : scopeWords(scope),
      resources: [...new Set(params.all("resource"))],
      tenant: acrWord(params.one("acr_values"), "tenant:"),
    }
  },
  load: Effect.fnUntraced(function* (q, client, inquiry) {
    const { ports, now } = inquiry
    const verification =
      inquiry.about.verification ??
      (yield* ports.authenticator.verify({
        username: held(q.username),
        password: held(q.password),
        tenant: q.tenant,
        acrValues: [],
        address: inquiry.address,
      }))
    inquiry.about.verification = verification
    const subject = verification._tag === "Verified" ? verification.person.subject : undefined
    inquiry.about.subject = subject
    return {
      settings: ports.settings,
      now,
      client,
      verification,
      namesClient: subject !== undefined && (yield* ports.clients.find(subject)) !== undefined,
      sub: subject === undefined ? "" : yield* subjectFor(client, subject, inquiry),
      grantId: freshLocator(inquiry),
      accessHandle: yield* freshHandle(inquiry, "a"),
      refreshHandle: yield* freshHandle(inquiry, "r"),
    }
  }),
  grant: (q, s): Decision => {
    const { now, client } = s
    const { person, amr, acr } = verified(s)
    const scope = q.scope ?? allowedScope(s)
    const family = familyOf(client, scope, now)
    const grant: Grant = {
      id: s.grantId,
      clientId: client.clientId,
      subject: person.subject,
      sub: s.sub,
      sessionId: undefined,
      scope,
      resources: q.resources,
      authTime: now,
      amr,
      acr,
      nonce: undefined,
      claims: undefined,
      endsWithSession: false,
      parentId: undefined,
      extension: undefined,
      createdAt: now,
      keepUntil: keptFor(client, now, family),
      revokedAt: undefined,
    }
    const { commands, ...first } = firstTokens({ ...s, grant, person, scope, resources: q.resources, family })
    return { _tag: "IssueTokens", ...first, commands: [{ _tag: "SaveGrant", grant }, ...commands] }
  },
})
