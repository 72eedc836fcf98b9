/** A parameter of authorization requests, in a query, a form, a pushed request or a request object. It is kept while a person is asked. */
export interface AuthorizationParameter {
  /** Its name. */
  readonly name: string
  /** True if it may come more than once; any other is refused then (RFC 6749 §3.1). */
  readonly repeats?: boolean
}

/** The parameters of authorization requests that a provider knows. Any other is ignored (RFC 6749 §3.1), and not kept: it may be a credential sent by mistake. */
export interface AuthorizationParameters {
  /** Their names. */
  readonly known: ReadonlySet<string>
  /** Names of those that may come more than once. */
  readonly repeated: ReadonlySet<string>
}
