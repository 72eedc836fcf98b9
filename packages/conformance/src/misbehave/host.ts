/** Reports whether a Host names this provider: a name elsewhere may have been made to point here (DNS rebinding). */
export const isOurs = (host: string | undefined, issuer: string): boolean =>
  host !== undefined && (host === new URL(issuer).host || /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host))

/** The reason that a request for another Host is refused with, by status 421 (RFC 9110 §15.5.20). */
export const notOurs = "the Host is neither the issuer's nor this machine's"
