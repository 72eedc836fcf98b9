import type { Client, Interaction } from "../model/index.ts"
import { type AcrAsked, acrAsked } from "../rules/acr.ts"
import { readClaimsRequest } from "../rules/claims.ts"
import { judge } from "../rules/rule.ts"
import { tenantRules } from "../rules/tenant.ts"
import { paramsOf } from "../wire/index.ts"
import type { Inquiry } from "./request.ts"

/** What a waiting request's `acr_values` ask for; its pages bear its tenant's looks from here on. */
export const askedBy = (interaction: Interaction | undefined, client: Client | undefined, { ports, trace, about }: Inquiry): AcrAsked => {
  about.askedAt = interaction?.createdAt
  const params = paramsOf(interaction?.params ?? [])
  const asked = acrAsked(params.one("acr_values"), client, readClaimsRequest(params.one("claims")))
  const { tenant } = asked
  if (tenant !== undefined && judge(trace, tenantRules, { tenant, settings: ports.settings }) === undefined) about.tenant = tenant
  return asked
}
