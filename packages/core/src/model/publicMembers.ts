/** The public members of a JWK, by key type (RFC 7518 §6, RFC 8037 §2); all others are private. */
export const publicMembers: Readonly<Record<string, ReadonlyArray<"n" | "e" | "crv" | "x" | "y">>> = {
  RSA: ["n", "e"],
  EC: ["crv", "x", "y"],
  OKP: ["crv", "x"],
}
