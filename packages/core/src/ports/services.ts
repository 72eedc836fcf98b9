import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Secret } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { JwtsPort } from "./jwts.ts"
import type { OutboundPort } from "./outbound.ts"
import { type Awaitable, isLater } from "./awaitable.ts"
import type { AuthenticatorPort, ClientStorePort, DigestPort, SignerPort, TokenStorePort } from "./plain.ts"

/** A port that threw or rejected. Nothing was consumed, unless {@link isUncertain}; the request is answered `temporarily_unavailable`. */
export class PortFailed extends Data.TaggedError("PortFailed")<{
  readonly port: string
  readonly operation: string
  readonly cause: unknown
}> {}

/** Whether a port failed without anybody knowing if it did what it was asked: a commit whose answer never came. */
export const isUncertain = ({ operation: name, cause }: PortFailed): boolean =>
  name === "commit" && typeof cause === "object" && cause !== null && "uncertain" in cause && cause.uncertain === true

/** A plain port as Effects: each operation fails with {@link PortFailed} alone. */
export type Lifted<Port> = {
  readonly [Name in keyof Port]: NonNullable<Port[Name]> extends (...args: infer Args) => Awaitable<infer A>
    ? (...args: Args) => Effect.Effect<A, PortFailed>
    : never
}

/** Lifts one operation. A value given at once costs no promise. */
const operation =
  <Args extends ReadonlyArray<unknown>, A>(port: string, name: string, run: (...args: Args) => Awaitable<A>) =>
  (...args: Args): Effect.Effect<A, PortFailed> =>
    Effect.suspend(() => {
      const failed = (cause: unknown): PortFailed => new PortFailed({ port, operation: name, cause })
      try {
        const value = run(...args)
        return isLater(value) ? Effect.tryPromise({ try: () => Promise.resolve(value), catch: failed }) : Effect.succeed(value)
      } catch (cause) {
        return Effect.fail(failed(cause))
      }
    })

/** Where clients are registered, as an Effect service. */
export class ClientStore extends Context.Service<ClientStore, Lifted<ClientStorePort>>()("@postern/core/ClientStore") {
  static readonly from = (port: ClientStorePort): Lifted<ClientStorePort> => ({
    find: operation("ClientStore", "find", (clientId: string) => port.find(clientId)),
    verifySecret: operation("ClientStore", "verifySecret", (clientId: string, secret: Secret) => port.verifySecret(clientId, secret)),
    secretOf: operation("ClientStore", "secretOf", (clientId: string) => port.secretOf(clientId)),
  })
}

/** Where everything that changes lives, as an Effect service. */
export class TokenStore extends Context.Service<TokenStore, Lifted<TokenStorePort>>()("@postern/core/TokenStore") {
  static readonly from = (port: TokenStorePort): Lifted<TokenStorePort> => ({
    findGrant: operation("TokenStore", "findGrant", (id) => port.findGrant(id)),
    grantsOf: operation("TokenStore", "grantsOf", (subject) => port.grantsOf(subject)),
    findCode: operation("TokenStore", "findCode", (locator) => port.findCode(locator)),
    findAccessToken: operation("TokenStore", "findAccessToken", (locator) => port.findAccessToken(locator)),
    findRefreshToken: operation("TokenStore", "findRefreshToken", (locator) => port.findRefreshToken(locator)),
    findSession: operation("TokenStore", "findSession", (locator) => port.findSession(locator)),
    sessionsOf: operation("TokenStore", "sessionsOf", (subject) => port.sessionsOf(subject)),
    findInteraction: operation("TokenStore", "findInteraction", (locator) => port.findInteraction(locator)),
    findDevice: operation("TokenStore", "findDevice", (locator) => port.findDevice(locator)),
    findDeviceByUserCode: operation("TokenStore", "findDeviceByUserCode", (userCode) => port.findDeviceByUserCode(userCode)),
    findAttempts: operation("TokenStore", "findAttempts", (key) => port.findAttempts(key)),
    findConsent: operation("TokenStore", "findConsent", (subject, clientId) => port.findConsent(subject, clientId)),
    consentsOf: operation("TokenStore", "consentsOf", (subject) => port.consentsOf(subject)),
    commit: operation("TokenStore", "commit", (commands) => port.commit(commands)),
    durable: operation("TokenStore", "durable", () => port.durable?.()),
  })
}

/** Signs and recognises JWTs, as an Effect service. */
export class Signer extends Context.Service<Signer, Lifted<SignerPort>>()("@postern/core/Signer") {
  static readonly from = (port: SignerPort): Lifted<SignerPort> => ({
    sign: operation("Signer", "sign", (unsigned) => port.sign(unsigned)),
    verify: operation("Signer", "verify", (jwt, typ) => port.verify(jwt, typ)),
    decrypt: operation("Signer", "decrypt", (jwe) => port.decrypt(jwe)),
    keys: operation("Signer", "keys", () => port.keys()),
    algorithms: operation("Signer", "algorithms", () => port.algorithms()),
    encryptionAlgorithms: operation("Signer", "encryptionAlgorithms", () => port.encryptionAlgorithms()),
  })
}

/** Knows the people who may sign in, as an Effect service. */
export class Authenticator extends Context.Service<Authenticator, Lifted<AuthenticatorPort>>()("@postern/core/Authenticator") {
  static readonly from = (port: AuthenticatorPort): Lifted<AuthenticatorPort> => ({
    verify: operation("Authenticator", "verify", (credentials) => port.verify(credentials)),
    find: operation("Authenticator", "find", (subject) => port.find(subject)),
    admit: operation("Authenticator", "admit", (identity, tenant) => port.admit(identity, tenant)),
  })
}

/** SHA-2, as an Effect service. */
export class Digest extends Context.Service<Digest, Lifted<DigestPort>>()("@postern/core/Digest") {
  static readonly from = (port: DigestPort): Lifted<DigestPort> => ({
    sha256: operation("Digest", "sha256", (text) => port.sha256(text)),
    sha512: operation("Digest", "sha512", (text) => port.sha512(text)),
  })
}

/** Fetches what clients publish, as an Effect service. */
export class Outbound extends Context.Service<Outbound, Lifted<OutboundPort>>()("@postern/core/Outbound") {
  static readonly from = (port: OutboundPort): Lifted<OutboundPort> => ({
    fetch: operation("Outbound", "fetch", (url, accept) => port.fetch(url, accept)),
  })
}

/** JWTs under keys that are not ours, as an Effect service. */
export class Jwts extends Context.Service<Jwts, Lifted<JwtsPort>>()("@postern/core/Jwts") {
  static readonly from = (port: JwtsPort): Lifted<JwtsPort> => ({
    verify: operation("Jwts", "verify", (jwt, keys, algorithms) => port.verify(jwt, keys, algorithms)),
    verifySecret: operation("Jwts", "verifySecret", (jwt, secret, algorithms) => port.verifySecret(jwt, secret, algorithms)),
    encrypt: operation("Jwts", "encrypt", (text, contentType, choice, keys) => port.encrypt(text, contentType, choice, keys)),
  })
}

/** Signs people in elsewhere, as an Effect service. */
export class IdentityProviders extends Context.Service<IdentityProviders, Lifted<IdentityProvidersPort>>()(
  "@postern/core/IdentityProviders",
) {
  static readonly from = (port: IdentityProvidersPort): Lifted<IdentityProvidersPort> => ({
    begin: operation("IdentityProviders", "begin", (request) => port.begin(request)),
    finish: operation("IdentityProviders", "finish", (answer) => port.finish(answer)),
    password: operation("IdentityProviders", "password", (request) => port.password(request)),
  })
}
