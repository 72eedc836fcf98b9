import { encryptionAlgorithms } from "@postern/core/jose"
import type { ClientMetadata, Json } from "@postern/core/model"
import type { Finding } from "../config/fault.ts"
import { registrationJudge } from "../config/rules/clients.ts"
import type { DataPlace } from "./place.ts"

const detailTypesIn = ({ authorization_details_types: stated = {} }: Readonly<Record<string, Json>>): object =>
  typeof stated === "object" && stated !== null ? stated : {}

/**
 * Returns the registration findings about a client, under the configuration if there is one. `secretKept` is true if the client's secret is
 * in the store. `signingAlgorithms` are those of the configuration by default.
 */
export const clientFindings = (
  client: ClientMetadata,
  { setup }: Pick<DataPlace, "setup">,
  secretKept = false,
  signingAlgorithms: ReadonlyArray<string> | undefined = setup?.algorithms,
): ReadonlyArray<Finding> =>
  registrationJudge({
    catalog: setup?.catalog,
    identityProviders: setup?.upstream.map(({ name }) => name),
    detailTypes: setup && Object.keys(detailTypesIn(setup.settings)),
    features: setup?.features,
    secretKept,
    pairwise: setup === undefined || setup.pairwiseSalt !== undefined,
    sealing: setup?.keyEncryptionKey !== undefined,
    profile: setup?.profile,
    development: setup?.development ?? true,
    encryptionAlgorithms: setup?.encryptionAlgorithms ?? encryptionAlgorithms,
    signingAlgorithms,
  })(client)
