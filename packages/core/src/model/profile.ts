/** Demands of a profile on its clients: each member is the parameter of the rules that its comment names. */
export interface ProfileParameters {
  /**
   * Clients that need PKCE besides public ones: those whose metadata has `require_pkce`, these and all that push their request, or all. Of
   * `authorize.challenge-required` and `pushed-authorization.challenge-required`.
   */
  readonly pkce: "by-client" | "pushed" | "all"
  /** Clients that may use the challenge method `plain`: those whose metadata has `allow_plain_pkce`, or none. Of `authorize.challenge-plain-allowed`. */
  readonly plainPkce: "by-client" | "none"
  /** Response types that are refused, in canonical word order. Of `authorize.response-type-profile`. */
  readonly refusedResponseTypes: ReadonlyArray<string>
  /** Grant types that are refused. Of `token.grant-type-profile`. */
  readonly refusedGrantTypes: ReadonlyArray<string>
  /** Ways of client authentication: the client's own, or these alone. Of `client.method-profile`. */
  readonly authMethods: "by-client" | ReadonlyArray<string>
  /** The audience of client assertions: as `client_assertion_audience` says, or the issuer alone, as a text. Of `assertion.audience`. */
  readonly assertionAudience: "by-client" | "issuer"
  /** Algorithms of assertions, request objects, proofs and tokens: the client's own, or these alone. Of `assertion.algorithm`, `dpop.algorithm-profile`, `request-object.algorithm` and the rules named `….algorithm-profile`. */
  readonly algorithms: "by-client" | ReadonlyArray<string>
  /** Binding of tokens: as the metadata says, to a key or a certificate, or to a certificate. Of `token.confirmation-profile`. */
  readonly senderConstraint: "by-client" | "key-or-certificate" | "certificate"
  /** Refresh tokens: a new one at each use, or the same one until it ends. Of `refresh.unrotated`. */
  readonly rotation: "each-use" | "none"
  /** Redirect URIs of native clients on `http://localhost`: as their metadata says, or with any port. Of `authorize.redirect-uri-registered` and `registration.redirect-uris`. */
  readonly loopbackLocalhost: "by-client" | "any-port"
  /** Scopes of clients that are known by a document, where no policy says which: the identity scopes and `offline_access`, or all. Of `authorize.scope-allowed`. */
  readonly documentScopes: "identity" | "all"
  /** The longest life of a code. Of `code.fresh`. */
  readonly longestCode: "by-client" | "60 s"
  /** The longest life of a pushed request until its first visit. Of `pushed-request.fresh`. */
  readonly longestPushed: "by-client" | "599 s"
  /** Clients that must push their requests: those whose metadata says so, or all. Of `authorize.pushed-request-required`. */
  readonly pushing: "by-client" | "all"
  /** Clients that must sign their requests: those whose metadata says so, or all. Of `authorize.request-object-required` and `pushed-authorization.request-alone`. */
  readonly signedRequests: "by-client" | "all"
  /** Life of signed requests: as they say, or an hour at most, which they must state with an `aud`. Of `request-object.lifetime`. */
  readonly signedLife: "by-client" | "3600 s"
  /** Authorization details: as the metadata says, or from pushed requests and signed request objects alone. Of `authorize.details-protected` and `request-object.details-signed`. */
  readonly details: "by-client" | "protected"
  /**
   * Spellings of a resource that stand for it: the declared one, or also those that differ in the case of the host or in a slash at the end. Of
   * `authorize.resource-allowed` and its siblings at the token endpoint.
   */
  readonly resourceForms: "declared" | "equivalent"
  /** CIBA requests: as the metadata says, or signed and with a binding message. Of `ciba.signed` and `ciba.binding-message-required`. */
  readonly backchannelRequests: "by-client" | "signed-with-message"
  /**
   * Responses: by any mode, by redirect as a query or a JWT, by a JWT alone, or by a JWT unless an ID token is the signature of the response. Of
   * `authorize.response-mode-profile`.
   */
  readonly responses: "by-client" | "query-or-jwt" | "jwt" | "jwt-or-id-token"
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
