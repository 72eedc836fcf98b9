export { readClaims } from "./claims.ts"
export { type KeyTimes, type OpenKey, generateKey, privateKeyOf, publicKeyOf } from "./generate.ts"
export { type JwsHeader, type JwsPrimitives, joseJws } from "./jws.ts"
export { joseJwts } from "./jwts.ts"
export {
  type DueKey,
  type KeyPolicy,
  type KeyState,
  type RingKey,
  activeKey,
  defaultKeyPolicy,
  dueKeys,
  publishedKeys,
  removableKeys,
  ringOf,
} from "./keyring.ts"
export { type PartitionedKeysOptions, partitionedKeys } from "./partitionedKeys.ts"
export { type KeyCare, KeysContended, listKeys, rotateKeys, tendKeys } from "./rotation.ts"
export { type KeyEncryption, KeyUnreadable, isSealed, keyEncryption } from "./sealing.ts"
export { type JoseSigner, type JoseSignerOptions, NoSigningKey, joseJwsSigner, joseSigner } from "./signer.ts"
export { type KeyAlgorithm, type SigningKey, type SigningKeyStore, encryptionAlgorithms, signingAlgorithms } from "./signingKey.ts"
export { joseJwsVerifier, verify as joseVerify } from "./verification.ts"
