/** Requirements of a profile on its clients. Each member is a parameter of the rules that its comment names. */
export interface ProfileParameters {
  /**
   * Clients that need PKCE, in addition to public ones: `by-client` for those whose metadata has `require_pkce`, `pushed` for these and all
   * that push their request, or `all`. Parameter of `authorize.challenge-required` and `pushed-authorization.challenge-required`.
   */
  readonly pkce: "by-client" | "pushed" | "all"
  /**
   * Clients that may use the challenge method `plain`: those whose metadata has `allow_plain_pkce`, or none. Parameter of
   * `authorize.challenge-plain-allowed`.
   */
  readonly plainPkce: "by-client" | "none"
  /** Refused response types, in canonical word order. Parameter of `authorize.response-type-profile`. */
  readonly refusedResponseTypes: ReadonlyArray<string>
  /** Refused grant types. Parameter of `token.grant-type-profile`. */
  readonly refusedGrantTypes: ReadonlyArray<string>
  /** Methods of client authentication: the client's own, or only these. Parameter of `client.method-profile`. */
  readonly authMethods: "by-client" | ReadonlyArray<string>
  /**
   * The audience of client assertions: as `client_assertion_audience` states, or only the issuer, as a string. Parameter of
   * `assertion.audience`.
   */
  readonly assertionAudience: "by-client" | "issuer"
  /**
   * Algorithms of assertions, request objects, proofs and tokens: the client's own, or only these. Parameter of `assertion.algorithm`,
   * `dpop.algorithm-profile`, `request-object.algorithm` and the rules named `….algorithm-profile`.
   */
  readonly algorithms: "by-client" | ReadonlyArray<string>
  /**
   * Sender constraint of tokens: as the client metadata states, to a key or a certificate, or to a certificate. Parameter of
   * `token.confirmation-profile`.
   */
  readonly senderConstraint: "by-client" | "key-or-certificate" | "certificate"
  /** Rotation of refresh tokens: a new one at each use, or the same one until it expires. Parameter of `refresh.unrotated`. */
  readonly rotation: "each-use" | "none"
  /**
   * Ports in redirect URIs of native clients on `http://localhost`: as the client metadata states, or any. Parameter of
   * `authorize.redirect-uri-registered` and `registration.redirect-uris`.
   */
  readonly loopbackLocalhost: "by-client" | "any-port"
  /**
   * Scopes of clients with a client metadata document, if no policy states them: the identity scopes and `offline_access`, or all.
   * Parameter of `authorize.scope-allowed`.
   */
  readonly documentScopes: "identity" | "all"
  /** The maximum lifetime of a code. Parameter of `code.fresh`. */
  readonly longestCode: "by-client" | "60 s"
  /** The maximum lifetime of a pushed request before its first use. Parameter of `pushed-request.fresh`. */
  readonly longestPushed: "by-client" | "599 s"
  /** Clients that must push their requests: those whose metadata states it, or all. Parameter of `authorize.pushed-request-required`. */
  readonly pushing: "by-client" | "all"
  /**
   * Clients that must sign their requests: those whose metadata states it, or all. Parameter of `authorize.request-object-required` and
   * `pushed-authorization.request-alone`.
   */
  readonly signedRequests: "by-client" | "all"
  /**
   * Lifetime of signed requests: as they state, or at most an hour, which they must state together with an `aud`. Parameter of
   * `request-object.lifetime`.
   */
  readonly signedLife: "by-client" | "3600 s"
  /**
   * Sources of authorization details: as the client metadata states, or only pushed requests and signed request objects. Parameter of
   * `authorize.details-protected` and `request-object.details-signed`.
   */
  readonly details: "by-client" | "protected"
  /**
   * Accepted spellings of a resource: only the declared one, or also those that differ in the case of the host or in a trailing slash.
   * Parameter of `authorize.resource-allowed` and its siblings at the token endpoint.
   */
  readonly resourceForms: "declared" | "equivalent"
  /**
   * CIBA requests: as the client metadata states, or signed and with a binding message. Parameter of `ciba.signed` and
   * `ciba.binding-message-required`.
   */
  readonly backchannelRequests: "by-client" | "signed-with-message"
  /**
   * Response modes: any, a query or a JWT by redirect, only a JWT, or a JWT unless an ID token serves as the signature of the response.
   * Parameter of `authorize.response-mode-profile`.
   */
  readonly responses: "by-client" | "query-or-jwt" | "jwt" | "jwt-or-id-token"
}

/** A set of requirements on clients, as data: the rules that apply, and their parameters. */
export interface Profile {
  /** The value of the client metadata `profile`. */
  readonly name: string
  /** The specification that defines these requirements. */
  readonly cites: string
  /** Ids of rules that do not apply to its clients. */
  readonly off: ReadonlySet<string>
  /** The parameters of rules. */
  readonly parameters: ProfileParameters
}
