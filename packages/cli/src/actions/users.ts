import { inShell } from "../config/shell.ts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { RegisteredUser, Stores } from "@postern/stores"
import type { Json, JsonObject } from "@postern/core/model"
import { type Action, promised, whole } from "../action.ts"
import { weakPassword } from "../config/rules/passwords.ts"
import { claimFindings, reservedFindings } from "../config/rules/people.ts"
import type { Whereabouts } from "../data/place.ts"
import { signOutEverywhere } from "../data/signOut.ts"
import { completing, withStores } from "../data/stores.ts"
import { failed, type Misused, misused } from "../failure.ts"
import { newPassword } from "../terminal/input.ts"
import { complain, moment, printable, say, sayJson, styled, styledError, table } from "../terminal/output.ts"

/** The parameters of `postern user add`. */
interface NewPerson extends Whereabouts {
  readonly username: string
  readonly subject: string | undefined
  readonly claims: ReadonlyArray<string>
  readonly tenant: string | undefined
  readonly json: boolean
}

/**
 * Parses the value of a claim: as JSON if it is valid JSON, else as text. A claim whose type is a string stays text even if it looks like
 * JSON, such as 42.
 */
const claimValue = (name: string, text: string): Json => {
  const fits = (value: Json): boolean => claimFindings({ [name]: value }, []).length === 0
  try {
    // JSON.parse returns only JSON values.
    const value = JSON.parse(text) as Json
    return fits(text) && !fits(value) ? text : value
  } catch {
    return text
  }
}

const claimsOf = (pairs: ReadonlyArray<string>): Effect.Effect<JsonObject, Misused> => {
  const nameless = pairs.find((pair) => pair.indexOf("=") <= 0)
  if (nameless !== undefined)
    return misused(
      `--claim ${printable(nameless)} has no name and value`,
      "write --claim name=value, as in --claim email=alice@example.com",
    )
  const claims = Object.fromEntries(
    pairs.map((pair) => {
      const [name, text] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]
      return [name, claimValue(name, text)]
    }),
  )
  const [wrong] = [...reservedFindings(claims, []), ...claimFindings(claims, [])]
  return wrong === undefined
    ? Effect.succeed(claims)
    : misused(`--claim ${printable(wrong.path.join("."))} ${wrong.message}`, printable(wrong.hint))
}

const listed = (user: RegisteredUser): object => ({
  username: user.username,
  subject: user.subject,
  claims: user.claims,
  disabled: user.disabled,
  tenant: user.tenant,
  origin: user.origin,
  provider: user.provider,
  has_password: user.hasPassword,
  created_at: user.createdAt,
  updated_at: user.updatedAt,
})

/** Warns of a weak password, which is taken all the same: the operator knows what it protects. */
const warnOfWeak = (username: string, password: Redacted.Redacted): void => {
  const weak = weakPassword(username, Redacted.value(password))
  if (weak !== undefined)
    complain(
      `${styledError("yellow", "!")} the password ${weak}; let the person choose a longer one: postern user passwd ${inShell(username)}`,
    )
}

/** Adds a user. The password is read from a prompt or from standard input. */
export const addUser: Action<NewPerson> = Effect.fnUntraced(function* ({ username, subject, claims, tenant, json, ...whereabouts }) {
  const known = yield* claimsOf(claims)
  const password = yield* newPassword
  yield* promised(() =>
    withStores(whereabouts, true, async ({ people }) => {
      const person = await people.add({ username, subject, tenant, claims: known, password: Redacted.value(password) })
      warnOfWeak(person.username, password)
      if (json) return sayJson({ username: person.username, subject: person.subject, claims: person.claims })
      say(`${styled("green", "✓")} added ${printable(person.username)}, subject ${person.subject}`)
    }),
  )(undefined)
})

/** Formats the origin of a user for the operator. */
const cameFrom = ({ origin, provider }: RegisteredUser): string => {
  if (origin === "upstream") return provider ?? "another provider"
  return origin === "config" ? "configuration" : "command line"
}

