import {
  type Due,
  aClient,
  aPerson,
  aResult,
  aRow,
  aSecret,
  aTagged,
  aText,
  aTextOrNothing,
  aVerdict,
  aVerification,
  anObject,
  objects,
  rowsOf,
  stored,
  texts,
} from "./due.ts"
import * as Effect from "effect/Effect"
import type { Attempts, Instant, Secret, RowKind } from "../model/index.ts"
import type { IdentityProvidersPort } from "./identityProviders.ts"
import type { JwtsPort } from "./jwts.ts"
import type { OutboundLimits, OutboundPort } from "./outbound.ts"
import { type Awaitable, isLater } from "./awaitable.ts"
import { type ReadName, eachRead, runRead } from "./namedReads.ts"
import { type Patience, PortTimedOut, answered, within } from "./patience.ts"
import type { AuthenticatorPort, ClientStorePort, DigestPort, SignerPort } from "./plain.ts"
import type { FoundBy, TokenStorePort } from "./tokenStore.ts"
import { PortFailed } from "./portFailed.ts"

// Kept apart from services.ts so that the bundle of a provider, which lifts its ports with these functions, contains no service classes.

/** A plain port as Effects. Each operation fails only with {@link PortFailed}. */
export type Lifted<Port> = {
  readonly [Name in keyof Port]: NonNullable<Port[Name]> extends (...args: infer Args) => Awaitable<infer A>
    ? (...args: Args) => Effect.Effect<A, PortFailed>
    : never
}

/** Turns one operation of a plain port into an Effect. */
export type Lift = <Args extends ReadonlyArray<unknown>, A>(
  port: string,
  name: string,
  run: (...args: Args) => Awaitable<A>,
  due?: Due,
) => (...args: Args) => Effect.Effect<A, PortFailed>

/**
 * Calls the port when the operation is called, for code that already runs inside an Effect. A synchronous value allocates no promise and
 * starts no timer; a promise must settle within the time of `patience`.
 */
export const atOnceWithin =
  (patience: Patience | undefined): Lift =>
  (port, name, run, due) =>
  (...args) => {
    try {
      const value = run(...args)
      return isLater(value) ? within(patience, port, name, value, due) : Effect.succeed(answered(value, due))
    } catch (cause) {
      return Effect.fail(new PortFailed({ port, operation: name, cause }))
    }
  }

/** Calls the port when the operation is called, and waits for its answer without a time limit. */
export const atOnce: Lift = atOnceWithin(undefined)

const suspended =
  (lift: Lift): Lift =>
  (port, name, run, due) => {
    const operation = lift(port, name, run, due)
    return (...args) => Effect.suspend(() => operation(...args))
  }

/** Calls the port each time the Effect runs. */
export const whenRun: Lift = suspended(atOnce)

/** Calls the port each time the Effect runs, and waits for its answer for the time of `patience`. */
export const whenRunWithin = (patience: Patience): Lift => suspended(atOnceWithin(patience))

/**
 * Turns lifted operations back into those of a plain port. They reject with the port's own error, or with {@link PortFailed} if it did not
 * answer in time.
 */
export const plainOf = <Port>(lifted: Readonly<Record<string, unknown>>): Port =>
  Object.fromEntries(
    Object.entries(lifted).map(([name, operation]) => [
      name,
      (...args: ReadonlyArray<unknown>) => {
        // A lifted operation has the arguments of the plain one.
        const asked = (operation as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, PortFailed>)(...args)
        return Effect.runPromise(Effect.mapError(asked, (failed) => (failed.cause instanceof PortTimedOut ? failed : failed.cause)))
      },
    ]),
  ) as Port

/** Lifts a store of registered clients. */
export const clientStoreOf = (port: ClientStorePort, lift = whenRun): Lifted<ClientStorePort> => ({
  find: lift("ClientStore", "find", (clientId: string) => port.find(clientId), aClient),
  verifySecret: lift(
    "ClientStore",
    "verifySecret",
    (clientId: string, secret: Secret, address?: string) => port.verifySecret(clientId, secret, address),
    aVerdict,
  ),
  secretOf: lift("ClientStore", "secretOf", (clientId: string) => port.secretOf(clientId), aSecret),
  unsignedRequestObjects: lift("ClientStore", "unsignedRequestObjects", () => port.unsignedRequestObjects?.() ?? false, aVerdict),
})

