/** An authorization request parameter, in a query, a form, a pushed request or a request object. It is stored while a person is asked. */
export interface AuthorizationParameter {
  /** Its name. */
  readonly name: string
  /** True if it may be repeated. A repetition of any other parameter is refused (RFC 6749 §3.1). */
  readonly repeats?: boolean
}

/**
 * The authorization request parameters that a provider knows. Any other is ignored (RFC 6749 §3.1) and not stored, because it may be a
 * credential that was sent by mistake.
 */
export interface AuthorizationParameters {
  /** Their names. */
  readonly known: ReadonlySet<string>
  /** Names of those that may be repeated. */
  readonly repeated: ReadonlySet<string>
}
