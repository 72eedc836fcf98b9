/** Demands of a profile on its clients: each member is the parameter of the rules that its comment names. */
export interface ProfileParameters {
  /** Clients that need PKCE besides public ones: those whose metadata has `require_pkce`, or all. Of `authorize.challenge-required`. */
  readonly pkce: "by-client" | "all"
  /** Clients that may use the challenge method `plain`: those whose metadata has `allow_plain_pkce`, or none. Of `authorize.challenge-plain-allowed`. */
  readonly plainPkce: "by-client" | "none"
  /** Response types that are refused, in canonical word order. Of `authorize.response-type-profile`. */
  readonly refusedResponseTypes: ReadonlyArray<string>
  /** Grant types that are refused. Of `token.grant-type-profile`. */
  readonly refusedGrantTypes: ReadonlyArray<string>
}

/** A set of demands that a client is held to, as data: which rules are on, and with which parameter. */
export interface Profile {
  /** The value of the client metadata `profile`. */
  readonly name: string
  /** The text that makes these demands. */
  readonly cites: string
  /** Ids of rules that are off for its clients. */
  readonly off: ReadonlySet<string>
  /** The parameters of rules. */
  readonly parameters: ProfileParameters
}
