import { liquidPages } from "@postern/adapter-http/pages"
import decodeQR from "qr/decode.js"
import { expect, test } from "vitest"
import { sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"

/** The pixels of a page's QR code: eight to a module, as the path says. */
const pixels = (html: string) => {
  const size = Number(/id="device-qr"[^>]*viewBox="0 0 (\d+) /.exec(html)?.[1])
  const width = size * 8
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y] of html.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let at = 0; at < 64; at++) {
      const pixel = (Number(y) * 8 + Math.floor(at / 8)) * width + Number(x) * 8 + (at % 8)
      data.fill(0, pixel * 4, pixel * 4 + 3)
    }
  }
  return { width, height: width, data }
}

test.each([
  "https://op.example/device?user_code=BCDF-GHJK",
  `https://a-host-of-some-length.example/${"a-path/".repeat(12)}device?user_code=XXXX-XXXX`,
])("RFC 8628 §3.3.1: the QR code reads %s", (addressWithCode) => {
  const pages = liquidPages({})
  const form = { action: "/device", hidden: [] }
  const html = pages.render(
    { _tag: "DeviceQr", form, userCode: "BCDF-GHJK", address: "https://op.example/device", addressWithCode },
    sampleContext,
  )
  expect(decodeQR(pixels(html))).toBe(addressWithCode)
})
