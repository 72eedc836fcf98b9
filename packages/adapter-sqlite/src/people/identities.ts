import { randomUUID } from "node:crypto"
import type { Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { integer, tableOf, text } from "../tokens/table.ts"
import { type UserRow, type Users, freeUsername, personOf, usernameKey } from "./users.ts"

/** Who a person is at another provider: `issuer` and `subject` name them for ever (OpenID Connect Core §5.7). */
interface IdentityRow {
  readonly issuer: string
  readonly subject: string
  /** Ours. */
  readonly userSubject: string
  /** The name it was configured under. */
  readonly provider: string
  readonly createdAt: Instant
  readonly lastSeen: Instant
}

/** The links of people to other providers. */
export interface Identities {
  /** The person of an identity, made known at the first sign-in and told anew at each. */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined, at: Instant) => Verification
  /** The providers a person has come from, by subject. */
  readonly providers: () => ReadonlyMap<string, string>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** The longest issuer and subject that are kept (OpenID Connect Core §2 allows a subject 255). */
const longest = { issuer: 1024, subject: 255 } as const

/** What they might be called here, as the other provider tells it; of no weight but for those who look at lists. */
const wishedUsername = ({ claims, provider }: UpstreamIdentity): string => {
  for (const name of ["preferred_username", "email"]) {
    const claim = claims[name]
    const cleaned = typeof claim === "string" ? claim.replace(/\p{Cc}/gu, "").trim() : ""
    if (usernameKey(cleaned) !== "") return cleaned
  }
  return `somebody (${provider})`
}

/** Prepares the statements on identities. */
export const identitiesOf = (database: Database, users: Users): Identities => {
  const table = tableOf<IdentityRow>(
    database,
    "identities",
    { issuer: text, subject: text, userSubject: text, provider: text, createdAt: integer, lastSeen: integer },
    ["issuer", "subject"],
  )
  const seen = database.prepare("UPDATE identities SET last_seen = ?, provider = ? WHERE issuer = ? AND subject = ?")
  const all = database.prepare<[], [string, string]>("SELECT user_subject, provider FROM identities ORDER BY last_seen").raw()

  const provision = (identity: UpstreamIdentity, at: Instant): UserRow => {
    const { provider, issuer, subject, claims } = identity
    const username = freeUsername(wishedUsername(identity), provider, (key) => users.findUsername(key) !== undefined)
    const row: UserRow = {
      subject: randomUUID(),
      username,
      usernameKey: usernameKey(username),
      passwordHash: undefined,
      claims,
      disabled: false,
      tenant: undefined,
      origin: "upstream",
      createdAt: at,
      updatedAt: at,
    }
    if (!users.insert(row) || !table.insert({ issuer, subject, userSubject: row.subject, provider, createdAt: at, lastSeen: at }))
      throw new Error("a person from another provider could not be added")
    return row
  }

  // One writer at a time: of two first sign-ins at once, the second finds what the first has made.
  const admit = database.transaction((identity: UpstreamIdentity, tenant: string | undefined, at: Instant): Verification => {
    const { issuer, subject, claims, provider, amr, acr } = identity
    if (issuer.length > longest.issuer || subject.length > longest.subject) return rejected("its issuer or subject is too long to keep")
    const link = table.find(issuer, subject)
    const row = link === undefined ? provision(identity, at) : users.findSubject(link.userSubject)
    if (row === undefined) return rejected("the user is gone")
    if (row.disabled) return rejected("the user is disabled")
    if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
    if (link !== undefined) {
      seen.run(at, provider, issuer, subject)
      if (row.origin === "upstream" && JSON.stringify(row.claims) !== JSON.stringify(claims)) users.refresh(row.subject, claims, at)
    }
    return { _tag: "Verified", person: personOf({ ...row, claims: row.origin === "upstream" ? claims : row.claims }), amr, acr }
  })

  return {
    admit: (identity, tenant, at) => admit.immediate(identity, tenant, at),
    providers: () => new Map(all.all()),
  }
}
