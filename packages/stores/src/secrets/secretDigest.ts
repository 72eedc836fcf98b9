import { hash, timingSafeEqual } from "node:crypto"

const prefix = "$sha256$"

/**
 * Makes a row's digest of a secret with at least 128 bits of entropy: nobody can guess at those, however fast, so that neither salt nor a slow hash
 * would make it safer (NIST SP 800-63B §5.1.2.2 on look-up secrets). The client is part of it: no row's digest is good for another.
 */
export const digestSecret = (clientId: string, secret: string): string =>
  prefix + hash("sha256", `postern client secret\n${clientId}\n${secret.normalize("NFC")}`, "base64url")

/** Reports whether a row keeps a fast digest, rather than a slow hash. */
export const isDigest = (kept: string): boolean => kept.startsWith(prefix)

/** Compares two digests of one length in constant time. */
export const sameText = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
