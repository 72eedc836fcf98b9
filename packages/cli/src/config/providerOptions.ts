import type { ProviderOptions } from "@postern/core"
import { secretOf } from "@postern/core/model"
import * as Redacted from "effect/Redacted"
import type { Setup } from "./setup.ts"

/** Returns the provider options of a setup, without the ports. */
export const providerOptions = (setup: Setup): ProviderOptions => ({
  issuer: setup.issuer,
  scopes: setup.catalog.identityScopes,
  resources: setup.catalog.resources,
  features: setup.features,
  ...(setup.pairwiseSalt === undefined ? {} : { pairwiseSalt: secretOf(Redacted.value(setup.pairwiseSalt)) }),
  sessionLifetime: setup.sessionLifetime,
  interactionLifetime: setup.interactionLifetime,
  upstream: setup.upstream,
  acr: setup.acr,
  acrValues: setup.acrValues,
  profile: setup.profile,
  settings: setup.settings,
  tenants: Object.keys(setup.pages.tenants ?? {}),
})
