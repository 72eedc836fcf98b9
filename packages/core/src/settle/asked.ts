import * as Effect from "effect/Effect"
import type { Client, Settings, WaitingRequest } from "../model/index.ts"
import { type AcrAsked, acrAsked } from "../rules/acr.ts"
import { readClaimsRequest } from "../rules/claims.ts"
import { askedProvider } from "../rules/provider.ts"
import { judge } from "../rules/rule.ts"
import { tenantRules } from "../rules/tenant.ts"
import type { Inquiry } from "./request.ts"
import { waitingParams } from "./signIn.ts"
import type { Stage } from "./stage.ts"

interface WaitingSeen {
  readonly settings: Settings
  readonly interaction: WaitingRequest | undefined
  readonly client: Client | undefined
}

/** The requests in the `acr_values` of a waiting request. Its pages use the theme of its tenant from here on. */
export interface AskedSeen {
  readonly asked: AcrAsked
  /** The requested tenant. */
  readonly tenant: string | undefined
  /** The same tenant, if it has a theme. */
  readonly looks: string | undefined
}

/** Reads the `acr_values` of a waiting request. */
export const askedOf: Stage<WaitingSeen, AskedSeen> = {
  tables: [tenantRules],
  run: ({ settings, interaction, client }, { trace }) => {
    const params = waitingParams(interaction)
    const asked = acrAsked(params.one("acr_values"), client, readClaimsRequest(params.one("claims")))
    const { tenant } = asked
    const looks = tenant === undefined || judge(trace, tenantRules, { tenant, settings }) !== undefined ? undefined : tenant
    return Effect.succeed({ asked, tenant, looks, about: { askedAt: interaction?.createdAt, tenant: looks } })
  },
}

/** Reads the requirements that `acr_values`, or the client's default ones, place on the sign-in of a person. */
export const contextsOf = (acrValues: string | undefined, client: Client, { ports: { settings }, trace }: Inquiry) => {
  const asked = acrAsked(acrValues, client)
  return { settings, provider: askedProvider(asked, { settings, client }, trace), tenant: asked.tenant, contexts: asked.contexts }
}
