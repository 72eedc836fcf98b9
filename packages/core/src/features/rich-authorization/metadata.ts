import { flagMember, member, values } from "../../model/index.ts"

/** The name of the types in the configuration and in the metadata of clients (RFC 9396 §10). */
export const typesName = "authorization_details_types"

/** The types of a provider's authorization details, by identifier. */
export const detailTypes = member(
  typesName,
  values.object,
  {},
  "Types of authorization_details (RFC 9396), by identifier: see docs/authorization-details.md. Default: none.",
)

/** The types that a client may use (RFC 9396 §10). */
export const clientTypes = member(
  typesName,
  values.texts,
  [],
  "Types of authorization_details that the client may use (RFC 9396). Default: none.",
)

/** Requires a client, or every client of a provider, to protect the integrity of authorization details (RFC 9396 §12). */
export const protectionRequired = flagMember(
  "require_protected_authorization_details",
  "Takes authorization_details from pushed requests and signed request objects alone (RFC 9396 §12). Default: false.",
)
