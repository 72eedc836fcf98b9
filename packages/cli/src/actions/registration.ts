import {
  type InitialAccessTokenRow,
  type RegisteredClientRow,
  type RegistrationOptions,
  type RegistrationPolicy,
  cleanClient,
  initialAccessToken,
  initialAccessTokens,
  registeredClients,
  revokeInitialAccessToken,
} from "@postern/core"
import type { JsonObject } from "@postern/core/model"
import type { Stores } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import { promised, stoppable, turn, whole } from "../action.ts"
import { policyFindings } from "../config/rules/registration.ts"
import { inShell } from "../config/shell.ts"
import type { Setup } from "../config/setup.ts"
import type { Whereabouts } from "../data/place.ts"
import { completing, interrupted, withStores } from "../data/stores.ts"
import { failed, misused } from "../failure.ts"
import { judgedMetadata, registrationRules } from "../registration/judged.ts"
import { readMember } from "../registration/member.ts"
import { moment, printable, say, sayJson, showOnce, styled, table } from "../terminal/output.ts"

interface Here extends Whereabouts {
  readonly json: boolean
}

/** Calls `use` if dynamic client registration is enabled; fails otherwise. */
const registering = <A>(
  whereabouts: Whereabouts,
  use: (stores: Stores, setup: Setup, options: RegistrationOptions) => Promise<A>,
): Promise<A> =>
  withStores(whereabouts, true, async (stores, { setup }) => {
    if (setup?.registration === undefined)
      throw failed(
        "clients cannot register themselves here",
        'add "registration": {} to the configuration, and name it with --config FILE: see docs/clients.md',
      )
    return use(stores, setup, setup.registration)
  })

/** The parameters of `postern registration tokens add`. */
export interface NewToken extends Here {
  readonly name: string
  readonly uses: number | undefined
  readonly days: number | undefined
  readonly redirectHosts: ReadonlyArray<string>
  readonly scope: string | undefined
  readonly grantTypes: ReadonlyArray<string>
  readonly metadata: ReadonlyArray<string>
}

/** Returns the limits set by options, or undefined if there are none. */
const policyOf = ({ redirectHosts, scope, grantTypes, metadata }: NewToken): RegistrationPolicy | undefined => {
  const policy = {
    ...(redirectHosts.length === 0 ? {} : { redirectHosts }),
    ...(scope === undefined ? {} : { scope: scope.split(" ").filter((word) => word !== "") }),
    ...(grantTypes.length === 0 ? {} : { grantTypes }),
    // The values were parsed from JSON.
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata.map(readMember)) as JsonObject }),
  }
  return Object.keys(policy).length === 0 ? undefined : policy
}

/** The options whose values core judges one by one. */
const options: Readonly<Record<string, string>> = { redirectHosts: "--redirect-host", scope: "--scope", grantTypes: "--grant-type" }

/** Throws the first fault that core finds in a policy, in the words of the command. Throws anything else again. */
const refusedPolicy = (error: unknown): never => {
  const [, name = "", message = "", hint] =
    /policy\.(\w+)\[\d+\]: (.*?), and (must be .*)/.exec(error instanceof TypeError ? error.message : "") ?? []
  throw name === "" ? error : misused(`${options[name] ?? name}: ${message}`, `it ${hint}`)
}

/** Creates an initial access token, which is shown only once. */
export const addToken = whole(async (asked: NewToken) =>
  registering(asked, async (stores, { features }) => {
    const policy = policyOf(asked)
    const [wrong] = policyFindings(policy ?? {}, features)
    if (wrong !== undefined) {
      const [member, ...rest] = wrong.path
      throw misused(`${member === "metadata" ? `--metadata: ${rest.join(".")}` : "--grant-type"} ${wrong.message}`, wrong.hint)
    }
    const expiresAt = asked.days === undefined ? undefined : systemClock() + asked.days * 86_400
    const made = await initialAccessToken({ name: asked.name, policy, mostUses: asked.uses, expiresAt }, Date.now()).catch(refusedPolicy)
    await stores.tokens.commit([made.command])
    stores.audit.record(() => [{ event: "registration_token_added", at: systemClock(), detail: made.row.locator }])
    showOnce({
      made: `the initial access token ${made.row.locator} was created, and its value, which is shown only once, is lost`,
      remedy: `revoke it, and create another: postern registration tokens revoke ${inShell(made.row.locator)}`,
    })
    if (asked.json) return sayJson({ ...shownToken(made.row), initial_access_token: made.value })
    say(`${styled("green", "✓")} created the initial access token ${made.row.locator}`)
    say(`\n  initial_access_token  ${styled("bold", made.value)}\n`)
    say("  It is shown only once; only its hash is kept.")
  }),
)

const shownToken = ({ locator, name, policy, uses, mostUses, createdAt, expiresAt, revokedAt }: InitialAccessTokenRow): object => ({
  id: locator,
  name,
  uses,
  most_uses: mostUses === 0 ? null : mostUses,
  created_at: createdAt,
  expires_at: expiresAt === 0 ? null : expiresAt,
  revoked_at: revokedAt ?? null,
  policy: policy ?? null,
})

