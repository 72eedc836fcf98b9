import * as Context from "effect/Context"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { JwtsPort } from "./jwts.ts"
import type { Lift, Lifted, LiftedTokenStore } from "./lifted.ts"
import * as lifted from "./lifted.ts"
import type { OutboundPort } from "./outbound.ts"
import type { AuthenticatorPort, ClientStorePort, DigestPort, SignerPort } from "./plain.ts"
import type { TokenStorePort } from "./tokenStore.ts"

/** The store of registered clients, as an Effect service. */
export class ClientStore extends Context.Service<ClientStore, Lifted<ClientStorePort>>()("@postern/core/ClientStore") {
  static readonly from: (port: ClientStorePort, lift?: Lift) => Lifted<ClientStorePort> = lifted.clientStoreOf
}

/** The store of all mutable state, as an Effect service. */
export class TokenStore extends Context.Service<TokenStore, LiftedTokenStore>()("@postern/core/TokenStore") {
  static readonly from: (port: TokenStorePort, lift?: Lift) => LiftedTokenStore = lifted.tokenStoreOf
}

/** Signs and verifies the provider's own JWTs, as an Effect service. */
export class Signer extends Context.Service<Signer, Lifted<SignerPort>>()("@postern/core/Signer") {
  static readonly from: (port: SignerPort, lift?: Lift) => Lifted<SignerPort> = lifted.signerOf
}

/** Authenticates the people who may sign in, as an Effect service. */
export class Authenticator extends Context.Service<Authenticator, Lifted<AuthenticatorPort>>()("@postern/core/Authenticator") {
  static readonly from: (port: AuthenticatorPort, lift?: Lift) => Lifted<AuthenticatorPort> = lifted.authenticatorOf
}

/** SHA-2, as an Effect service. */
export class Digest extends Context.Service<Digest, Lifted<DigestPort>>()("@postern/core/Digest") {
  static readonly from: (port: DigestPort, lift?: Lift) => Lifted<DigestPort> = lifted.digestsOf
}

/** Fetches documents that clients publish, as an Effect service. */
export class Outbound extends Context.Service<Outbound, Lifted<OutboundPort>>()("@postern/core/Outbound") {
  static readonly from: (port: OutboundPort, lift?: Lift) => Lifted<OutboundPort> = lifted.outboundOf
}

/** Verifies and encrypts JWTs with keys of other parties, as an Effect service. */
export class Jwts extends Context.Service<Jwts, Lifted<JwtsPort>>()("@postern/core/Jwts") {
  static readonly from: (port: JwtsPort, lift?: Lift) => Lifted<JwtsPort> = lifted.jwtsOf
}

/** Signs people in at other providers, as an Effect service. */
export class IdentityProviders extends Context.Service<IdentityProviders, Lifted<IdentityProvidersPort>>()(
  "@postern/core/IdentityProviders",
) {
  static readonly from: (port: IdentityProvidersPort, lift?: Lift) => Lifted<IdentityProvidersPort> = lifted.identityProvidersOf
}
