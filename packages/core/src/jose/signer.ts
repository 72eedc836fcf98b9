import { decodeProtectedHeader } from "jose"
import type { Instant, KeyEncryptionAlgorithm, Seconds, SigningAlgorithm } from "../model/index.ts"
import { type Awaitable, type PublicJwk, type SignerPort, type Unsigned, after } from "../ports/index.ts"
import { readClaims } from "./claims.ts"
import { type Decrypt, decrypted } from "./decryption.ts"
import { type OpenKey, privateKeyOf, publicKeyOf } from "./generate.ts"
import { type KeyPolicy, activeKey, defaultKeyPolicy, publishedKeys } from "./keyring.ts"
import { type JwsPrimitives, joseJws } from "./jws.ts"
import { once } from "./once.ts"
import type { KeyEncryption } from "./sealing.ts"
import { type KeyAlgorithm, type SigningKey, encryptionAlgorithms, signingAlgorithms } from "./signingKey.ts"

/** The parts that a signer works with. */
export interface JoseSignerOptions {
  /** Every stored key: a store's `list`. */
  readonly keys: () => Awaitable<ReadonlyArray<SigningKey>>
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /** Opens private keys that are sealed; needed where they are. */
  readonly encryption?: KeyEncryption | undefined
  /** The lives of keys; `defaultKeyPolicy` when left out. */
  readonly policy?: KeyPolicy
  /** Longest age of the keys that are used, in seconds; 10 when not given. They are read again at half of it, and waited for beyond it. */
  readonly readEvery?: Seconds
  /** The primitives that sign and verify; jose's when not given. */
  readonly jws?: JwsPrimitives
}

/** A signer that can be made to read its keys. */
export interface JoseSigner extends SignerPort {
  /** Reads the keys again and opens those that sign. Fails with `KeyUnreadable`, or as the source of keys does. */
  readonly refresh: () => Promise<void>
}

/** No key signs with this algorithm. */
export class NoSigningKey extends Error {
  override readonly name = "NoSigningKey"
}

/** A private key opened, with what signs under each `typ` so far. */
interface Opened extends OpenKey {
  readonly signing: Map<string, (payload: string) => Awaitable<string>>
}

/** Keys as they were read. */
interface Snapshot {
  readonly keys: ReadonlyMap<string, SigningKey>
  readonly rows: ReadonlyArray<SigningKey>
  readonly readAt: Instant
  /** The time of the last question to the store, answered or not. */
  readonly triedAt: Instant
  readonly algorithms: ReadonlyArray<SigningAlgorithm>
  readonly encryptionAlgorithms: ReadonlyArray<KeyEncryptionAlgorithm>
}

/** The part of a snapshot that is published in one second. */
interface Shown {
  readonly seen: Snapshot | undefined
  readonly at: Instant
  readonly keys: ReadonlyArray<SigningKey>
  readonly jwks: ReadonlyArray<PublicJwk>
}

const present = <Alg extends KeyAlgorithm>(all: ReadonlyArray<Alg>, rows: ReadonlyArray<SigningKey>): ReadonlyArray<Alg> =>
  all.filter((alg) => rows.some((key) => key.alg === alg))

/** The list there was, where the new one says the same. */
const asBefore = <A>(before: ReadonlyArray<A> | undefined, after: ReadonlyArray<A>): ReadonlyArray<A> =>
  before?.length === after.length && before.every((each, at) => each === after[at]) ? before : after

/** Time for which an unknown kid must not make the keys be read again, so that made-up tokens cost no reads. */
const unknownKidPause: Seconds = 2

/**
 * A signer over jose. Keys are imported once; a rotation is noticed within `readEvery` seconds without a restart, by a signer that was idle
 * as well, and at once when a token names a kid not seen yet. Once keys were read, a store that fails does not stop signing or verifying.
 */
export const joseSigner = (options: JoseSignerOptions): JoseSigner => signerOver(options, decrypted)

/**
 * As {@link joseSigner}, for small bundles: it signs and verifies, and decrypts nothing, so that no request object can be encrypted to it. Keys for that are neither used
 * nor published.
 */
export const joseJwsSigner = (options: JoseSignerOptions): JoseSigner => signerOver(options, undefined)

const signerOver = (options: JoseSignerOptions, decrypt: Decrypt | undefined): JoseSigner => {
  const { keys, now, encryption, policy = defaultKeyPolicy, readEvery = 10, jws = joseJws } = options
  const privateKeys = once(async (key): Promise<Opened> => ({ ...(await privateKeyOf(key, encryption)), signing: new Map() }))
  const verifiers = once(async (key) => jws.verifying(await publicKeyOf(key), key.alg))
  let snapshot: Snapshot | undefined
  let reading: Promise<Snapshot> | undefined
  let shown: Shown = { seen: undefined, at: 0, keys: [], jwks: [] }

  const load = async (): Promise<Snapshot> => {
    // As old as the question: a key that is added while the answer is on its way may not be in it.
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
  /** Reads the keys again; a store that fails leaves those there are, until the next try is due. */
  const renewed = (seen: Snapshot): Promise<Snapshot> => read().catch(() => (snapshot = { ...seen, triedAt: now() }))
  const current = (): Awaitable<Snapshot> => {
    if (snapshot === undefined) return read()
    const seen = snapshot
    const [age, tried] = [now() - seen.readAt, now() - seen.triedAt]
    if (tried >= 0 && tried < readEvery / 2) return seen
    const renewing = renewed(seen)
    // A signer that is asked often has read them again by then, and nobody waits.
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
      // Compressed content could unfold to more than memory holds (RFC 8725 §3.6).
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
