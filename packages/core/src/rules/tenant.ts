import type { Settings } from "../model/index.ts"
import { type Objection, pass, rule, table } from "./rule.ts"

/** Whether pages may bear the looks and the name of a tenant that was asked for. One that is not known is not shown, and the trail says why. */
export const tenantRules = table<string, Settings, Objection>("tenant", [
  rule("tenant.known", "specification §2.1 acr_values", (tenant, s) =>
    s.tenants.length === 0 || s.tenants.includes(tenant) ? pass : { reason: "tenant: names none that pages are configured for" },
  ),
])
