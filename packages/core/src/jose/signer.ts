import { decodeProtectedHeader } from "jose"
import type { Instant, KeyEncryptionAlgorithm, Seconds, SigningAlgorithm } from "../model/index.ts"
import { type MemberKinds, memberFaults, refuseFaults } from "../model/members.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { type Awaitable, type PublicJwk, type SignerPort, type Unsigned, after } from "../ports/index.ts"
import { readClaims } from "./claims.ts"
import { type Decrypt, decrypted } from "./decryption.ts"
import { type OpenKey, privateKeyOf, publicKeyOf } from "./generate.ts"
import { type KeyPolicy, activeKey, defaultKeyPolicy, policyKinds, publishedKeys } from "./keyring.ts"
import { type JwsPrimitives, joseJws } from "./jws.ts"
import { once } from "./once.ts"
import type { KeyEncryption } from "./sealing.ts"
import { type KeyAlgorithm, type SigningKey, encryptionAlgorithms, signingAlgorithms } from "./signingKey.ts"

/** The options of a signer. */
export interface JoseSignerOptions {
  /** Returns every stored key: a store's `list`. */
  readonly keys: () => Awaitable<ReadonlyArray<SigningKey>>
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** Decrypts private keys; required if they are encrypted. */
  readonly encryption?: KeyEncryption | undefined
  /** The lifetimes of keys; `defaultKeyPolicy` by default. */
  readonly policy?: KeyPolicy
  /**
   * The maximum age of cached keys, in seconds; 10 by default. They are read again in the background at half of it, and before use beyond
   * it.
   */
  readonly readEvery?: Seconds
  /** The primitives for signing and verification; jose's by default. */
  readonly jws?: JwsPrimitives
}

/** A signer that can be told to read its keys. */
export interface JoseSigner extends SignerPort {
  /** Reads the keys again and decrypts those that sign. Fails with `KeyUnreadable`, or as the source of keys does. */
  readonly refresh: () => Promise<void>
}

/** No key signs with this algorithm. */
export class NoSigningKey extends Error {
  override readonly name = "NoSigningKey"
}

/** A decrypted private key, with its signing functions by `typ`. */
interface Opened extends OpenKey {
  readonly signing: Map<string, (payload: string) => Awaitable<string>>
}

/** The keys, as last read. */
interface Snapshot {
  readonly keys: ReadonlyMap<string, SigningKey>
  readonly rows: ReadonlyArray<SigningKey>
  readonly readAt: Instant
  /** The time of the last read of the store, successful or not. */
  readonly triedAt: Instant
  readonly algorithms: ReadonlyArray<SigningAlgorithm>
  readonly encryptionAlgorithms: ReadonlyArray<KeyEncryptionAlgorithm>
}

/** The published part of a snapshot, cached for one second. */
interface Shown {
  readonly seen: Snapshot | undefined
  readonly at: Instant
  readonly keys: ReadonlyArray<SigningKey>
  readonly jwks: ReadonlyArray<PublicJwk>
}

const present = <Alg extends KeyAlgorithm>(all: ReadonlyArray<Alg>, rows: ReadonlyArray<SigningKey>): ReadonlyArray<Alg> =>
  all.filter((alg) => rows.some((key) => key.alg === alg))

