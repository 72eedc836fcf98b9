import type { Limited } from "@postern/core/ports"
import { documentOptions } from "./features.ts"
import type { ConfigFile } from "./schema.ts"

/**
 * The default limit of client metadata document fetches per address and minute. Cached documents need no fetch, so an office or a hosted
 * client behind one address needs as many fetches as it has clients. The limit is below the 120 fetches per minute that a process may send
 * to one host, so a single address can't use them all.
 */
const documentFetches = 60

/** Returns the rate limits of a configuration, or undefined if there are none. */
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
