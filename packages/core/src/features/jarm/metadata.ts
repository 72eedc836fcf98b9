import {
  type Client,
  ContentEncryption,
  type EncryptionPlan,
  KeyEncryption,
  Signature,
  encryptionChoice,
  member,
  optionalMember,
} from "../../model/index.ts"

/** The algorithm that signs a client's authorization responses (JARM §3); never `none`. */
export const signingAlg = member(
  "authorization_signed_response_alg",
  Signature,
  "RS256",
  "The algorithm of its authorization responses as JWTs (JARM). Default: RS256.",
)

/** The key encryption of a client's authorization responses (JARM §3). */
export const encryptionAlg = optionalMember(
  "authorization_encrypted_response_alg",
  KeyEncryption,
  "Key encryption of its authorization responses as JWTs. Default: not encrypted.",
)

/** The content encryption of a client's authorization responses (JARM §3). */
export const encryptionEnc = optionalMember(
  "authorization_encrypted_response_enc",
  ContentEncryption,
  "Content encryption of its authorization responses as JWTs. Default: A128CBC-HS256.",
)

/** The encryption of a client's authorization responses; undefined if it asks for none. */
export const encryptionOf = (client: Client): EncryptionPlan | undefined => {
  const choice = encryptionChoice(encryptionAlg.of(client), encryptionEnc.of(client))
  return choice && { ...choice, keys: client.keys }
}
