import {
  type Client,
  type EncryptionPlan,
  contentEncryptionAlgorithms,
  keyEncryptionAlgorithms,
  member,
  optionalMember,
  values,
} from "../../model/index.ts"

/** The algorithm that signs a client's authorization responses (JARM §3); never `none`. */
export const signingAlg = member(
  "authorization_signed_response_alg",
  values.oneOf(["RS256", "ES256", "PS256", "EdDSA"]),
  "RS256",
  "The algorithm of its authorization responses as JWTs (JARM). Default: RS256.",
)

/** The key encryption of a client's authorization responses (JARM §3). */
export const encryptionAlg = optionalMember(
  "authorization_encrypted_response_alg",
  values.oneOf(keyEncryptionAlgorithms),
  "Key encryption of its authorization responses as JWTs. Default: not encrypted.",
)

/** The content encryption of a client's authorization responses (JARM §3). */
export const encryptionEnc = optionalMember(
  "authorization_encrypted_response_enc",
  values.oneOf(contentEncryptionAlgorithms),
  "Content encryption of its authorization responses as JWTs. Default: A128CBC-HS256.",
)

/** The encryption of a client's authorization responses; undefined where it asks for none. */
export const encryptionOf = (client: Client): EncryptionPlan | undefined => {
  const alg = encryptionAlg.of(client)
  return alg && { alg, enc: encryptionEnc.of(client) ?? "A128CBC-HS256", keys: client.keys }
}
