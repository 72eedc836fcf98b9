import * as Schema from "effect/Schema"
import type { Composition } from "../features/feature.ts"
import { jwtBearer } from "../features/jwt-bearer/index.ts"
import { ciba } from "../features/ciba/index.ts"
import { idJag } from "../features/id-jag/index.ts"
import { metadataDocuments } from "../features/metadata-documents/index.ts"
import { sessionManagement } from "../features/session-management/index.ts"
import { upstreamLogout } from "../features/upstream-logout/index.ts"
import { registration } from "../features/registration/index.ts"
import { tokenExchange } from "../features/token-exchange/index.ts"
import {
  type ClientMetadata,
  type Field,
  type IdentityProvider,
  type RowKind,
  type Settings,
  clientIdField,
  fieldsOf,
  schemaOf,
} from "../model/index.ts"
import type { DeliveryHandler } from "../settle/outbox.ts"
import {
  type Choice,
  type Registering,
  type TableEntry,
  allTablesOf,
  chosen,
  clientFieldsAt,
  compositionOf,
  registeringAt,
  rowKindsAt,
  tableEntriesAt,
} from "./composition.ts"
import { type Creating, faultsAt, namedTwice } from "./creation.ts"
import { defaultFeatures } from "./defaults.ts"
import { type DeliveredOptions, type DeliveryPorts, deliveriesAt } from "./deliveries.ts"
import { type MemberKinds, kindFault, partFaults, refuseFaults } from "../model/members.ts"
import type { ProviderOptions } from "./options.ts"
import { settingsAt } from "./settings.ts"
import { type SignOutPorts, signedOutEverywhere } from "./signOut.ts"

// Each function uses the default features if it is given none, so that importing this file includes all of them. `composition.ts` has the
// functions that use only the given features.

/** Combines the features of a provider. */
export const compose = (
  { features = defaultFeatures, grants }: Choice = {},
  identityProviders?: ReadonlyArray<IdentityProvider>,
): Composition => compositionOf({ features, grants }, identityProviders)

/** Returns the part of a provider that client registration depends on. */
export const registering = (choice: Choice): Registering => registeringAt(compose(chosen("registering", choice)))

/** A schema of client metadata. */
export interface ClientMetadataSchema extends Schema.Codec<ClientMetadata> {
  /** The schemas of its fields, by name. */
  readonly fields: Readonly<Record<string, Schema.Top>>
}

/** Returns every field of client metadata at a provider. The stored ones without influence, which no feature declares, come last. */
export const clientFieldsOf = (choice: Choice): ReadonlyArray<Field> => clientFieldsAt(compose(chosen("clientFieldsOf", choice)))

/** Returns the schema of client metadata at a provider. Every field but the identifier is optional. */
export const clientMetadataSchema = (choice: Choice): ClientMetadataSchema =>
  // The fields of features are checked against `ClientMetadata` where they are defined.
  Schema.Struct({
    ...fieldsOf(clientFieldsOf(chosen("clientMetadataSchema", choice))),
    client_id: schemaOf(clientIdField.values),
  }) as unknown as ClientMetadataSchema

/** Returns every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsOf = (choice: Choice): ReadonlyArray<RowKind> => rowKindsAt(compose(chosen("rowKindsOf", choice)))

/**
 * Returns the handlers of the messages that a provider's features write, for `startDelivering`. The options of the provider determine the
 * messages that are sent.
 */
export const deliveriesOf = (choice: Choice & DeliveredOptions, given: DeliveryPorts): Readonly<Record<string, DeliveryHandler>> => {
  refuseFaults("deliveriesOf", kindFault("options", choice, "object"))
  return deliveriesAt(compose(chosen("deliveriesOf", choice)), given, choice)
}

/** Derives the settings from the options. Throws a `TypeError` that lists every fault. */
export const settingsFrom = (options: ProviderOptions): Settings => {
  refuseFaults("settingsFrom", kindFault("options", options, "object"))
  return settingsAt(options, compose(chosen("settingsFrom", options)))
}

/** Returns the faults of a choice of features, as text. Names must be unique, because trails and discovery identify things by name. */
export const compositionFaults = (options: Choice & Creating): ReadonlyArray<string> => {
  refuseFaults("compositionFaults", kindFault("options", options, "object"))
  const provider = compose(options)
  return faultsAt(options, provider, namedTwice(provider, allTablesOf(provider)))
}

/** Throws a `TypeError` if an embedder's registration rule has the name of another rule, because a fault could not identify its rule. */
export const refuseSharedNames = (choice: Choice): void => {
  const provider = compose(choice)
  if (provider.features.every(({ registration }) => typeof registration !== "object")) return
  const [shared] = namedTwice(provider, allTablesOf(provider))
  if (shared !== undefined) throw new TypeError(shared)
}

/** Lists every rule table of the features of a provider, as in the reference. */
export const ruleTablesOf = (choice: Choice): ReadonlyArray<TableEntry> => tableEntriesAt(compose(chosen("ruleTablesOf", choice)))

/** Every rule table of the default features and of the extension grants of core: the source of the rule reference. */
export const ruleTables: ReadonlyArray<TableEntry> = ruleTablesOf({
  features: [
    ...defaultFeatures,
    registration(),
    ciba(),
    metadataDocuments(),
    sessionManagement(),
    upstreamLogout(),
    idJag({ authorizationServers: [], identityProviders: [] }),
  ],
  grants: [tokenExchange(), jwtBearer({ issuers: [] })],
})

const signOutKinds: MemberKinds<SignOutPorts> = {
  clients: "object",
  tokens: "object",
  digest: "object?",
  entropy: "object?",
  timer: "object?",
  clock: "function",
}

/**
 * Signs a person out everywhere, for example after a change of their password or when they may no longer sign in. It ends every session,
 * revokes every grant with the codes and tokens derived from it, and lets the features of a provider notify clients, all in the same
 * commits. Resolves to the number of sessions that were live. Rejects as the ports do, and with a `TypeError` for what it cannot use.
 */
export const signOutEverywhere = async (options: ProviderOptions, ports: SignOutPorts, subject: string): Promise<number> => {
  refuseFaults(
    "signOutEverywhere",
    kindFault("options", options, "object"),
    partFaults("ports", ports, signOutKinds, "SignOutPorts"),
    kindFault("subject", subject, "text"),
  )
  const provider = compose(options)
  return signedOutEverywhere(provider, settingsAt(options, provider), ports, options, subject)
}
