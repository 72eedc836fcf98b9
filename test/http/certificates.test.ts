import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { describe, expect, test } from "vitest"
import {
  type CallerCertificate,
  type CertificateForm,
  certificateFields,
  certificateFromProxy,
  certificateOfSocket,
  withoutCertificates,
} from "../../packages/adapter-http/src/certificates.ts"
import { makeCertificate } from "../support/certificates.ts"
import { runs } from "../tiers/tier.ts"
import { fakeProvider, plainAnswer, start } from "./server.ts"

const { der, cert } = makeCertificate()
const base64 = der.toString("base64")
const escaped = encodeURIComponent(cert)
const hash = createHash("sha256").update(der).digest("hex")

type Fields = Readonly<Record<string, string>>

const read = (form: CertificateForm, headers: Fields, verifies?: boolean, peer = "10.0.0.7") =>
  certificateFromProxy({ form, from: ["10.0.0.0/8", "fd00::1"], verifies })({
    headers,
    socket: { remoteAddress: peer },
  } as unknown as IncomingMessage)

const seen = (verified: boolean) => ({ der: new Uint8Array(der), verified })

describe("the certificate of a caller from the header of a proxy", () => {
  test.each<readonly [string, CertificateForm, Fields, boolean | undefined, boolean]>([
    ["RFC 9440 §2.2: Client-Cert", "client-cert", { "client-cert": `:${base64}:` }, undefined, false],
    [
      "RFC 9440 §2.2: Client-Cert of a proxy that verifies",
      "client-cert",
      { "client-cert": `:${base64}:`, "client-cert-chain": `:${base64}:` },
      true,
      true,
    ],
    ["nginx, verified", "nginx", { "x-ssl-client-cert": escaped, "x-ssl-client-verify": "SUCCESS" }, undefined, true],
    [
      "nginx, of an unknown authority",
      "nginx",
      { "x-ssl-client-cert": escaped, "x-ssl-client-verify": "FAILED:self-signed certificate" },
      undefined,
      false,
    ],
    ["nginx, whatever the setting for others", "nginx", { "x-ssl-client-cert": escaped }, true, false],
    ["Envoy", "envoy", { "x-forwarded-client-cert": `By=spiffe://a/b;Hash=${hash};Subject="CN=a\\"b;,c";Cert="${escaped}"` }, true, true],
    ["Envoy without a hash, unquoted", "envoy", { "x-forwarded-client-cert": `Cert=${escaped};URI=a;URI=b` }, undefined, false],
    ["HAProxy, verified", "haproxy", { "x-ssl-client-cert": base64, "x-ssl-client-verify": "0" }, undefined, true],
    ["HAProxy, not verified", "haproxy", { "x-ssl-client-cert": base64, "x-ssl-client-verify": "18" }, undefined, false],
    [
      "Amazon's load balancer, passthrough",
      "alb",
      { "x-amzn-mtls-clientcert": escaped.replaceAll("%2F", "/").replaceAll("%2B", "+") },
      undefined,
      false,
    ],
    ["Amazon's load balancer, verified", "alb", { "x-amzn-mtls-clientcert-leaf": escaped }, true, true],
  ])("%s", (_, form, headers, verifies, verified) => {
    expect(read(form, headers, verifies)).toEqual(seen(verified))
    expect(read(form, headers, verifies, "::ffff:10.1.2.3")).toEqual(seen(verified))
    expect(read(form, headers, verifies, "fd00::1")).toEqual(seen(verified))
  })

  test("the leaf of a load balancer that passes certificates through was written by its caller", () => {
    expect(read("alb", { "x-amzn-mtls-clientcert-leaf": escaped }, false)).toBe(undefined)
    expect(read("alb", { "x-amzn-mtls-clientcert-leaf": escaped, "x-amzn-mtls-clientcert": escaped }, false)).toEqual(seen(false))
  })

  test("RFC 8446 §4.4.2: of a chain that is passed through, the first certificate is the client's", () => {
    expect(read("alb", { "x-amzn-mtls-clientcert": `${escaped}%0A${escaped}` }, false)).toEqual(seen(false))
  })

  test("a request without a socket shows no certificate, and harms nobody", () => {
    const none = { headers: { "client-cert": `:${base64}:` } } as unknown as Parameters<CallerCertificate>[0]
    expect(certificateOfSocket(true)(none)).toBe(undefined)
    expect(certificateFromProxy({ form: "client-cert", from: ["10.0.0.7"] })(none)).toBe(undefined)
  })

  test.each(["192.0.2.1", "11.0.0.7", "::1", "fd00::2", ""])(
    "RFC 8705 §6.5, RFC 9440 §2.4: a peer that is not listed (%s) is not believed",
    (peer) => {
      expect(read("client-cert", { "client-cert": `:${base64}:` }, true, peer)).toBe(undefined)
    },
  )

  test.each<readonly [string, CertificateForm, Fields]>([
    ["no header", "client-cert", {}],
    ["the chain of a load balancer that verifies: its caller wrote it", "alb", { "x-amzn-mtls-clientcert": escaped }],
    ["another form's header", "client-cert", { "x-ssl-client-cert": escaped, "x-ssl-client-verify": "SUCCESS" }],
    ["two of them, joined", "client-cert", { "client-cert": `:${base64}:, :${base64}:` }],
    ["parameters after it", "client-cert", { "client-cert": `:${base64}:;a=1` }],
    ["base64url", "client-cert", { "client-cert": ":AB-_:" }],
    ["base64 without padding", "client-cert", { "client-cert": ":QQ:" }],
    ["bits left over", "client-cert", { "client-cert": ":QR==:" }],
    ["nothing between the colons", "client-cert", { "client-cert": "::" }],
    ["no colons", "client-cert", { "client-cert": base64 }],
    ["PEM with another after it", "nginx", { "x-ssl-client-cert": encodeURIComponent(cert + cert), "x-ssl-client-verify": "SUCCESS" }],
    ["PEM with words before it", "nginx", { "x-ssl-client-cert": encodeURIComponent(`words ${cert}`), "x-ssl-client-verify": "SUCCESS" }],
    ["a broken escape", "nginx", { "x-ssl-client-cert": `${escaped}%`, "x-ssl-client-verify": "SUCCESS" }],
    ["an empty header", "nginx", { "x-ssl-client-cert": "", "x-ssl-client-verify": "NONE" }],
    ["two elements of Envoy", "envoy", { "x-forwarded-client-cert": `Cert="${escaped}",Cert="${escaped}"` }],
    ["two certificates in one element", "envoy", { "x-forwarded-client-cert": `Cert="${escaped}";Cert="${escaped}"` }],
    ["a hash of another", "envoy", { "x-forwarded-client-cert": `Hash=${"0".repeat(64)};Cert="${escaped}"` }],
    ["an open quote", "envoy", { "x-forwarded-client-cert": `Cert="${escaped}` }],
    ["a hash alone", "envoy", { "x-forwarded-client-cert": `Hash=${hash}` }],
    ["longer than any certificate", "haproxy", { "x-ssl-client-cert": "A".repeat(40_000), "x-ssl-client-verify": "0" }],
  ])("fails closed with %s", (_, form, headers) => {
    expect(read(form, headers, true)).toBe(undefined)
  })

  test("whatever the header says, it is read or it is none: nothing throws", { timeout: 60_000 }, () => {
    let seed = 5
    const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 8
    const alphabet = ':;,="\\%ABab09+/- \n'
    const whole = [`:${base64}:`, escaped, `By=a;Hash=${hash};Cert="${escaped}"`, base64]
    const forms = ["client-cert", "nginx", "envoy", "haproxy", "alb"] as const
    for (let run = 0; run < runs(100_000); run++) {
      const text = Array.from(next() % 2 === 0 ? (whole[next() % whole.length] ?? "") : "")
      for (let change = next() % 12; change >= 0; change--)
        text.splice(next() % (text.length + 1), next() % 2, alphabet[next() % alphabet.length] ?? "")
      const headers = Object.fromEntries(certificateFields.map((name) => [name, text.join("")]))
      const found = read(forms[next() % forms.length] ?? "nginx", headers)
      if (found !== undefined) expect(found.der.length).toBeGreaterThan(0)
    }
  })

  test("RFC 8705 §6.5: a server takes the fields from every request; what was believed is in their place", async () => {
    for (const proxies of [
      undefined,
      { form: "client-cert", from: ["127.0.0.1"] } as const,
      { form: "client-cert", from: ["10.0.0.1"] } as const,
    ]) {
      const provider = fakeProvider(plainAnswer)
      const server = await start({ provider, ...(proxies === undefined ? {} : { certificateProxies: proxies }) })
      const headers = Object.fromEntries(certificateFields.map((name) => [name, name === "client-cert" ? `:${base64}:` : "forged"]))
      await fetch(`${server.url}/connect/userinfo`, { headers })
      await server.stop()
      const [message] = provider.messages
      expect(certificateFields.filter((name) => message?.headers[name] !== undefined)).toEqual([])
      expect(message?.peerCertificate).toEqual(proxies?.from[0] === "127.0.0.1" ? seen(false) : undefined)
    }
  })

  test("takes nothing else from a request", () => {
    const headers = { host: "op.example", "client-cert": "x", cookie: "a=b" }
    withoutCertificates(headers)
    expect(headers).toEqual({ host: "op.example", cookie: "a=b" })
  })
})
