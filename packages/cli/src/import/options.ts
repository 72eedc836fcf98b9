/** An option of oidc-provider 9 and its equivalent here. */
export interface PeerOption {
  /** The dotted name. */
  readonly option: string
  /**
   * `translated`: the import writes the setting. `built in`: Postern behaves so without a setting. `by hand`: there is a setting, but the
   * option is a function or contains something that only the operator knows. `none`: there is no equivalent.
   */
  readonly how: "translated" | "built in" | "by hand" | "none"
  /** Our setting, or the reason why there is none. */
  readonly here: string
}

const rows = (how: PeerOption["how"], all: Readonly<Record<string, string>>): ReadonlyArray<PeerOption> =>
  Object.entries(all).map(([option, here]) => ({ option, how, here }))

/** Every option of oidc-provider 9.13. */
export const peerOptions: ReadonlyArray<PeerOption> = [
  ...rows("translated", {
    claims:
      "`scopes`, each with its claims; the standard scopes have theirs by themselves. A claim that stands alone (`null`) is asked for by the `claims` parameter",
    clientDefaults: "written into each client",
    clients: "`clients`, by the same names of RFC 7591. Names that are unknown here are left out, and told",
    "features.pushedAuthorizationRequests": "always there; `requirePushedAuthorizationRequests` is `require_pushed_authorization_requests`",
    "pkce.required":
      "`require_pkce` of each client: as by default there, only public clients must. A function is told, and every client must then",
    scopes: "`resources`: those without claims are of one API, the audience of their tokens. Name yours",
    subjectTypes: "`subject_type` of each client; with `pairwise`, `pairwise_salt` is needed",
    ttl: "`lifetimes`, in seconds too. A function is told, and the default of oidc-provider is taken",
  }),
  ...rows("built in", {
    acceptQueryParamAccessTokens: "never taken: RFC 9700 §4.3.2 forbids it, and so does OAuth 2.1",
    allowOmittingSingleRegisteredRedirectUri:
      "`redirect_uri` must always be sent where `openid` is asked for (OpenID Connect Core §3.1.2.1)",
    assertJwtClientAuthClaimsAndHeader:
      "claims and header of a client assertion are judged by the rules of RFC 7523 §3; `client_assertion_audience` of a client says which audience it names",
    clientAuthMethods: "every method that there is; a client uses the one that it is registered with",
    clientBasedCORS:
      "programs of any origin may call the endpoints that are meant for them; a client is proved by its credentials, not by its origin",
    clockTolerance: "30 seconds for the JWTs of others, 10 for DPoP proofs",
    conformIdTokenClaims: "always: scopes put claims into userinfo; `id_token_user_claims` of a client puts them into the ID token",
    cookies:
      "names, keys and flags are fixed: `__Host-`, `HttpOnly`, `Secure`, `SameSite=Lax`; values are random, so that nothing is signed",
    enabledJWA: "`none` is never taken for tokens; `signing.algorithms` chooses the keys that there are",
    enableHttpPostMethods: "authorization requests by POST are taken, as OpenID Connect Core §3.1.2.1 demands",
    expiresWithSession: "tokens outlive the session where `offline_access` was granted; `revoke_on_logout` of a client ends them with it",
    "features.backchannelLogout": "there for each client with `backchannel_logout_uri`",
    "features.claimsParameter": "always there",
    "features.clientCredentials": "there for each client whose `grant_types` name it",
    "features.dPoP":
      "always there; `requireNonce` is `require_dpop_nonces`, `dpop_bound_access_tokens` of a client requires it, a proof is good once",
    "features.encryption": "there for each client whose metadata names an encryption algorithm",
    "features.introspection":
      "always there; a client may introspect its own tokens, and those for the `introspection_resources` that it stands for",
    "features.jwtIntrospection": "there for each client with `introspection_signed_response_alg` (RFC 9701)",
    "features.jwtResponseModes": "always there (JARM)",
    "features.jwtUserinfo": "there for each client with `userinfo_signed_response_alg`",
    "features.requestObjects": "always there; `require_signed_request_object` of a client",
    "features.revocation": "always there, for a client's own tokens (RFC 7009 §2.1)",
    "features.rpInitiatedLogout": "always there; pages are the provider's or your templates",
    "features.userinfo": "always there",
    formats: "256 random bits; kept as a digest. `access_token_format` of a client chooses JWT (RFC 9068) or `reference`",
    revokeGrantPolicy: "a replayed code or refresh token revokes its grant, always (RFC 9700 §4.14)",
    responseTypes: "`response_types` of each client; `none` is not there",
    rotateRefreshToken: "always, with `refresh_token_grace` for a retry and an end of the family at a replay",
    issueRefreshToken: "where `offline_access` was granted and the client's `grant_types` name `refresh_token`",
    sectorIdentifierUriValidate: "always, by OpenID Connect Core §8.1",
  }),
  ...rows("by hand", {
    acrValues: "`acr_values_supported`, from weakest to strongest; `acr` has the contexts of sign-ins that state none",
    adapter: "`data`: a folder for SQLite, or `postgres://…`; an embedder's token store",
    discovery: "written from what there is; a feature of your own adds members (`discovery`)",
    extraClientMetadata: "a feature of your own declares `clientMetadata`, with rules of registration",
    extraParams: "a feature of your own declares `authorizationParameters`",
    "features.ciba":
      "`ciba`: how people are told, their codes, the issuers of `login_hint_token`s (docs/ciba.md); an embedder's `authenticator.identify` finds whom a `login_hint` names",
    "features.clientIdMetadataDocument": "`metadata_documents`, or the profile `mcp`: whose documents are taken (docs/clients.md)",
    "features.deviceFlow":
      "there for each client whose `grant_types` name it; codes have eight letters of an alphabet without vowels, pages are templates",
    "features.richAuthorizationRequests": "declare the types under `authorization_details_types`: see docs/authorization-details.md",
    "features.resourceIndicators": "`resources`: each with its identifier and scopes, in place of `getResourceServerInfo`",
    "features.fapi": "`profile`, of a client or of all: `fapi2-security`, `fapi2-message-signing`, `fapi1-advanced`",
    "features.mTLS":
      "`mutual_tls`: a listener that asks for certificates, or proxies that pass them on; `tls_client_certificate_bound_access_tokens` of a client",
    "features.registration":
      "`registration`: who may register clients, with which limits; initial access tokens by `postern registration tokens` (docs/clients.md)",
    "features.registrationManagement": "with `registration`: clients that registered themselves manage that (RFC 7592)",
    fetch: "an embedder's `outbound`; the command fetches public addresses alone, within limits",
    fetchResponseBodyLimits: "fixed limits for each document; an embedder's `outbound` has its own",
    findAccount: "`users`, or the database of the command; an embedder's `authenticator` (docs/people.md)",
    interactions:
      "pages of the provider's, your templates (`pages`), or routes of your own (`interactions` of an embedder: docs/embedding.md)",
    jwks: "the provider makes, keeps and rotates its keys: tokens that the old ones signed are not verified, so let them expire, or have resources take both issuers' keys for a while",
    pairwiseIdentifier: "computed from `pairwise_salt` and the sector: each client of this type sees other subjects than before",
    renderError: "the template `error.liquid`, or the `Error` page of an embedder's `pages`",
    routes: "paths are fixed, below the issuer's; clients find them in discovery. See the list below",
  }),
  ...rows("none", {
    extraTokenClaims:
      "claims of a token come from scopes and the person; a feature of your own can add a grant, but no claim to the tokens of others",
    "features.attestClientAuth": "attestation-based client authentication is a draft",
    "features.devInteractions": "`postern demo` has people and pages to try; there is no sign-in without a password",
    "features.externalSigningSupport": "an embedder's `signer` may ask any service; the command keeps its keys itself",
    "features.openid4vci": "credentials are not issued",
    "features.rpMetadataChoices": "a draft, and not there",
    "features.webMessageResponseMode": "a draft, and not there: use a redirect in a popup",
    loadExistingGrant: "consents of earlier requests count by themselves, until they are withdrawn or `consent_lifetime` ends",
  }),
]

/** Returns the entry of an option, or that of its first name segment if it has none. */
export const peerOption = (option: string): PeerOption | undefined =>
  peerOptions.find((each) => each.option === option) ??
  peerOptions.find((each) => each.option.split(".")[0] === option && !option.includes("."))
