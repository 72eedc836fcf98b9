import type { Limited } from "@postern/core/ports"
import { documentOptions } from "./features.ts"
import type { ConfigFile } from "./schema.ts"

/**
 * The documents of clients that are fetched for one address in a minute, where nothing is stated. A document that is kept needs no fetch, so an office or a hosted client behind one
 * address asks for as many as it has clients; and nobody alone has a host asked as often as one process may ask it, 120 times.
 */
const documentFetches = 60

/** The limits of requests that a configuration states; undefined where nothing is limited. */
export const limitsOf = (config: ConfigFile): Readonly<Record<Limited, number | undefined>> | undefined => {
  const areDocumentsServed = documentOptions(config) !== undefined
  const { limits = areDocumentsServed ? {} : undefined } = config
  if (limits === undefined) return undefined
  return {
    client: limits.token_requests_per_client,
    address: limits.token_requests_per_address,
    authorizeAddress: limits.authorization_requests_per_address,
    deviceClient: limits.device_authorization_requests_per_client,
    deviceAddress: limits.device_authorization_requests_per_address,
    pushClient: limits.pushed_authorization_requests_per_client ?? limits.token_requests_per_client,
    pushAddress: limits.pushed_authorization_requests_per_address ?? limits.token_requests_per_address,
    registrationAddress: limits.client_registrations_per_address,
    backchannelClient: limits.backchannel_authentication_requests_per_client,
    backchannelAddress: limits.backchannel_authentication_requests_per_address,
    documentAddress: limits.document_fetches_per_address ?? (areDocumentsServed ? documentFetches : undefined),
    logoutAddress: limits.upstream_logouts_per_address,
  }
}
