import { idTokenOf, instead, isFine, keeping, members } from "./change.ts"
import type { Forged, Members } from "./forge.ts"
import { type Change, type Misbehavior, type Outcome, type Transform, misbehavior, unusual } from "./misbehavior.ts"

const keys = "OpenID Connect Core §10.1"
const rotation = "OpenID Connect Core §10.1.1"

const keysIn = (value: unknown): ReadonlyArray<Members> => (Array.isArray(value) ? value : [])

const point = {
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
}

const withoutKid = ({ header: { kid: _, ...header }, claims }: Forged, { forge }: Change): Promise<string> => forge.sign(header, claims)

/** Signs ID tokens with the fresh key, starting with the sign-in of this number. */
const signedFresh =
  (from: number): Transform =>
  async (change): Promise<Outcome> => {
    const count = Number(change.kept["count"] ?? 0) + 1
    const keep = { count: String(count) }
    if (count < from) return isFine(change.answer) ? keeping(change.answer, keep) : undefined
    const answer = await idTokenOf(({ header, claims }, forge) => forge.signFresh(header, claims))(change)
    return answer === undefined || "answer" in answer ? answer : { answer, keep: { ...keep, rotated: "yes" } }
  }

/** Publishes the fresh key once it has signed, with the other keys or without them. */
const published = (alone: boolean): Transform =>
  members(({ keys: found }, { kept, forge }) =>
    kept["rotated"] === undefined ? undefined : { keys: [...(alone ? [] : keysIn(found)), forge.fresh] },
  )

/** Faulty and unusual keys. */
export const ofKeys: ReadonlyArray<Misbehavior> = [
  misbehavior("keys.empty", "the key set is empty", keys, { keys: members(() => ({ keys: [] })) }),
  misbehavior("keys.html", "the key set is a page", keys, { keys: instead(200, "text/html", "<!doctype html><title>Welcome</title>") }),
  misbehavior("keys.not-found", "the key set is not found", keys, { keys: instead(404, "text/plain", "not found") }),
  unusual("keys.decoys", "keys for encryption, secret keys and keys of unknown types stand before the right ones", "RFC 7517 §5", {
    keys: members(({ keys: found }) => ({
      keys: [
        { kty: "unknown", kid: "unknown", use: "sig" },
        { kty: "oct", kid: "secret", k: "AAAAAAAAAAAAAAAAAAAAAA" },
        { kty: "EC", kid: "enc", use: "enc", alg: "ECDH-ES", ...point },
        ...keysIn(found),
      ],
    })),
  }),
  unusual(
    "keys.kid-shared",
    "a key of another type, for encryption, has the kid of each right one and stands before it",
    "FAPI 2.0 Security Profile §5.4.3",
    {
      keys: members(({ keys: found, ...others }) => ({
        ...others,
        keys: keysIn(found).flatMap((key) => [
          key["kty"] === "EC"
            ? { kty: "oct", kid: key["kid"], use: "enc", k: "AAAAAAAAAAAAAAAAAAAAAA" }
            : { kty: "EC", kid: key["kid"], use: "enc", alg: "ECDH-ES", ...point },
          key,
        ]),
      })),
    },
  ),
  unusual("keys.rotated-before-signing", "the ID token is signed with a key that was published a moment before", rotation, {
    token: signedFresh(1),
    keys: published(false),
  }),
  unusual(
    "keys.rotated-between",
    "from the second sign-in on another key signs, and the old one is gone",
    rotation,
    { token: signedFresh(2), keys: published(true) },
    { signIns: 2 },
  ),
  unusual("keys.kid-absent-one", "the ID token names no key, and the key set has one alone", keys, {
    token: idTokenOf((token, _, change) => withoutKid(token, change)),
    keys: members(({ keys: found }) => {
      const rsa = keysIn(found).find((key) => key["kty"] === "RSA")
      return rsa === undefined ? undefined : { keys: [rsa] }
    }),
  }),
  misbehavior(
    "keys.kid-absent-several",
    "the ID token names no key, and the key set has several of the same type; a client may try them",
    keys,
    {
      token: idTokenOf((token, _, change) => withoutKid(token, change)),
      keys: members(({ keys: found }, { forge }) => ({ keys: [forge.stranger, ...keysIn(found)] })),
    },
    "MAY",
  ),
]