/** Returns the previous list if the new one has the same content. */
const asBefore = <A>(before: ReadonlyArray<A> | undefined, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  before?.length === after.length && before.every((each, at) => each === after[at]) ? before : after

/** The time for which an unknown kid does not cause another read of the keys, so that forged tokens cost no reads. */
const unknownKidPause: Seconds = 2

/**
 * Creates a signer based on jose. Keys are imported once. A rotation is noticed within `readEvery` seconds without a restart, even by an
 * idle signer, and immediately if a token has an unknown kid. Once keys have been read, a failing store does not stop signing or
 * verification.
 */
export const joseSigner = (options: JoseSignerOptions): JoseSigner => signerOver("joseSigner", options, decrypted)

/**
 * Creates a signer as {@link joseSigner} does, for small bundles. It signs and verifies but cannot decrypt, so that no request object can
 * be encrypted to it. Encryption keys are neither used nor published.
 */
export const joseJwsSigner = (options: JoseSignerOptions): JoseSigner => signerOver("joseJwsSigner", options, undefined)

const kinds: MemberKinds<JoseSignerOptions> = {
  keys: "function",
  now: "function",
  encryption: "object?",
  policy: "object?",
  readEvery: "number?",
  jws: "object?",
}

const signerOver = (called: string, options: JoseSignerOptions, decrypt: Decrypt | undefined): JoseSigner => {
  const faults = memberFaults(options, kinds)
  refuseFaults(called, faults, faults.length === 0 && options.policy ? memberFaults(options.policy, policyKinds, "policy.") : undefined)
  const { keys, encryption, policy = defaultKeyPolicy, readEvery = 10, jws = joseJws } = options
  const now = inSeconds(called, options.now)
  const privateKeys = once(async (key): Promise<Opened> => ({ ...(await privateKeyOf(key, encryption)), signing: new Map() }))
  const verifiers = once(async (key) => jws.verifying(await publicKeyOf(key), key.alg))
  let snapshot: Snapshot | undefined
  let reading: Promise<Snapshot> | undefined
  let shown: Shown = { seen: undefined, at: 0, keys: [], jwks: [] }

  const load = async (): Promise<Snapshot> => {
    // The snapshot is as old as the start of the read, because a key that is added during the read may be missing.
    const at = now()
    const all = await keys()
    const rows = decrypt === undefined ? all.filter((key) => !encrypts(key)) : all
    snapshot = {
      rows,
      keys: new Map(rows.map((key) => [key.kid, key])),
      readAt: at,
      triedAt: at,
      algorithms: asBefore(snapshot?.algorithms, present(signingAlgorithms, rows)),
      encryptionAlgorithms: asBefore(snapshot?.encryptionAlgorithms, present(encryptionAlgorithms, rows)),
    }
    privateKeys.keep(snapshot.keys)
    verifiers.keep(snapshot.keys)
    return snapshot
  }
  const read = (): Promise<Snapshot> => {
    reading ??= load().finally(() => (reading = undefined))
    return reading
  }
  /** Reads the keys again. If the store fails, the current ones are kept until the next read is due. */
  const renewed = (seen: Snapshot): Promise<Snapshot> => read().catch(() => (snapshot = { ...seen, triedAt: now() }))
  const current = (): Awaitable<Snapshot> => {
    if (snapshot === undefined) return read()
    const seen = snapshot
    const [age, tried] = [now() - seen.readAt, now() - seen.triedAt]
    if (tried >= 0 && tried < readEvery / 2) return seen
    const renewing = renewed(seen)
    // A busy signer has read them by then, and nobody waits.
    return age >= 0 && age < readEvery ? seen : renewing
  }
  const published = (seen: Snapshot): Shown => {
    const at = now()
    if (shown.seen !== seen || shown.at !== at) {
      const of = publishedKeys(seen.rows, policy, at)
      const same = of.length === shown.jwks.length && of.every(({ kid }, index) => kid === shown.jwks[index]?.kid)
      shown = { seen, at, keys: of, jwks: same ? shown.jwks : of.map(({ publicJwk }) => publicJwk) }
    }
    return shown
  }
  const find = async (kid: string, alg: string): Promise<SigningKey | undefined> => {
    let seen = await current()
    if (!seen.keys.has(kid) && now() - seen.readAt >= unknownKidPause) seen = await read().catch(() => seen)
    return published(seen).keys.find((key) => key.kid === kid && key.alg === alg)
  }

  const signedBy = ({ alg, typ, claims }: Unsigned, { rows }: Snapshot): Awaitable<string> => {
    const key = activeKey(rows, alg, now())
    if (key === undefined) throw new NoSigningKey(`there is no key that signs with ${alg}`)
    return after(privateKeys.of(key), (opened) => {
      let sign = opened.signing.get(typ)
      if (sign === undefined) {
        sign = jws.signing(opened, { alg, kid: key.kid, typ })
        opened.signing.set(typ, sign)
      }
      return sign(JSON.stringify(claims))
    })
  }

  return {
    sign: (unsigned) => after(current(), (seen) => signedBy(unsigned, seen)),
    verify: async (jwt, typ) => {
      const header = readHeader(jwt)
      if (header?.kid === undefined || header.alg === undefined || header.typ !== typ || header.crit !== undefined) return undefined
      const key = await find(header.kid, header.alg)
      if (key === undefined) return undefined
      const payload = await (await verifiers.of(key))(jwt)
      return payload === undefined ? undefined : readClaims(payload)
    },
    decrypt: async (jwe) => {
      const header = readHeader(jwe)
      // Compressed content could expand beyond the available memory (RFC 8725 §3.6).
      if (header === undefined || header["zip"] !== undefined) return undefined
      const { kid, alg } = header
      const known = published(await current()).keys.filter(
        (key) => key.alg === alg && encrypts(key) && (kid === undefined || key.kid === kid),
      )
      for (const key of known) {
        const opened = await decrypt?.(jwe, (await privateKeys.of(key)).key, key.alg)
        if (opened !== undefined) return opened
      }
      return undefined
    },
    keys: () => after(current(), (seen) => published(seen).jwks),
    algorithms: () => after(current(), (seen) => seen.algorithms),
    encryptionAlgorithms: () => after(current(), (seen) => seen.encryptionAlgorithms),
    refresh: async () => {
      const { rows } = await read()
      const signing = signingAlgorithms.flatMap((alg) => activeKey(rows, alg, now()) ?? [])
      await Promise.all(signing.map(async (key) => privateKeys.of(key)))
    },
  }
}

const encrypts = ({ alg }: SigningKey): boolean => encryptionAlgorithms.some((each) => each === alg)

const readHeader = (jwt: string): ReturnType<typeof decodeProtectedHeader> | undefined => {
  try {
    return decodeProtectedHeader(jwt)
  } catch {
    return undefined
  }
}
