import { secretBits } from "@postern/stores"

/**
 * The minimum entropy of a password, in bits. It is low because passwords must be memorable; attempts are limited, and the hash is slow.
 */
const leastBits = 30

/** Returns the weakness of a password, as the end of a sentence about it; undefined if it has none (NIST SP 800-63B §3.1.1.2). */
export const weakPassword = (username: string, password: string): string | undefined => {
  if (password.length < 8) return "is shorter than 8 characters"
  if (password.toLowerCase().includes(username.toLowerCase())) return "contains the username"
  return secretBits(password) < leastBits ? "could be guessed" : undefined
}
