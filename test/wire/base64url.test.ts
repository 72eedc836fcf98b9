import { decodeBase64Url, encodeBase64Url } from "@postern/core/wire"
import fc from "fast-check"
import { expect, test } from "vitest"

/** Reads by the hand-written way, as engines without base64url of their own do: Node before version 25. */
const decodedByHand = (text: string): Uint8Array | undefined => {
  const own = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64")
  try {
    Object.defineProperty(Uint8Array, "fromBase64", { value: undefined, configurable: true })
    return decodeBase64Url(text)
  } finally {
    if (own === undefined) Reflect.deleteProperty(Uint8Array, "fromBase64")
    else Object.defineProperty(Uint8Array, "fromBase64", own)
  }
}

/** Writes by the hand-written way. */
const encodedByHand = (bytes: Uint8Array): string => encodeBase64Url(Object.defineProperty(bytes.slice(), "toBase64", { value: undefined }))

const written = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

test("RFC 4648 §5: any bytes are written without padding, and read again, with the engine's own methods and without", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = written(bytes)
      expect([encodeBase64Url(bytes), encodedByHand(bytes)]).toEqual([text, text])
      expect([decodeBase64Url(text), decodedByHand(text)]).toEqual([bytes, bytes])
    }),
  )
})

test("RFC 4648 §5: each sign stands for its six bits, those that base64 has not too", () => {
  const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  for (const read of [decodeBase64Url, decodedByHand]) expect(read(all + all)).toEqual(new Uint8Array(Buffer.from(all + all, "base64url")))
  expect([encodeBase64Url, encodedByHand].map((write) => write(new Uint8Array(Buffer.from(all + all, "base64url"))))).toEqual([
    all + all,
    all + all,
  ])
})

test("RFC 4648 §3.3, RFC 7515 §2: signs that are not of the alphabet make a text unreadable, padding among them", () => {
  for (const text of [
    "+/+/",
    "AA A",
    " AAAA",
    "AAAA\n",
    "AA.A",
    "ÄAAA",
    "=AAA",
    "A",
    "AAAAA",
    "AAA=A",
    "AA==",
    "AAA=",
    "AAAA=",
    "AA\u00a0",
  ])
    expect([text, decodeBase64Url(text), decodedByHand(text)]).toEqual([text, undefined, undefined])
})
