import type { Client, IdentityProvider, Session, Settings } from "../model/index.ts"
import type { AcrAsked } from "./acr.ts"
import { type Objection, type Tracing, held, judge, pass, rule, table } from "./rule.ts"

/** What tells whether a person may come from another provider. */
export interface ProviderSeen {
  readonly settings: Settings
  /** Undefined when the person came to sign in to the provider itself: every other one will do. */
  readonly client: Client | undefined
}

/** The providers a client lets its people come from, in the order of the configuration. */
export const offeredProviders = ({ settings, client }: ProviderSeen): ReadonlyArray<IdentityProvider> =>
  settings.identityProviders.filter(({ name }) => client === undefined || client.identityProviders.includes(name))

/** Judges whether a provider that was asked for may be used. Where it may not, `idp:NAME` is passed over, and the trail says why. */
export const providerRules = table<string, ProviderSeen, Objection>("provider", [
  rule("provider.known", "specification §2.1 acr_values", (name, s) =>
    s.settings.identityProviders.some((each) => each.name === name) ? pass : { reason: "idp: names no configured provider" },
  ),
  rule("provider.allowed", "specification §1, §2.1 acr_values", (name, s) =>
    s.client === undefined || s.client.identityProviders.includes(name)
      ? pass
      : { reason: `the client is not allowed the provider ${name}` },
  ),
])

/** The provider that `acr_values` ask for, where it may be used. */
export const askedProvider = ({ idp }: AcrAsked, seen: ProviderSeen, trace: Tracing): string | undefined =>
  idp === undefined || judge(trace, providerRules, idp, seen) !== undefined ? undefined : idp

/** Why a client does not take a session: it came from somewhere its people may not come from. */
export const sourceFault = (client: Client | undefined, { idp }: Session): string | undefined => {
  if (client === undefined) return undefined
  if (idp === undefined) return client.allowLocalLogin ? undefined : "signed in with a password here, which the client does not allow"
  return client.identityProviders.includes(idp) ? undefined : `signed in at ${idp}, which the client does not allow`
}

/** Judges whether the person signed in somewhere that the client allows. */
export const sourceRules = table<unknown, { readonly client: Client | undefined; readonly session: Session | undefined }, Objection>(
  "source",
  [
    rule("source.allowed", "specification §1", (_, s) => {
      const fault = sourceFault(s.client, held(s.session))
      return fault === undefined ? pass : { reason: fault }
    }),
  ],
)
