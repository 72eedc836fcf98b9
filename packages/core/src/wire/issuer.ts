/** The path of an issuer, without a slash at its end; empty for one without a path. */
export const basePathOf = (issuer: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(issuer)?.[1]?.replace(/\/$/, "") ?? ""
