import type { Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import { randomUUID } from "node:crypto"
import { type UserRow, personOf, usernameKey } from "./users.ts"

/** A person at another provider: `issuer` and `subject` name them for ever (OpenID Connect Core §5.7). */
export interface IdentityRow {
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
  /** Finds the person of an identity. The first sign-in creates the person. Later ones refresh the claims that came from the provider. */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined, at: Instant) => Awaitable<Verification>
  /** The providers a person has come from, by subject. */
  readonly providers: () => Awaitable<ReadonlyMap<string, string>>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** The longest issuer and subject that are kept (OpenID Connect Core §2 allows a subject 255). */
const longest = { issuer: 1024, subject: 255 } as const

/** The refusal of an identity that cannot be stored; undefined for any other. */
export const unkeepable = ({ issuer, subject }: UpstreamIdentity): Verification | undefined =>
  issuer.length > longest.issuer || subject.length > longest.subject ? rejected("its issuer or subject is too long to keep") : undefined

/** The name they might have here, as the other provider tells it; of no weight but for those who look at lists. */
export const wishedUsername = ({ claims, provider }: UpstreamIdentity): string => {
  for (const name of ["preferred_username", "email"]) {
    const claim = claims[name]
    const cleaned = typeof claim === "string" ? claim.replace(/\p{Cc}/gu, "").trim() : ""
    if (usernameKey(cleaned) !== "") return cleaned
  }
  return `somebody (${provider})`
}

/** The row of a person at their first sign-in from another provider. */
export const newcomer = ({ claims }: UpstreamIdentity, username: string, at: Instant): UserRow => ({
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
})

/** The link that goes with it. */
export const linkOf = ({ issuer, subject, provider }: UpstreamIdentity, row: UserRow, at: Instant): IdentityRow => ({
  issuer,
  subject,
  userSubject: row.subject,
  provider,
  createdAt: at,
  lastSeen: at,
})

/** Reports whether a person's claims come from another provider and differ from those that the provider states now. */
export const isTold = (row: UserRow, { claims }: UpstreamIdentity): boolean =>
  row.origin === "upstream" && JSON.stringify(row.claims) !== JSON.stringify(claims)

/** Reports whether the person of an identity may sign in. `undefined` is a person who was removed. */
export const admitted = (row: UserRow | undefined, identity: UpstreamIdentity, tenant: string | undefined): Verification => {
  if (row === undefined) return rejected("the user is gone")
  if (row.disabled) return rejected("the user is disabled")
  if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
  const { claims, amr, acr } = identity
  return { _tag: "Verified", person: personOf({ ...row, claims: row.origin === "upstream" ? claims : row.claims }), amr, acr }
}
