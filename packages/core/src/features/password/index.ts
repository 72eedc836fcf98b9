import { type Client, type Refusal, type Seconds, type Secret, type Settings, type Verification } from "../../model/index.ts"
import { longestSecret, refuse, refuseForNow, secretOf } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { familyOf, grant, grantRow, issueTokens } from "../../issuance/index.ts"
import { type AcrAsked, acrAsked, acrReached } from "../../rules/acr.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { askedProvider } from "../../rules/provider.ts"
import { reachable, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { askedScope, mayHave, scopeAllowed, scopeForm } from "../../rules/scope.ts"
import { type SectorFault, sectorVerified } from "../../rules/sector.ts"
import { accountOf } from "../../settle/account.ts"
import { passwordBudgets } from "../../settle/budgets.ts"
import { refuseJson } from "../../settle/programs.ts"
import { type Inquiry, once } from "../../settle/request.ts"
import { judging, reserved, rightGuess } from "../../settle/reserve.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { upstreamBudgets, verifyUpstream } from "./upstream.ts"

interface PasswordRequest {
  readonly settings: Settings
  readonly client: Client
  readonly username: string | undefined
  readonly password: Secret | undefined
  /** Undefined if no scope was requested. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
}

const badCredentials = "The username or password is not right."

/** Every scope that the client is explicitly allowed (specification §4 rule 8). */
const allowedScope = ({ client, settings }: Pick<PasswordRequest, "client" | "settings">): ReadonlyArray<string> =>
  client.scope.filter((name) => mayHave(settings, client, name))

/** Resource owner password credentials grant: RFC 6749 §4.3, specification §4 rule 5. Off by default, enabled per client. */
const formRules = table<PasswordRequest>("token/password/form")
  .present("password.username-present", "RFC 6749 §4.3.2, specification §4 rule 5", "username", () =>
    refuse("invalid_request", "The username is missing."),
  )
  .present("password.password-present", "RFC 6749 §4.3.2, specification §4 rule 5", "password", () =>
    refuse("invalid_request", "The password is missing."),
  )
  .rule("password.length", "NIST SP 800-63B §3.1.1.2", (s) =>
    s.password.reveal().length <= longestSecret
      ? pass
      : refuse("invalid_grant", badCredentials, `a password longer than ${longestSecret} characters`),
  )
  .include(scopeForm("password"))
  .include(scopeAllowed("password"))
  .include(resourceForm("password"))
  .include(resourceAmong("password", "RFC 8707 §2.2", (s) => reachable(s.settings.catalog, s.scope ?? s.client.scope)))
  .rule("password.scope-some", "specification §2.2 scope", (s) =>
    s.scope === undefined && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has none")
      : pass,
  )

interface Source {
  readonly client: Client
  /** The provider that checks the password; undefined for this one. */
  readonly provider: string | undefined
  /** The reason that the client is not known to belong to its sector. */
  readonly sectorFault: SectorFault | undefined
}

/** Judges whether a password may be checked at all, so that no attempt is counted for a client that cannot get a subject. */
const sourceRules = table<Source>("token/password/source")
  .include(sectorVerified("password"))
  .rule("password.source", "specification §1", (s) =>
    s.provider !== undefined || s.client.allowLocalLogin
      ? pass
      : refuse("invalid_grant", badCredentials, "the client does not allow a password of ours, and names no provider that it may use"),
  )

const tooMany = (wait: Seconds, reason: string): Refusal =>
  refuseForNow("invalid_grant", "Too many failed attempts. Try again later.", reason, wait)

/** Judges whether another password may be checked, here or at another provider. */
const attemptRules = table<GuessSeen>("token/password/attempts")
  .include(budgetRule("password.account-attempts", "NIST SP 800-63B §3.2.2, RFC 6749 §4.3.2", "account", tooMany))
  .include(budgetRule("password.address-attempts", "NIST SP 800-63B §3.2.2, RFC 6749 §4.3.2", "address", tooMany))

/** The authenticator's verdict. */
interface Checked {
  readonly verification: Verification
  /** True if the person's subject is also a client_id. */
  readonly namesClient: boolean
}

/** Judges the authenticator's verdict. Every refusal reads the same to the client. */
const rules = table<Checked>("token/password")
  .rule("password.throttled", "RFC 6749 §4.3.2", ({ verification: said }) =>
    said._tag === "Throttled" ? tooMany(said.retryAfter, said.reason) : pass,
  )
  .establish("password.verified", "RFC 6749 §4.3.2", ({ verification: said }) =>
    said._tag === "Verified" ? prove({ verified: said }) : refuse("invalid_grant", badCredentials, said.reason),
  )
  .rule("password.person-active", "RFC 6749 §5.2", (s) =>
    s.verified.person.active ? pass : refuse("invalid_grant", badCredentials, "the person is disabled"),
  )
  .rule("password.apart-from-clients", "RFC 9700 §4.15", (s) =>
    s.namesClient
      ? refuse("invalid_grant", badCredentials, "the person's subject is also a client_id; tokens of the two could be confused")
      : pass,
  )

interface Tried {
  readonly username: string
  readonly password: Secret
  readonly provider: string | undefined
  readonly asked: AcrAsked
}

/** Checks the password with the authenticator, or with the requested provider, whose person is then admitted. */
const verify = ({ username, password: secret, provider, asked }: Tried, inquiry: Inquiry) => {
  const sent = { username, password: secret }
  if (provider !== undefined) return verifyUpstream(provider, sent, asked.tenant, inquiry)
  const { ports, address } = inquiry
  return ports.authenticator.verify({ ...sent, tenant: asked.tenant, acrValues: asked.contexts, address, sentBy: "client" })
}

/** Exchanges a person's password for tokens. */
export const password = grant(
  "password",
  grantRow
    .read(({ params }) => {
      const secret = params.one("password")
      return { username: params.one("username"), password: secret === undefined ? undefined : secretOf(secret), scope: askedScope(params) }
    })
    .judge(formRules)
    .read(({ params, client, settings }, inquiry) => {
      const asked = acrAsked(params.one("acr_values"), client)
      const provider = askedProvider(asked, { settings, client }, inquiry.trace)
      return together({ asked, provider, sectorFault: sectorFaultOf(client, inquiry) })
    })
    .judge(sourceRules)
    .read(({ username, provider }, inquiry) => mapped(accountOf(username, inquiry, provider), (account) => ({ about: { account } })))
    .through(
      reserved(
        attemptRules,
        ({ username, provider }: Tried, inquiry) =>
          provider === undefined ? passwordBudgets(username, undefined, inquiry) : upstreamBudgets(provider, username, inquiry),
        refuseJson,
      ),
    )
    .read((seen, inquiry) =>
      onward(
        once(inquiry, "verification", () => judging(verify(seen, inquiry), inquiry)),
        (verification) => {
          const subject = verification._tag === "Verified" ? verification.person.subject : undefined
          const { clients } = inquiry.ports
          const namesClient = subject === undefined ? false : mapped(clients.find(subject), (client) => client !== undefined)
          return together({ verification, namesClient, about: { subject } })
        },
      ),
    )
    .judge(rules)
    .decide(({ client, settings, provider, verified, resources, now, ...s }, inquiry) => {
      const { person, amr, acr } = verified
      const scope = s.scope ?? allowedScope({ client, settings })
      return issueTokens(
        {
          client,
          whose: {
            _tag: "NewGrant",
            person,
            basis: { resources, authTime: now, amr, acr: acrReached(settings, { acr, idp: provider }) },
          },
          scope,
          resources,
          accessToken: true,
          idToken: { nonce: undefined },
          family: familyOf(client, scope, now),
          changes: rightGuess(inquiry),
        },
        inquiry,
      )
    }),
)
