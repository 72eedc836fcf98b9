/**
 * A protection that a client or its profile may demand: the feature that gives it, and the member of client metadata by which a provider has that feature. A provider without
 * the feature must know both, to refuse such a client and to say what it needs; nothing else outside of the features names them.
 */
export type Demand = readonly [feature: string, member: string]

/** Access tokens that are bound to a key (RFC 9449 §5.2). */
export const keyBound = ["dpop", "dpop_bound_access_tokens"] as const satisfies Demand

/** Access tokens that are bound to a certificate (RFC 8705 §3.4). */
export const certificateBound = ["mutual-tls", "tls_client_certificate_bound_access_tokens"] as const satisfies Demand

/** Requests that are pushed (RFC 9126 §5, §6). */
export const pushedAlone = ["pushed-authorization", "require_pushed_authorization_requests"] as const satisfies Demand
