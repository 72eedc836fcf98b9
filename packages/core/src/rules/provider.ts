import type { Client, IdentityProvider, Session, Settings } from "../model/index.ts"
import type { AcrAsked } from "./acr.ts"
import { type Objection, type Rule, type Tracing, judge, pass, rule, table } from "./rule.ts"

/** The facts that decide whether a person may come from another provider. */
export interface ProviderSeen {
  readonly settings: Settings
  /** Undefined when the person came to sign in to the provider itself: every other one will do. */
  readonly client: Client | undefined
}

/** The providers a client lets its people come from, in the order of the configuration. */
export const offeredProviders = ({ settings, client }: ProviderSeen): ReadonlyArray<IdentityProvider> =>
  settings.identityProviders.filter(({ name }) => client === undefined || client.identityProviders.includes(name))

/** Judges whether a provider that was asked for may be used. Where it may not, `idp:NAME` is passed over, and the trail says why. */
export const providerRules = table<ProviderSeen & { readonly provider: string }, Objection>("provider")
  .rule("provider.known", "specification §2.1 acr_values", ({ provider, settings }) =>
    settings.identityProviders.some(({ name }) => name === provider) ? pass : { reason: "idp: names no configured provider" },
  )
  .rule("provider.allowed", "specification §1, §2.1 acr_values", ({ provider, client }) =>
    client === undefined || client.identityProviders.includes(provider)
      ? pass
      : { reason: `the client is not allowed the provider ${provider}` },
  )

/** The provider that `acr_values` ask for, where it may be used. */
export const askedProvider = ({ idp }: AcrAsked, { settings, client }: ProviderSeen, trace: Tracing): string | undefined =>
  idp === undefined || judge(trace, providerRules, { settings, client, provider: idp }) !== undefined ? undefined : idp

/** The reason a client does not take a session: it came from somewhere its people may not come from. */
export const sourceFault = (client: Client | undefined, { idp }: Pick<Session, "idp">): string | undefined => {
  if (client === undefined) return undefined
  if (idp === undefined) return client.allowLocalLogin ? undefined : "signed in with a password here, which the client does not allow"
  return client.identityProviders.includes(idp) ? undefined : `signed in at ${idp}, which the client does not allow`
}

/** A session, and the client that is to take it. */
export interface SourceSeen {
  readonly client: Client | undefined
  readonly session: Session
}

/** A session from somewhere that the client does not allow is no session. */
export const sessionSource = (id: string): Rule<SourceSeen, unknown, Objection> =>
  rule(id, "specification §1", ({ client, session }) => {
    const fault = sourceFault(client, session)
    return fault === undefined ? pass : { reason: fault }
  })

/** Judges whether the person signed in somewhere that the client allows. */
export const sourceRules = table<SourceSeen, Objection>("source").include(sessionSource("source.allowed"))
