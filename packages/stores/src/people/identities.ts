import type { Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import type { Awaitable } from "@postern/core/ports"
import { randomUUID } from "node:crypto"
import { type UserRow, personOf, usernameKey } from "./users.ts"

/** A person at another provider, permanently identified by `issuer` and `subject` (OpenID Connect Core §5.7). */
export interface IdentityRow {
  readonly issuer: string
  readonly subject: string
  /** The person's subject here. */
  readonly userSubject: string
  /** The name under which the other provider is configured. */
  readonly provider: string
  readonly createdAt: Instant
  readonly lastSeen: Instant
}

/** Links people to other providers. */
export interface Identities {
  /** Finds the person of an identity. The first sign-in creates the person. Later ones update the claims that came from the provider. */
  readonly admit: (identity: UpstreamIdentity, tenant: string | undefined, at: Instant) => Awaitable<Verification>
  /** Lists the providers that people signed in from, by subject. */
  readonly providers: () => Awaitable<ReadonlyMap<string, string>>
}

const rejected = (reason: string): Verification => ({ _tag: "Rejected", reason })

/** The maximum lengths of a stored issuer and subject (OpenID Connect Core §2 limits a subject to 255). */
const longest = { issuer: 1024, subject: 255 } as const

/** Returns the refusal of an identity that cannot be stored, otherwise undefined. */
export const unkeepable = ({ issuer, subject }: UpstreamIdentity): Verification | undefined =>
  issuer.length > longest.issuer || subject.length > longest.subject ? rejected("its issuer or subject is too long to keep") : undefined

/** Chooses a username from the other provider's claims. It only serves to recognize the person in lists. */
export const wishedUsername = ({ claims, provider }: UpstreamIdentity): string => {
  for (const name of ["preferred_username", "email"]) {
    const claim = claims[name]
    const cleaned = typeof claim === "string" ? claim.replace(/\p{Cc}/gu, "").trim() : ""
    if (usernameKey(cleaned) !== "") return cleaned
  }
  return `somebody (${provider})`
}

/** Makes the row of a person at their first sign-in from another provider. */
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

/** Makes the link between an identity and its person. */
export const linkOf = ({ issuer, subject, provider }: UpstreamIdentity, row: UserRow, at: Instant): IdentityRow => ({
  issuer,
  subject,
  userSubject: row.subject,
  provider,
  createdAt: at,
  lastSeen: at,
})

/** Reports whether a person's claims come from another provider and differ from its current ones. */
export const isTold = (row: UserRow, { claims }: UpstreamIdentity): boolean =>
  row.origin === "upstream" && JSON.stringify(row.claims) !== JSON.stringify(claims)

/** Reports whether the person of an identity may sign in. `row` is undefined if the person was removed. */
export const admitted = (row: UserRow | undefined, identity: UpstreamIdentity, tenant: string | undefined): Verification => {
  if (row === undefined) return rejected("the user is gone")
  if (row.disabled) return rejected("the user is disabled")
  if (row.tenant !== undefined && tenant !== undefined && row.tenant !== tenant) return rejected("the user belongs to another tenant")
  const { claims, amr, acr } = identity
  return { _tag: "Verified", person: personOf({ ...row, claims: row.origin === "upstream" ? claims : row.claims }), amr, acr }
}
