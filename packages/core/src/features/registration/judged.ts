import * as Effect from "effect/Effect"
import { type ClientMetadata, type JsonObject, type Settings, membersOf } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { isLoopback, uriParts } from "../../rules/redirectUri.ts"
import { registrationTables } from "../../rules/registration.ts"
import type { Fault, RegistrationSeen, RegistrationTable } from "../../rules/registrationFault.ts"
import { type Tracing, judge } from "../../rules/rule.ts"
import { sectorDocumentFault } from "../../rules/sector.ts"
import { refuseJson } from "../../settle/programs.ts"
import { fetchDocument } from "../../settle/remote.ts"
import type { Inquiry } from "../../settle/request.ts"
import { Decided, type Stage, row } from "../../settle/stage.ts"
import type { Composition } from "../feature.ts"
import { registrationOf } from "../registrations.ts"
import { type Wanted, effective } from "./metadata.ts"
import { policyRules, refuseFault, sectorRules } from "./rules.ts"

/** The sources of metadata, and the id of its client. */
interface Asking extends Wanted {
  readonly clientId: string
}

/** Metadata that passed every rule, as it is stored. */
export interface Judged {
  readonly client: ClientMetadata
  readonly metadata: JsonObject
}

/** The facts that metadata is judged against. They are those for the provider's own clients, except that no secret is stored sealed. */
const seenBy = (provider: Composition, settings: Settings, { decryption, signing }: Omit<Registrable, "client">): RegistrationSeen => {
  const issuer = uriParts(settings.issuer)
  return {
    catalog: settings.catalog,
    grantTypes: provider.grantTypes,
    responseTypes: provider.responseTypes,
    responseModes: provider.responseModes.map(({ name }) => name),
    clientAuthentication: provider.clientAuthentication,
    confirmations: provider.confirmations,
    clientMetadata: settings.clientMetadata,
    registration: provider.features.flatMap((feature) => registrationOf(feature) ?? []),
    detailTypes: [...(settings.details?.types.keys() ?? [])],
    identityProviders: provider.identityProviders.map(({ name }) => name),
    secretKept: true,
    sealing: false,
    development: issuer?.scheme === "http" && isLoopback(issuer.host),
    pairwise: settings.pairwiseSalt !== undefined,
    encryptionAlgorithms: decryption,
    signingAlgorithms: signing,
    profile: settings.profile.name,
    rulesOff: settings.rulesOff,
  }
}

/** Metadata to be judged, and the algorithms with which the provider decrypts and signs. */
interface Registrable {
  readonly client: ClientMetadata
  readonly decryption: ReadonlyArray<string>
  readonly signing: ReadonlyArray<string>
}

/** Every rule table for the clients of a provider: those for all clients, and those of its features. */
const tablesOf = ({ features }: Composition): ReadonlyArray<RegistrationTable> => [
  ...registrationTables,
  ...features.flatMap((feature) => registrationOf(feature) ?? []),
]

/**
 * Finds the first fault of metadata by the rules for every client of the provider. It judges one table after the other, so that a trail
 * names the rule.
 */
export const registrationFault = (
  { client, ...able }: Registrable,
  provider: Composition,
  settings: Settings,
  trace: Tracing,
): Fault | undefined => {
  const judged = { client, provider: seenBy(provider, settings, able), members: membersOf(client) }
  for (const each of tablesOf(provider)) {
    const fault = judge(trace, each, judged, judged)
    if (fault !== undefined) return fault
  }
  return undefined
}

const byRegistration = (provider: Composition): Stage<Registrable, object> => ({
  tables: tablesOf(provider),
  run: (seen, { ports, trace }) => {
    const fault = registrationFault(seen, provider, ports.settings, trace)
    return Effect.succeed(fault === undefined ? seen : new Decided(refuseJson(refuseFault(fault))))
  },
})

/** Seconds for which a sector document is cached. It is short because a client that corrects the document tries again at once. */
const documentLife = { most: 10 }

/** The reason that metadata does not belong to the sector that it names; undefined if it does, or names none. */
const sectorFault = (
  { sector_identifier_uri: uri, redirect_uris: redirectUris = [], jwks_uri: jwksUri }: ClientMetadata,
  inquiry: Inquiry,
): Effect.Effect<string | undefined, PortFailed> =>
  uri === undefined
    ? Effect.succeed(undefined)
    : mapped(fetchDocument(uri, "application/json", documentLife, inquiry, true), ({ body, reason }) =>
        body === undefined ? reason : sectorDocumentFault(body, { redirectUris, jwksUri }),
      )

/** Makes metadata from a request and judges it by the policy, by the rules for every client, and by the sector that it names. */
export const metadataJudged = (provider: Composition): Stage<Asking, Judged> => {
  const judging = row<Asking>(refuseJson)
    .read((_, { ports: { signer } }) => together({ signing: signer.algorithms(), decryption: signer.encryptionAlgorithms() }))
    .read(({ asked, stated, policy, clientId, signing }, { ports: { settings } }) =>
      effective({ asked, stated, policy }, clientId, provider, { ...settings, signing }),
    )
    .judge(policyRules, (fault) => refuseJson(refuseFault(fault)))
    .through(byRegistration(provider))
    .read(({ client }, inquiry) => mapped(sectorFault(client, inquiry), (found) => ({ sectorFault: found })))
    .judge(sectorRules)
  return {
    tables: judging.tables,
    run: ({ asked, stated, policy, clientId }, inquiry) =>
      mapped(judging.run({ asked, stated, policy, clientId }, inquiry), (end) =>
        // Metadata that was read from JSON is JSON.
        end instanceof Decided ? end : { client: end.client, metadata: { ...(end.client as unknown as JsonObject), ...end.languages } },
      ),
  }
}
