import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type Decision,
  type AccessHandle,
  type FreshHandle,
  type Grant,
  type Locator,
  type Person,
  type Refusal,
  type Seconds,
  type Secret,
  type Settings,
  type Verification,
  saveGrant,
} from "../../model/index.ts"
import { distinct, refuse, refuseForNow, scopeWords, secretOf } from "../../model/index.ts"
import { type AcrAsked, acrAsked, acrReached } from "../../rules/acr.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { familyOf, firstTokens, keptFor } from "../../rules/firstTokens.ts"
import { askedProvider } from "../../rules/provider.ts"
import { reachable, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { mayHave, scopeForm } from "../../rules/scope.ts"
import { type SectorFault, sectorVerified } from "../../rules/sector.ts"
import { accountOf } from "../../settle/account.ts"
import { passwordBudgets, upstreamBudgets } from "../../settle/budgets.ts"
import { freshAccess, freshHandle, freshLocator, type Inquiry, once } from "../../settle/request.ts"
import { judging, reserve, rightGuess } from "../../settle/reserve.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { subjectFor } from "../../settle/subject.ts"
import { verifyUpstream } from "../../settle/upstreamPassword.ts"
import { defineGrant } from "../../issuance/defineGrant.ts"

interface PasswordRequest {
  readonly username: string | undefined
  readonly password: Secret | undefined
  /** Undefined when no scope was asked for. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  readonly acrValues: string | undefined
}

interface PasswordSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  /** The provider that is to check the password; undefined for our own. */
  readonly provider: string | undefined
  /** Undefined where the request does not come so far as to have its password checked. */
  readonly verification: Verification | undefined
  /** Commands of a right password: its try is not counted. */
  readonly rightGuess: ReadonlyArray<Command>
  readonly namesClient: boolean
  /** The person as the client knows them. */
  readonly sub: string
  /** Why the client is not known to be of its sector. */
  readonly sectorFault: SectorFault | undefined
  readonly grantId: Locator
  readonly accessHandle: AccessHandle
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

const tooMany = (wait: Seconds, reason: string): Refusal =>
  refuseForNow("invalid_grant", "Too many failed attempts. Try again later.", reason, wait)

/** Judges whether another password may be judged, here or at another provider. */
const attemptRules = table<GuessSeen>("token/password/attempts")
  .include(budgetRule("password.account-attempts", "NIST SP 800-63B §3.2.2, RFC 6749 §4.3.2", "account", tooMany))
  .include(budgetRule("password.address-attempts", "NIST SP 800-63B §3.2.2, RFC 6749 §4.3.2", "address", tooMany))

/** The client's sector, then what the authenticator said, of which every refusal reads the same to the client. */
const rules = table<PasswordRequest, PasswordSeen>("token/password", [
  sectorVerified("password"),
  rule("password.source", "specification §1", (_, s) =>
    s.provider !== undefined || s.client.allowLocalLogin
      ? pass
      : refuse("invalid_grant", badCredentials, "the client does not allow a password of ours, and names no provider that it may use"),
  ),
  rule("password.throttled", "RFC 6749 §4.3.2", (_, s) => {
    const said = held(s.verification)
    return said._tag === "Throttled" ? tooMany(said.retryAfter, said.reason) : pass
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

/** Has the password checked: by the authenticator, or by the provider that was asked for, whose person is then admitted. */
const verify = (q: PasswordRequest, provider: string | undefined, asked: AcrAsked, inquiry: Inquiry) => {
  const [username, password] = [held(q.username), held(q.password)]
  if (provider !== undefined) return verifyUpstream(provider, { username, password }, asked.tenant, inquiry)
  const { ports, address } = inquiry
  return ports.authenticator.verify({ username, password, tenant: asked.tenant, acrValues: asked.contexts, address, sentBy: "client" })
}

/** Exchanges a person's password for tokens. */
export const password = defineGrant<PasswordRequest, PasswordSeen>({
  grantType: "password",
  before: formRules,
  during: attemptRules,
  rules,
  parse: (params) => {
    const scope = params.one("scope")
    const sent = params.one("password")
    return {
      username: params.one("username"),
      password: sent === undefined ? undefined : secretOf(sent),
      scope: scope === undefined ? undefined : scopeWords(scope),
      resources: distinct(params.all("resource")),
      acrValues: params.one("acr_values"),
    }
  },
  load: Effect.fnUntraced(function* (q, client, inquiry) {
    const { ports, now, trace } = inquiry
    const { settings } = ports
    const asked = acrAsked(q.acrValues, client)
    const provider = askedProvider(asked, { settings, client }, trace)
    const sectorFault = yield* sectorFaultOf(client, inquiry)
    // No try of a person is spent for a client that gets no subject of theirs.
    const checked = sectorFault === undefined && (provider !== undefined || client.allowLocalLogin)
    const username = held(q.username)
    inquiry.about.account = yield* accountOf(username, inquiry, provider)
    const budgets = provider === undefined ? passwordBudgets(username, undefined, inquiry) : upstreamBudgets(provider, username, inquiry)
    const over = checked ? yield* reserve(attemptRules, yield* budgets, inquiry) : undefined
    if (over !== undefined) return over
    const verification = checked
      ? yield* once(inquiry, "verification", () => judging(verify(q, provider, asked, inquiry), inquiry))
      : undefined
    const subject = verification?._tag === "Verified" ? verification.person.subject : undefined
    inquiry.about.subject = subject
    return {
      settings,
      now,
      client,
      provider,
      verification,
      rightGuess: rightGuess(inquiry),
      namesClient: subject !== undefined && (yield* ports.clients.find(subject)) !== undefined,
      sub: subject === undefined ? "" : yield* subjectFor(client, subject, inquiry),
      sectorFault,
      grantId: freshLocator(inquiry),
      accessHandle: yield* freshAccess(inquiry, client),
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
      acr: acrReached(s.settings, { acr, idp: s.provider }),
      nonce: undefined,
      claims: undefined,
      endsWithSession: false,
      parentId: undefined,
      extension: undefined,
      createdAt: now,
      keepUntil: keptFor(client, now, family),
      revokedAt: undefined,
    }
    const { commands, ...first } = firstTokens({ ...s, grant, person, scope, resources: q.resources, family, sid: undefined })
    return { _tag: "IssueTokens", ...first, commands: [...s.rightGuess, saveGrant(grant), ...commands] }
  },
})
