import type { Client, IdentityProvider, Session, Settings } from "../model/index.ts"
import type { AcrAsked } from "./acr.ts"
import { type Objection, type Rule, type Tracing, judge, pass, rule, table } from "./rule.ts"

/** The facts that determine whether a person may sign in at another provider. */
export interface ProviderSeen {
  readonly settings: Settings
  /** The client; undefined if the person signs in to the provider itself, which allows every other one. */
  readonly client: Client | undefined
}

/** Returns the providers at which a client's users may sign in, in the order of the configuration. */
export const offeredProviders = ({ settings, client }: ProviderSeen): ReadonlyArray<IdentityProvider> =>
  settings.identityProviders.filter(({ name }) => client === undefined || client.identityProviders.includes(name))

/** Checks that a requested provider may be used. Otherwise, `idp:NAME` is ignored, and the trail states the reason. */
export const providerRules = table<ProviderSeen & { readonly provider: string }, Objection>("provider")
  .rule("provider.known", "specification §2.1 acr_values", ({ provider, settings }) =>
    settings.identityProviders.some(({ name }) => name === provider) ? pass : { reason: "idp: names no configured provider" },
  )
  .rule("provider.allowed", "specification §1, §2.1 acr_values", ({ provider, client }) =>
    client === undefined || client.identityProviders.includes(provider)
      ? pass
      : { reason: `the client is not allowed the provider ${provider}` },
  )

/** Returns the provider that `acr_values` request, if it may be used. */
export const askedProvider = ({ idp }: AcrAsked, { settings, client }: ProviderSeen, trace: Tracing): string | undefined =>
  idp === undefined || judge(trace, providerRules, { settings, client, provider: idp }) !== undefined ? undefined : idp

/** Returns the reason why a client does not accept a session: its sign-in was at a place that the client does not allow. */
export const sourceFault = (client: Client | undefined, { idp }: Pick<Session, "idp">): string | undefined => {
  if (client === undefined) return undefined
  if (idp === undefined) return client.allowLocalLogin ? undefined : "signed in with a password here, which the client does not allow"
  return client.identityProviders.includes(idp) ? undefined : `signed in at ${idp}, which the client does not allow`
}

/** A session, and the client that may accept it. */
export interface SourceSeen {
  readonly client: Client | undefined
  readonly session: Session
}

/** Refuses a session whose sign-in was at a place that the client does not allow. */
export const sessionSource = (id: string): Rule<SourceSeen, unknown, Objection> =>
  rule(id, "specification §1", ({ client, session }) => {
    const fault = sourceFault(client, session)
    return fault === undefined ? pass : { reason: fault }
  })

/** Checks that the person signed in at a place that the client allows. */
export const sourceRules = table<SourceSeen, Objection>("source").include(sessionSource("source.allowed"))
