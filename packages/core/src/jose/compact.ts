/**
 * Returns a JWS or JWE in compact form; throws if it has other characters than base64url, such as white space or padding (RFC 7515 §5.2,
 * RFC 7516 §5.2), which an engine's own reader of base64url skips.
 */
export const compact = (jose: string): string => {
  if (/[^\w.-]/.test(jose)) throw new TypeError("not base64url")
  return jose
}
