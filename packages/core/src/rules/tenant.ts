import type { Person, Session, Settings } from "../model/index.ts"
import { type Objection, type Rule, pass, rule, table } from "./rule.ts"

/** Judges whether pages may bear the looks and the name of a tenant that was asked for. One that is not known is not shown, and the trail says why. */
export const tenantRules = table<{ readonly tenant: string; readonly settings: Settings }, Objection>("tenant").rule(
  "tenant.known",
  "specification §2.1 acr_values",
  ({ tenant, settings: { tenants } }) =>
    tenants.length === 0 || tenants.includes(tenant) ? pass : { reason: "tenant: names none that pages are configured for" },
)

/** Facts by which a session answers for the requested tenant or not. */
export interface TenantSeen {
  /** Undefined where none is asked for. */
  readonly tenant: string | undefined
  readonly session: Session
  readonly person: Person | undefined
}

/**
 * The reason a session does not answer for the tenant that is asked for: its person belongs to another one, and would be refused at
 * sign-in; they signed in for another one; or they signed in for none, and only the authenticator knows where they belong.
 */
export const tenantFault = ({ tenant, session, person }: TenantSeen): string | undefined => {
  if (tenant === undefined) return undefined
  if (typeof person?.tenant === "string") return person.tenant === tenant ? undefined : "the session's person belongs to another tenant"
  const own = session.tenant
  if (own === tenant || (own === undefined && person?.tenant === null)) return undefined
  return own === undefined
    ? "the session was signed in for no tenant, and one is asked for"
    : "the session was signed in for another tenant"
}

/** A session of another tenant is no session: the person signs in for the one that is asked for. */
export const sessionTenant = (prefix: string): Rule<TenantSeen, unknown, Objection> =>
  rule(`${prefix}.tenant`, "specification §2.1 acr_values", (s) => {
    const fault = tenantFault(s)
    return fault === undefined ? pass : { reason: fault }
  })

/** Judges whether a session answers for the tenant of a page. */
export const sessionTenantRules = table<TenantSeen, Objection>("tenant/session").include(sessionTenant("session"))
