import { hash } from "node:crypto"

const prefix = "$sha256$"

/**
 * Digests a secret with at least 128 bits of entropy. Such a secret cannot be guessed at any speed, so neither a salt nor a slow hash would
 * make it safer (NIST SP 800-63B §3.1.2.2 on look-up secrets). The digest includes the client, so that one client's digest is of no use for
 * another.
 */
export const digestSecret = (clientId: string, secret: string): string =>
  prefix + hash("sha256", `postern client secret\n${clientId}\n${secret.normalize("NFC")}`, "base64url")

/** Reports whether a stored form is a fast digest instead of a slow hash. */
export const isDigest = (kept: string): boolean => kept.startsWith(prefix)
