import { forwardedCertificate } from "@postern/core/wire"
import { describe, expect, it, test } from "vitest"

const der = Uint8Array.from([0x30, 0x03, 0x02, 0x01, 0xfb])
const [begin, end] = ["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"]
/** Five bytes, with one sign of padding, and the signs that base64 has and base64url has not. */
const base64 = Buffer.from(der).toString("base64")
const pem = (text = base64): string => `${begin}\n${text}\n${end}\n`
const escaped = encodeURIComponent(pem())

const read = (form: Parameters<typeof forwardedCertificate>[1], headers: Record<string, unknown>, verifies = false) =>
  forwardedCertificate(headers, form, verifies)
const xfcc = (value: string) => read("envoy", { "x-forwarded-client-cert": value })
const nginx = (value: string) => read("nginx", { "x-ssl-client-cert": value })
const alb = (value: string) => read("alb", { "x-amzn-mtls-clientcert": value })
const shown = { der, verified: false }

describe("base64 of a certificate (RFC 4648 §4)", () => {
  const haproxy = (text: string) => read("haproxy", { "x-ssl-client-cert": text })
  it.each([base64, "MAMCAQ==", "MAMC", "+/+/"])("%s is read", (text) => {
    expect(haproxy(text)?.der).toEqual(new Uint8Array(Buffer.from(text, "base64")))
  })
  it.each(["", "MAM", "MAMCAQ=", "MAMCA===", "MAMC====", "-_-_", ".MAMCAQ=", "MA=C", "MAMCAR==", " MAMC", "MAMC "])(
    "%j is none",
    (text) => {
      expect(haproxy(text)).toBeUndefined()
    },
  )
})

describe("Client-Cert (RFC 9440 §2.2)", () => {
  const clientCert = (value: unknown) => read("client-cert", { "client-cert": value })
  test("a byte sequence, with white space around it", () => {
    expect(clientCert(` :${base64}: `)).toEqual(shown)
  })
  it.each([base64, `:${base64}`, `${base64}:`, "::", ":", "", `::${base64}::`, `:${base64};a=1:`, undefined, [`:${base64}:`]])(
    "%j is none",
    (value) => {
      expect(clientCert(value)).toBeUndefined()
    },
  )
  test("of 32,768 characters one is read, and none longer", () => {
    const long = Buffer.alloc(24_573, 0xfb).toString("base64")
    expect(clientCert(`${" ".repeat(2)}:${long}:`)?.der.length).toBe(24_573)
    expect(clientCert(`${" ".repeat(3)}:${long}:`)).toBeUndefined()
  })
})

describe("PEM that is percent-encoded (RFC 7468 §5)", () => {
  it.each([escaped, encodeURIComponent(` ${pem()} `), encodeURIComponent(pem(base64.replace(/(.{3})/g, "$1\r\n ")))])(
    "%s is read",
    (value) => {
      expect(nginx(value)).toEqual(shown)
    },
  )
  it.each([
    "",
    "%",
    base64,
    encodeURIComponent(base64),
    encodeURIComponent(`${begin}${base64}`),
    encodeURIComponent(`${base64}${end}`),
    encodeURIComponent(begin + "a".repeat(end.length)),
    encodeURIComponent("a".repeat(begin.length) + base64 + end),
    encodeURIComponent(begin + base64 + "a".repeat(end.length)),
    encodeURIComponent(pem() + pem()),
    encodeURIComponent(`x${pem()}`),
    encodeURIComponent(pem("")),
  ])("%s is none", (value) => {
    expect(nginx(value)).toBeUndefined()
  })
  test("nothing at all is none", () => {
    for (const form of ["client-cert", "nginx", "envoy", "haproxy", "alb"] as const)
      for (const verifies of [true, false]) expect(read(form, {}, verifies)).toBeUndefined()
  })
})

describe("a chain that is passed through (RFC 8446 §4.4.2)", () => {
  test("its first certificate is the client's", () => {
    expect(alb(encodeURIComponent(pem() + pem("AAAA")))).toEqual(shown)
  })
  it.each([
    "%",
    encodeURIComponent(begin + base64),
    encodeURIComponent(base64),
    encodeURIComponent(end + pem()),
    `${escaped}, ${escaped}`,
    `${escaped},`,
    encodeURIComponent(`${pem()}x`),
    encodeURIComponent(`${pem()}${pem("=")}`),
  ])("%s is none", (value) => {
    expect(alb(value)).toBeUndefined()
  })
})

describe("x-forwarded-client-cert of Envoy", () => {
  it.each([
    `Cert=${escaped}`,
    `cert="${escaped}"`,
    `By=a;CERT=${escaped};URI=b;URI=c`,
    ` Cert =${escaped}`,
    `Subject="a\\"b;,=c";Cert="${escaped}"`,
    `By=;Cert=${escaped};`,
  ])("%s is read", (value) => {
    expect(xfcc(value)).toEqual({ ...shown, hash: undefined })
  })
  test("its hash is read, in lower case", () => {
    expect(xfcc(`Hash=ABCDEF;Cert=${escaped}`)).toEqual({ ...shown, hash: "abcdef" })
  })
  it.each([
    "",
    "Cert",
    `Cert=${escaped};x`,
    `=${escaped}`,
    `By=a,Cert=${escaped}`,
    `Cert=${escaped},By=a`,
    `x, Cert=${escaped}`,
    `Cert=${escaped};x, By=a`,
    `Cert="${escaped}`,
    `Cert="${escaped}\\`,
    `Cert="${escaped}"x`,
    `Cert=${escaped};Cert=${escaped}`,
    `Hash=a;Hash=b;Cert=${escaped}`,
    `Cert=${escaped}"`,
  ])("%s is none", (value) => {
    expect(xfcc(value)).toBeUndefined()
  })
})
