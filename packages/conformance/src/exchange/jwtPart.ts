/** Encodes a header or claims as a part of a JWT (RFC 7515 §3.1). */
export const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
