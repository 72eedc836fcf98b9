import { type Field, Signature, Texts, clientField, encryptionFields } from "../../model/index.ts"

/** Client metadata of introspections, and of those that are asked for as JWTs (RFC 9701 §6). */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField("introspection_resources", Texts, "Identifiers of the resources whose access tokens the client may introspect."),
  clientField(
    "introspection_signed_response_alg",
    Signature,
    "The algorithm of introspections it asks for as JWTs (RFC 9701). Default: RS256.",
  ),
  ...encryptionFields("introspection", "JWT introspection responses"),
]