/** The token store as Effects. Its generic reads preserve the row type. */
export interface LiftedTokenStore extends Lifted<Omit<TokenStorePort, "find" | "list" | "recentAttempts">> {
  /** Finds the row of a key, or of a secondary key. */
  readonly find: <Row>(kind: RowKind<Row>, key: FoundBy) => Effect.Effect<Row | undefined, PortFailed>
  /** Finds attempts in memory, if the store can. */
  readonly recentAttempts: (key: string, now: Instant) => Effect.Effect<Attempts | undefined, PortFailed>
  /** Lists rows of a kind. */
  readonly list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) => Effect.Effect<ReadonlyArray<Row>, PortFailed>
}

/** Lifts a token store. */
export const tokenStoreOf = (port: TokenStorePort, lift = whenRun): LiftedTokenStore => ({
  find: <Row>(kind: RowKind<Row>, key: FoundBy) => lift("TokenStore", "find", () => port.find(kind, key), aRow(kind))(),
  list: <Row>(kind: RowKind<Row>, name: string, given: FoundBy) =>
    lift("TokenStore", "list", () => port.list(kind, name, given), rowsOf(kind))(),
  // Each has the arguments and the answer of the port's.
  ...(eachRead((name) => lift("TokenStore", name, (...args: ReadonlyArray<never>) => runRead(port, name, args), stored[name])) as Lifted<
    Pick<TokenStorePort, ReadName>
  >),
  recentAttempts: lift(
    "TokenStore",
    "recentAttempts",
    (key, now) => (port.recentAttempts === undefined ? port.findAttempts(key) : port.recentAttempts(key, now)),
    stored.findAttempts,
  ),
  commit: lift("TokenStore", "commit", (commands) => port.commit(commands), aResult),
  durable: lift("TokenStore", "durable", () => port.durable?.()),
})

/** Lifts a signer. */
export const signerOf = (port: SignerPort, lift = whenRun): Lifted<SignerPort> => ({
  sign: lift("Signer", "sign", (unsigned) => port.sign(unsigned), aText),
  verify: lift("Signer", "verify", (jwt, typ) => port.verify(jwt, typ), anObject),
  decrypt: lift("Signer", "decrypt", (jwe) => port.decrypt(jwe), aTextOrNothing),
  keys: lift("Signer", "keys", () => port.keys(), objects),
  algorithms: lift("Signer", "algorithms", () => port.algorithms(), texts),
  encryptionAlgorithms: lift("Signer", "encryptionAlgorithms", () => port.encryptionAlgorithms(), texts),
})

/** Lifts an authenticator. */
export const authenticatorOf = (port: AuthenticatorPort, lift = whenRun): Lifted<AuthenticatorPort> => ({
  verify: lift("Authenticator", "verify", (credentials) => port.verify(credentials), aVerification),
  find: lift("Authenticator", "find", (subject) => port.find(subject), aPerson),
  admit: lift("Authenticator", "admit", (identity, tenant) => port.admit(identity, tenant), aVerification),
  identify: lift("Authenticator", "identify", (hint) => (port.identify === undefined ? port.find(hint) : port.identify(hint)), aPerson),
})

/** Lifts digests. */
export const digestsOf = (port: DigestPort, lift = whenRun): Lifted<DigestPort> => ({
  sha256: lift("Digest", "sha256", (content) => port.sha256(content), aText),
  sha512: lift("Digest", "sha512", (text) => port.sha512(text), aText),
})

/** Lifts an outbound port. */
export const outboundOf = (port: OutboundPort, lift = whenRun): Lifted<OutboundPort> => ({
  fetch: lift("Outbound", "fetch", (url: string, accept: string, limits?: OutboundLimits) => port.fetch(url, accept, limits), aTagged),
})

/** Lifts a port for JWTs signed with other parties' keys. */
export const jwtsOf = (port: JwtsPort, lift = whenRun): Lifted<JwtsPort> => ({
  verify: lift("Jwts", "verify", (jwt, keys, algorithms) => port.verify(jwt, keys, algorithms), aTagged),
  verifySecret: lift("Jwts", "verifySecret", (jwt, secret, algorithms) => port.verifySecret(jwt, secret, algorithms), aTagged),
  encrypt: lift("Jwts", "encrypt", (text, contentType, choice, keys) => port.encrypt(text, contentType, choice, keys), aTextOrNothing),
})

/** Lifts a port for sign-ins at other providers. */
export const identityProvidersOf = (port: IdentityProvidersPort, lift = whenRun): Lifted<IdentityProvidersPort> => ({
  begin: lift("IdentityProviders", "begin", (request) => port.begin(request), aText),
  finish: lift("IdentityProviders", "finish", (answer) => port.finish(answer), aTagged),
  password: lift("IdentityProviders", "password", (request) => port.password(request), aTagged),
  logoutKeys: lift("IdentityProviders", "logoutKeys", (asked) => port.logoutKeys?.(asked), anObject),
})
