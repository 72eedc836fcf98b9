import * as Effect from "effect/Effect"
import type { Json } from "../../model/index.ts"
import { type PortFailed, type ResolvingRequest, hostOf } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"

/** The largest logo that is copied, in bytes. */
const longestLogo = 16_384

/** The largest side of a logo, in pixels. A small file can decompress to a picture that is too large for any browser. */
const largestSide = 1_024

/** Milliseconds for fetching a logo. It is short because a person waits for it. */
const longestWait = 2_000

const bytesOf = (base64: string): Uint8Array | undefined => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** A kind of picture, and its dimensions. */
interface Picture {
  readonly type: "image/png" | "image/jpeg" | "image/webp"
  readonly width: number
  readonly height: number
}

const pngOf = (view: DataView): Picture | undefined =>
  view.byteLength >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a && view.getUint32(12) === 0x49484452
    ? { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) }
    : undefined

/** Reads the dimensions of a JPEG from its frame header (ITU-T T.81 §B.2.2). */
const jpegOf = (view: DataView): Picture | undefined => {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= view.byteLength;) {
    const marker = view.getUint16(at)
    if (marker < 0xffc0 || marker > 0xfffe) return undefined
    const isFrame = marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc
    if (isFrame) return { type: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    const length = view.getUint16(at + 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

/** Reads the dimensions of a WebP from its first chunk (RFC 9649 §2.5 to §2.7). */
const webpOf = (view: DataView): Picture | undefined => {
  if (view.byteLength < 30 || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined
  const three = (at: number): number => view.getUint8(at) + view.getUint8(at + 1) * 256 + view.getUint8(at + 2) * 65_536
  const type = "image/webp"
  switch (view.getUint32(12)) {
    case 0x56503858:
      return { type, width: three(24) + 1, height: three(27) + 1 }
    case 0x5650384c: {
      const bits = view.getUint32(21, true)
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 0x56503820:
      return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return undefined
  }
}

/** Reads the kind and the dimensions of a picture from its bytes; undefined if its kind is not supported or it is too large. */
export const pictureOf = (bytes: Uint8Array): Picture | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = pngOf(view) ?? jpegOf(view) ?? webpOf(view)
  const isShown = found !== undefined && Math.min(found.width, found.height) > 0 && Math.max(found.width, found.height) <= largestSide
  return isShown ? found : undefined
}

const none: Effect.Effect<string | undefined> = Effect.succeed(undefined)

/**
 * Copies a logo into a `data:` URL, so that a browser never requests it from the client's host. Undefined if it cannot be fetched, is not a
 * valid picture, or its host was asked too often.
 */
export const logoOf = (
  uri: Json | undefined,
  { outbound }: Pick<ResolvingRequest, "outbound">,
  count: (host: string) => Effect.Effect<void, PortFailed>,
): Effect.Effect<string | undefined, PortFailed> => {
  if (typeof uri !== "string" || uri.length > 1_000 || !/^https?:\/\//.test(uri)) return none
  const limits = { bytes: longestLogo, milliseconds: longestWait, isBinary: true, ofStranger: true } as const
  const fetching = onward(count(hostOf(uri)), () => outbound.fetch(uri, "image/webp, image/png, image/jpeg", limits))
  const read = mapped(fetching, (answer) => {
    if (answer._tag === "Unfetched" || answer.status !== 200) return undefined
    const bytes = bytesOf(answer.body)
    const picture = bytes === undefined || bytes.length > longestLogo ? undefined : pictureOf(bytes)
    return picture && `data:${picture.type};base64,${answer.body}`
  })
  // A client is served without a logo rather than not served.
  return Effect.catch(read, () => none)
}
