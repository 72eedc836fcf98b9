/** Reports whether a Host header names this provider. A foreign name may have been pointed at this address (DNS rebinding). */
export const isOurs = (host: string | undefined, issuer: string): boolean =>
  host !== undefined && (host === new URL(issuer).host || /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host))

/** The reason for refusing a request for another Host, with status 421 (RFC 9110 §15.5.20). */
export const notOurs = "the Host is neither the issuer's nor this machine's"