/** Shows a user, without the password. */
export const showUser = promised(
  async ({ username, json, ...whereabouts }: Whereabouts & { readonly username: string; readonly json: boolean }) =>
    withStores(whereabouts, false, async ({ people }) => {
      const found = await userOf(people, username)
      if (json) return sayJson(listed(found))
      say(styled("bold", printable(found.username)))
      const lines: ReadonlyArray<readonly [string, string]> = [
        ["subject", found.subject],
        ["state", found.disabled ? "disabled" : "active"],
        ["from", cameFrom(found)],
        ["password", found.hasPassword ? "kept as a hash" : "none"],
        ...(found.tenant === undefined ? [] : [["tenant", found.tenant] as const]),
        ["added", moment(found.createdAt)],
        ["changed", moment(found.updatedAt)],
        ...Object.entries(found.claims).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const),
      ]
      for (const [name, value] of lines) say(`  ${printable(name).padEnd(24)} ${printable(value)}`)
    }),
)

/** Lists all users. */
export const listUsers = promised(async ({ json, ...whereabouts }: Whereabouts & { readonly json: boolean }) =>
  withStores(whereabouts, false, async ({ people }) => {
    const all = await people.list()
    if (json) return sayJson(all.map(listed))
    if (all.length === 0) return say("No users yet. Add one with: postern user add NAME")
    const row = (user: RegisteredUser): ReadonlyArray<string> => [
      printable(user.username),
      user.subject,
      user.disabled ? "disabled" : "active",
      cameFrom(user),
      moment(user.createdAt),
    ]
    say(table(["USERNAME", "SUBJECT", "STATE", "FROM", "ADDED"], all.map(row)))
  }),
)

const setDisabled = (disabled: boolean) =>
  whole(async ({ username, ...whereabouts }: Whereabouts & { readonly username: string }) =>
    withStores(whereabouts, false, async (stores, place) => {
      const { people } = stores
      const found = await userOf(people, username)
      if (disabled) await people.disable(username)
      else await people.enable(username)
      say(`${styled("green", "✓")} ${printable(username)} ${disabled ? "is disabled" : "may sign in again"}`)
      if (disabled) say(signedOut(await completing(stillIn("the user is disabled"), () => signOutEverywhere(stores, place, found.subject))))
      if (found.origin === "config") say(declaredToo)
    }),
  )

const declaredToo = "  The configuration declares this user: its entry is applied again at the next start."

const stillIn = (done: string): string => `${done}, but sessions and tokens of before may still be valid`

const signedOut = (sessions: number): string => {
  const ended = sessions === 0 ? "They had no session" : `${sessions === 1 ? "One session" : `${sessions} sessions`} ended`
  return `  ${ended}; every grant is revoked, and with it its codes and tokens.`
}

/** Disables a user, ends their sessions, and revokes their grants. */
export const disableUser = setDisabled(true)

/** Enables a user. */
export const enableUser = setDisabled(false)

/** Sets a user's password, ends their sessions, and revokes their grants. */
export const changePassword: Action<Whereabouts & { readonly username: string }> = Effect.fnUntraced(function* ({
  username,
  ...whereabouts
}) {
  yield* promised(() =>
    withStores(whereabouts, false, async ({ people }) => {
      await userOf(people, username)
    }),
  )(undefined)
  const password = yield* newPassword
  yield* whole(() =>
    withStores(whereabouts, false, async (stores, place) => {
      const { people } = stores
      await people.setPassword(username, Redacted.value(password))
      const found = await userOf(people, username)
      say(`${styled("green", "✓")} ${printable(username)} has a new password`)
      warnOfWeak(username, password)
      say(signedOut(await completing(stillIn("the password is changed"), () => signOutEverywhere(stores, place, found.subject))))
      if (found.origin === "config") say(declaredToo)
    }),
  )(undefined)
})

const userOf = async (people: Stores["people"], username: string): Promise<RegisteredUser> => {
  const found = await people.show(username)
  if (found === undefined) throw failed(`there is no user ${printable(username)}`, "`postern user list` shows all users")
  return found
}
