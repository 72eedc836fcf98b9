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

/** The values that a waiting request's `acr_values` ask for; its pages bear its tenant's looks from here on. */
export interface AskedSeen {
  readonly asked: AcrAsked
  /** The tenant that is asked for. */
  readonly tenant: string | undefined
  /** The same tenant, if there are looks of it. */
  readonly looks: string | undefined
}

/** Reads what a waiting request asks for. */
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

/** Reads what `acr_values`, or those of a client that sent none, ask of the sign-in with which a person answers on a page. */
export const contextsOf = (acrValues: string | undefined, client: Client, { ports: { settings }, trace }: Inquiry) => {
  const asked = acrAsked(acrValues, client)
  return { settings, provider: askedProvider(asked, { settings, client }, trace), tenant: asked.tenant, contexts: asked.contexts }
}