const stateOf = ({ revokedAt, expiresAt, uses, mostUses }: InitialAccessTokenRow): string => {
  if (revokedAt !== undefined) return `revoked ${moment(revokedAt)}`
  if (expiresAt !== 0 && expiresAt <= systemClock()) return `ended ${moment(expiresAt)}`
  if (mostUses !== 0 && uses >= mostUses) return "used up"
  return expiresAt === 0 ? "good" : `good until ${moment(expiresAt)}`
}

/** Lists the newest 100 initial access tokens. */
export const listTokens = promised(async ({ json, ...whereabouts }: Here) =>
  registering(whereabouts, async ({ tokens }) => {
    const all = await tokens.list(initialAccessTokens, "tokens", {})
    if (json) return sayJson(all.map(shownToken))
    if (all.length === 0) return say("No initial access tokens yet. Make one with: postern registration tokens add NAME")
    say(
      table(
        ["ID", "NAME", "USES", "STATE"],
        all.map((row) => [row.locator, printable(row.name), `${row.uses}${row.mostUses === 0 ? "" : ` of ${row.mostUses}`}`, stateOf(row)]),
      ),
    )
  }),
)

/** Revokes an initial access token. */
export const revokeToken = promised(async ({ token, ...whereabouts }: Whereabouts & { readonly token: string }) =>
  registering(whereabouts, async ({ tokens, audit }) => {
    const row = await tokens.find(initialAccessTokens, { locator: token })
    if (row === undefined) throw failed(`there is no initial access token ${token}`, "`postern registration tokens list` shows them")
    await tokens.commit([revokeInitialAccessToken(token, systemClock())])
    audit.record(() => [{ event: "registration_token_revoked", at: systemClock(), detail: token }])
    say(`${styled("green", "✓")} revoked the initial access token ${token}`)
  }),
)

/** Shows the limits and rules of registration, or the rule that refuses the given metadata. */
export const showPolicy = promised(async ({ metadata, json, ...whereabouts }: Here & { readonly metadata: string | undefined }) =>
  registering(whereabouts, async (_stores, setup, options) => {
    if (metadata !== undefined) {
      const judged = await judgedMetadata(setup, metadata)
      if (json) return sayJson(judged)
      if ("refused" in judged) {
        say(`${styled("red", "✗")} refused by ${styled("bold", judged.refused.rule)} (${judged.refused.cites})`)
        return say(`  ${printable(judged.refused.reason)}`)
      }
      say(`${styled("green", "✓")} would be registered as`)
      return sayJson(judged.registered)
    }
    const rules = registrationRules(setup)
    const { lifetimes: _lifetimes, ...limits } = options
    if (json) return sayJson({ limits, rules })
    say(styled("bold", options.open === true ? "Anybody may register a client." : "Clients need an initial access token to register."))
    for (const [name, value] of Object.entries(limits)) if (value !== undefined) say(`  ${name.padEnd(26)} ${JSON.stringify(value)}`)
    say()
    say(
      table(
        ["RULE", "PARAGRAPH"],
        rules.map(({ id, cites }) => [id, cites]),
      ),
    )
  }),
)

const nameOf = ({ metadata: { client_name: name } }: RegisteredClientRow): string => (typeof name === "string" ? name : "")

const shownClient = ({ clientId, metadata, createdAt, keepUntil, slot }: RegisteredClientRow): object => ({
  client_id: clientId,
  client_name: metadata["client_name"] ?? null,
  created_at: createdAt,
  kept_until: keepUntil === 0 ? null : keepUntil,
  used: slot === undefined,
})

/** Removes expired clients, or only reports them with `dryRun`. */
export const cleanClients = stoppable(async ({ dryRun, json, ...whereabouts }: Here & { readonly dryRun: boolean }, signal) =>
  registering(whereabouts, async ({ tokens }, _setup, options) => {
    const now = systemClock()
    const over: Array<RegisteredClientRow> = []
    for (;;) {
      const done = over.length === 0 ? undefined : `${over.length} clients were removed`
      if (signal.aborted) throw interrupted(done ?? "no client was removed")
      const ended = await completing(done, () => tokens.list(registeredClients, "ended", { now }))
      // A dry run removes nothing, so the next page would be the same one. It reports the first 100.
      if (!dryRun && ended.length > 0) await completing(done, () => tokens.commit(ended.map(({ clientId }) => cleanClient(clientId, now))))
      over.push(...ended)
      if (dryRun || ended.length === 0) break
      await turn()
    }
    const unused = await tokens.list(registeredClients, "unused", {})
    if (json) return sayJson({ removed: dryRun ? 0 : over.length, over: over.map(shownClient), unused: unused.map(shownClient) })
    const some = (count: number): string => `${count === 100 && dryRun ? "100 or more" : count} client${count === 1 ? "" : "s"}`
    say(dryRun ? `${some(over.length)} would be removed.` : `${styled("green", "✓")} removed ${some(over.length)}`)
    if (over.length > 0)
      say(
        table(
          ["CLIENT", "NAME", "REGISTERED", "KEPT UNTIL"],
          over.map((row) => [row.clientId, printable(nameOf(row)), moment(row.createdAt), moment(row.keepUntil)]),
        ),
      )
    say(`${unused.length === 100 ? "100 or more" : unused.length} of at most ${options.mostUnused ?? 10_000} without a grant are left.`)
  }),
)
