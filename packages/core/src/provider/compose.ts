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
  clientFieldsAt,
  compositionOf,
  registeringAt,
  rowKindsAt,
  tableEntriesAt,
} from "./composition.ts"
import { type Creating, faultsAt, namedTwice } from "./creation.ts"
import { defaultFeatures } from "./defaults.ts"
import { type DeliveredOptions, type DeliveryPorts, deliveriesAt } from "./deliveries.ts"
import { type ProviderOptions, settingsAt } from "./options.ts"
import { type SignOutPorts, signedOutEverywhere } from "./signOut.ts"

// Each function takes the default features where it is given none: whoever imports this file has all of them. `composition.ts` has those that are given alone.

/** Adds the features of a provider up. */
export const compose = (
  { features = defaultFeatures, grants }: Choice = {},
  identityProviders?: ReadonlyArray<IdentityProvider>,
): Composition => compositionOf({ features, grants }, identityProviders)

/** Returns what the features of a provider mean for the registration of clients. */
export const registering = (choice: Choice): Registering => registeringAt(compose(choice))

/** A schema of client metadata. */
export interface ClientMetadataSchema extends Schema.Codec<ClientMetadata> {
  /** The schemas of its fields, by name. */
  readonly fields: Readonly<Record<string, Schema.Top>>
}

/** Every field of client metadata at a provider, the kept ones last: those that decide nothing, and that no feature has. */
export const clientFieldsOf = (choice: Choice): ReadonlyArray<Field> => clientFieldsAt(compose(choice))

/** The schema of client metadata at a provider: every field may be left out but the identifier. */
export const clientMetadataSchema = (choice: Choice): ClientMetadataSchema =>
  // The fields of features are checked against `ClientMetadata` where they are made.
  Schema.Struct({ ...fieldsOf(clientFieldsOf(choice)), client_id: schemaOf(clientIdField.values) }) as unknown as ClientMetadataSchema

/** Every kind of row that the stores of a provider keep: those of core, and those of its features. */
export const rowKindsOf = (choice: Choice): ReadonlyArray<RowKind> => rowKindsAt(compose(choice))

/** The handlers of the messages that a provider's features write, for `startDelivering`: by the options of the provider, whose settings decide what is told. */
export const deliveriesOf = (choice: Choice & DeliveredOptions, given: DeliveryPorts): Readonly<Record<string, DeliveryHandler>> =>
  deliveriesAt(compose(choice), given, choice)

/** The settings that follow from the options. Throws a `TypeError` that tells every fault of theirs. */
export const settingsFrom = (options: ProviderOptions): Settings => settingsAt(options, compose(options))

/** The faults of a choice of features, in words. Two things must not have one name: neither a trail nor discovery could tell them apart. */
export const compositionFaults = (options: Choice & Creating): ReadonlyArray<string> => {
  const provider = compose(options)
  return faultsAt(options, provider, namedTwice(provider, allTablesOf(provider)))
}

/** Throws a `TypeError` where a rule of registration of an embedder's own has the name of another rule: a fault could not tell which of them found it. */
export const refuseSharedNames = (choice: Choice): void => {
  const provider = compose(choice)
  if (provider.features.every(({ registration }) => typeof registration !== "object")) return
  const [shared] = namedTwice(provider, allTablesOf(provider))
  if (shared !== undefined) throw new TypeError(shared)
}

/** Lists every table of the features of a provider, as the reference does. */
export const ruleTablesOf = (choice: Choice): ReadonlyArray<TableEntry> => tableEntriesAt(compose(choice))

/** Every table of the default features and of the extension grants that core ships: the source of the rule reference. */
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

/**
 * Signs a person out everywhere, as after a change of their password or where they may not sign in any more: ends every session, revokes every grant with the codes
 * and tokens made from it, and has the features of a provider tell clients of it, all in the same commits. Answers with the number of sessions that lasted until now. Rejects as the ports do.
 */
export const signOutEverywhere = (options: ProviderOptions, ports: SignOutPorts, subject: string): Promise<number> => {
  const provider = compose(options)
  return signedOutEverywhere(provider, settingsAt(options, provider), ports, subject)
}
