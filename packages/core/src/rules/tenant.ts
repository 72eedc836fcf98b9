import type { Person, Session, Settings } from "../model/index.ts"
import { type Objection, type Rule, pass, rule, table } from "./rule.ts"

/** Checks that pages may use the theme and the name of a requested tenant. An unknown one is not shown, and the trail states the reason. */
export const tenantRules = table<{ readonly tenant: string; readonly settings: Settings }, Objection>("tenant").rule(
  "tenant.known",
  "specification §2.1 acr_values",
  ({ tenant, settings: { tenants } }) =>
    tenants.length === 0 || tenants.includes(tenant) ? pass : { reason: "tenant: names none that pages are configured for" },
)

/** The facts that determine whether a session is valid for the requested tenant. */
export interface TenantSeen {
  /** The requested tenant; undefined if there is none. */
  readonly tenant: string | undefined
  readonly session: Session
  readonly person: Person | undefined
}

/**
 * Returns the reason why a session is not valid for the requested tenant: its person belongs to another one and would be refused at
 * sign-in, they signed in for another one, or they signed in for none and only the authenticator knows their tenant.
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

/** Refuses a session of another tenant, so that the person signs in for the requested one. */
export const sessionTenant = (prefix: string): Rule<TenantSeen, unknown, Objection> =>
  rule(`${prefix}.tenant`, "specification §2.1 acr_values", (s) => {
    const fault = tenantFault(s)
    return fault === undefined ? pass : { reason: fault }
  })

/** Checks that a session is valid for the tenant of a page. */
export const sessionTenantRules = table<TenantSeen, Objection>("tenant/session").include(sessionTenant("session"))
