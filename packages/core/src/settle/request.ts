import * as Effect from "effect/Effect"
import type {
  AccessHandle,
  Callback,
  Client,
  Command,
  FreshHandle,
  Handle,
  HandleKind,
  Locator,
  Profile,
  Verification,
} from "../model/index.ts"
import { locatorAt, sameDigest, writeHandle } from "../model/index.ts"
import type { PortFailed, Ports, UpstreamOutcome } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import type { GuessSeen } from "../rules/budget.ts"
import type { Tracing } from "../rules/rule.ts"
import { decodeBase64Url, encodeBase64Url } from "../wire/index.ts"
import type { RemoteDocuments } from "./documents.ts"
import type { Guesses } from "./guesses.ts"

/** Facts that become known of a request on its way, attempt after attempt. */
export interface About {
  clientId: string | undefined
  subject: string | undefined
  /** The profile that the client is held to. */
  profile: Profile | undefined
  /** Empty where the request names none; undefined until that is known. */
  uiLocales: string | undefined
  /** The time of the authorization request that waits. */
  askedAt: number | undefined
  /** The tenant whose looks pages bear. */
  tenant: string | undefined
  /** The place that errors are sent to, once the client and its redirect_uri are trusted. */
  callback: Callback | undefined
  /** The account that a password was sent for, as audit events name it. */
  account: string | undefined
}

/** Results that a request asks for once, however often it is decided: they stand after a conflict. */
export interface Kept {
  /** The budgets of which a try was reserved for a guess. */
  guess: GuessSeen | undefined
  /** True once the guess was found right, until its try was taken back. */
  isRight: boolean
  /** The authenticator's answer. */
  verification: Verification | undefined
  /** The answer of another provider, which can be redeemed once only. */
  upstream: UpstreamOutcome | undefined
}

/** One request on its way: what it is answered by, when it came, and what is noted of it for its trail. */
export interface Inquiry {
  readonly ports: Ports
  readonly requestId: string
  /** The caller's address, as far as the adapter trusts it. */
  readonly address: string | undefined
  /** The time it came, in milliseconds. */
  readonly millis: number
  /** The time it came, in whole seconds. */
  readonly now: number
  readonly trace: Tracing
  /** A fresh nonce for a page's Content-Security-Policy. */
  readonly nonce: () => string
  /** Documents that others publish, as they were fetched lately. */
  readonly remote: RemoteDocuments
  /** Client secrets that are being judged, for this request and others. */
  readonly guesses: Guesses
  /** The client, person and account it turned out to be about. */
  readonly about: About
  /** Commands that go with whatever this attempt decides: an assertion is used up, a right guess is not counted. */
  readonly changes: Array<Command>
  /** Results that are asked for once; see {@link once}. */
  readonly kept: Kept
}

/** Asks for a result, unless the request was decided before and has it. */
export const once = <Name extends Exclude<keyof Kept, "isRight">, E>(
  { kept }: Pick<Inquiry, "kept">,
  name: Name,
  ask: () => Effect.Effect<NonNullable<Kept[Name]>, E>,
): Effect.Effect<NonNullable<Kept[Name]>, E> => {
  const known = kept[name]
  return known === undefined ? mapped(ask(), (given) => (kept[name] = given)) : Effect.succeed(known)
}

/** A fresh ordered locator. */
export const freshLocator = ({ ports, millis }: Pick<Inquiry, "ports" | "millis">): Locator => locatorAt(millis, ports.entropy.bytes(6))

/** SHA-256 of a text, base64url. */
export const digestOf = (ports: Ports, text: string): Effect.Effect<string, PortFailed> => ports.digest.sha256(text)

/** The bytes of a digest. */
export const bytesOf = (digest: string): Uint8Array => {
  const bytes = decodeBase64Url(digest)
  if (bytes === undefined) throw new TypeError("a digest that is no base64url")
  return bytes
}

/** The digest a row keeps of a handle's secret. The kind is part of it: what is shown as another kind is found by nobody. */
const secretDigest = (ports: Ports, { kind, secret }: Pick<Handle, "kind" | "secret">): Effect.Effect<string, PortFailed> =>
  digestOf(ports, `${kind} ${secret}`)

/** Draws a handle: an ordered locator and 256 random bits. */
export const drawHandle = (inquiry: Inquiry, kind: HandleKind): Handle => ({
  kind,
  locator: freshLocator(inquiry),
  secret: encodeBase64Url(inquiry.ports.entropy.bytes(32)),
})

/** Makes a handle, with the digest its row keeps. */
export const freshHandle = (inquiry: Inquiry, kind: HandleKind): Effect.Effect<FreshHandle, PortFailed> => {
  const { locator, secret } = drawHandle(inquiry, kind)
  const value = writeHandle({ kind, locator, secret })
  return mapped(secretDigest(inquiry.ports, { kind, secret }), (digest) => ({ kind, locator, secret, value, digest }))
}

/** Makes the handle of a client's access token, or the unique part of its `jti`, by the form that the token has. */
export const freshAccess = (inquiry: Inquiry, { accessTokenFormat }: Client): Effect.Effect<AccessHandle, PortFailed> =>
  accessTokenFormat === "reference" ? freshHandle(inquiry, "a") : Effect.succeed({ kind: "jwt", locator: freshLocator(inquiry) })

/** Finds what a handle stands for: the row of its locator, if the handle's secret is the row's. */
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

/** Seals a successor's secret under a pad that only the holder of the rotated secret can make; sealing twice opens. */
export const sealSecret = (ports: Ports, secret: string, under: string): Effect.Effect<string, PortFailed> =>
  mapped(digestOf(ports, `postern successor ${under}`), (digest) => {
    const bytes = decodeBase64Url(secret) ?? new Uint8Array(32)
    const pad = bytesOf(digest)
    return encodeBase64Url(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)))
  })
