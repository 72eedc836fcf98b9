import { instead, members } from "./change.ts"
import { type Misbehavior, misbehavior, unusual } from "./misbehavior.ts"

const sameKeys = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => (Array.isArray(value) ? value : [])

const issuer = "OpenID Connect Discovery §4.3"
const keys = "OpenID Connect Core §10.1"

/** What is wrong with the metadata and the keys. */
export const ofMetadata: ReadonlyArray<Misbehavior> = [
  misbehavior("metadata.issuer-other", "the metadata names another issuer", issuer, {
    metadata: members(() => ({ issuer: "https://other.example" })),
  }),
  misbehavior("metadata.issuer-slash", "the issuer in the metadata has a slash more", issuer, {
    metadata: members((_, own) => ({ issuer: `${own}/` })),
  }),
  misbehavior("metadata.issuer-case", "the scheme of the issuer in the metadata is in upper case", "RFC 8414 §3.3", {
    metadata: members((_, own) => ({ issuer: own.replace(/^http/, "HTTP") })),
  }),
  misbehavior("metadata.issuer-missing", "the metadata names no issuer", issuer, { metadata: members(() => ({ issuer: undefined })) }),
  misbehavior("metadata.failure", "the metadata is an error 500 with a page", "OpenID Connect Discovery §4.2", {
    metadata: instead(500, "text/html", "<!doctype html><title>Error</title>"),
  }),
  misbehavior("metadata.html", "the metadata is a page with status 200", "OpenID Connect Discovery §4.2", {
    metadata: instead(200, "text/html", "<!doctype html><title>Welcome</title>"),
  }),
  misbehavior("keys.empty", "the key set is empty", keys, { keys: members(() => ({ keys: [] })) }),
  misbehavior("keys.html", "the key set is a page", keys, { keys: instead(200, "text/html", "<!doctype html><title>Welcome</title>") }),
  misbehavior("keys.not-found", "the key set is not found", keys, { keys: instead(404, "text/plain", "not found") }),
  unusual("keys.decoys", "keys for encryption and of unknown types stand before the right ones", "RFC 7517 §5", {
    keys: members(({ keys: found }) => ({
      keys: [
        { kty: "unknown", kid: "unknown", use: "sig" },
        {
          kty: "EC",
          crv: "P-256",
          kid: "enc",
          use: "enc",
          alg: "ECDH-ES",
          x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        },
        ...sameKeys(found),
      ],
    })),
  }),
]
