import * as Effect from "effect/Effect"
import type { AccessHandle, Client, FreshHandle, Handle, HandleKind, Locator } from "../model/index.ts"
import { locatorAt, sameDigest, uses, writeHandle } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { decodeBase64Url, encodeBase64Url } from "../wire/index.ts"
import type { Inquiry, Kept } from "./inquiry.ts"

export type { About, Inquiry, Kept } from "./inquiry.ts"

/** Obtains a result, unless an earlier attempt of the request already has. */
export const once = <Name extends Exclude<keyof Kept, "isRight">, E>(
  { kept }: Pick<Inquiry, "kept">,
  name: Name,
  ask: () => Effect.Effect<NonNullable<Kept[Name]>, E>,
): Effect.Effect<NonNullable<Kept[Name]>, E> => {
  const known = kept[name]
  return known === undefined ? mapped(ask(), (given) => (kept[name] = given)) : Effect.succeed(known)
}

/** The ports for generating a handle. */
export interface Drawing {
  readonly ports: Pick<Ports, "entropy" | "digest">
  readonly millis: number
}

/** Generates an ordered locator. */
export const freshLocator = ({ ports, millis }: Pick<Inquiry, "millis"> & { readonly ports: Pick<Ports, "entropy"> }): Locator =>
  locatorAt(millis, ports.entropy.bytes(6))

/** Computes the SHA-256 digest of a string, as base64url. */
export const digestOf = (ports: Pick<Ports, "digest">, text: string): Effect.Effect<string, PortFailed> => ports.digest.sha256(text)

/** Reports whether a single-use value was used and that use has not expired. */
export const isUsed = (key: string, { ports, now }: Pick<Inquiry, "ports" | "now">): Effect.Effect<boolean, PortFailed> =>
  mapped(ports.tokens.find(uses, { key }), (use) => use !== undefined && use.expiresAt > now)

/** Decodes a digest. */
export const bytesOf = (digest: string): Uint8Array => {
  const bytes = decodeBase64Url(digest)
  if (bytes === undefined) throw new TypeError("a digest that is no base64url")
  return bytes
}

/** Computes the stored digest of a handle's secret. It includes the kind, so that a handle is never found as another kind. */
const secretDigest = (ports: Pick<Ports, "digest">, { kind, secret }: Pick<Handle, "kind" | "secret">): Effect.Effect<string, PortFailed> =>
  digestOf(ports, `${kind} ${secret}`)

/** Generates a handle: an ordered locator and 256 random bits. */
export const drawHandle = (inquiry: Drawing, kind: HandleKind): Handle => ({
  kind,
  locator: freshLocator(inquiry),
  secret: encodeBase64Url(inquiry.ports.entropy.bytes(32)),
})

/** Generates a handle, with the digest that its row stores. */
export const freshHandle = (inquiry: Drawing, kind: HandleKind): Effect.Effect<FreshHandle, PortFailed> => {
  const { locator, secret } = drawHandle(inquiry, kind)
  const value = writeHandle({ kind, locator, secret })
  return mapped(secretDigest(inquiry.ports, { kind, secret }), (digest) => ({ kind, locator, secret, value, digest }))
}

/** Derives the handle of a row from a secret. It is deterministic, for a row that is created once. */
export const handleOf = (
  ports: Pick<Ports, "digest">,
  kind: HandleKind,
  locator: Locator,
  secret: string,
): Effect.Effect<FreshHandle, PortFailed> =>
  mapped(secretDigest(ports, { kind, secret }), (digest) => ({
    kind,
    locator,
    secret,
    digest,
    value: writeHandle({ kind, locator, secret }),
  }))

/** Generates the handle of a client's access token or the unique part of its `jti`, depending on the token format. */
export const freshAccess = (inquiry: Inquiry, { accessTokenFormat }: Client): Effect.Effect<AccessHandle, PortFailed> =>
  accessTokenFormat === "reference" ? freshHandle(inquiry, "a") : Effect.succeed({ kind: "jwt", locator: freshLocator(inquiry) })

/** Finds the row of a handle, if the secret matches. */
export const findBy = <Row>(
  ports: Ports,
  handle: Handle | undefined,
  find: (locator: Locator) => Effect.Effect<Row | undefined, PortFailed>,
  digest: (row: Row) => string,
): Effect.Effect<Row | undefined, PortFailed> =>
  handle === undefined
    ? Effect.succeed(undefined)
    : onward(find(handle.locator), (row) =>
        row === undefined
          ? Effect.succeed(undefined)
          : mapped(secretDigest(ports, handle), (shown) => (sameDigest(shown, digest(row)) ? row : undefined)),
      )

/** Encrypts a successor's secret with a pad that only the holder of the rotated secret can derive; applying it twice decrypts. */
export const sealSecret = (ports: Ports, secret: string, under: string): Effect.Effect<string, PortFailed> =>
  mapped(digestOf(ports, `postern successor ${under}`), (digest) => {
    const bytes = decodeBase64Url(secret) ?? new Uint8Array(32)
    const pad = bytesOf(digest)
    return encodeBase64Url(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)))
  })
