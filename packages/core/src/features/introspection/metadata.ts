import { type Field, Signature, Texts, encryptionFields, plainField } from "../../model/index.ts"

/** Client metadata for introspection, and for responses that are requested as JWTs (RFC 9701 §6). */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("introspection_resources", Texts),
  plainField("introspection_signed_response_alg", Signature),
  ...encryptionFields("introspection", "JWT introspection responses"),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  introspection_resources: "Identifiers of the resources whose access tokens the client may introspect.",
  introspection_signed_response_alg: "The algorithm of introspections it asks for as JWTs (RFC 9701). Default: RS256.",
}
