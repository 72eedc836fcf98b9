import { createHash } from "node:crypto"
import { request } from "node:http"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { makeCertificate } from "../support/certificates.ts"
import { type RunningServer, serve } from "../support/server.ts"

const own = makeCertificate({ subject: [["2.5.4.3", "loner"]] })
const other = makeCertificate({ subject: [["2.5.4.3", "loner"]] })
const bound = { "x5t#S256": createHash("sha256").update(own.der).digest("base64url") }

/** Headers as lines: a list of values is sent as so many lines. */
type Lines = Readonly<Record<string, string | ReadonlyArray<string>>>

const escaped = ({ cert }: typeof own): string => encodeURIComponent(cert)
const base64 = ({ der }: typeof own): string => der.toString("base64")
/** The header of each form that carries the certificate, and its value. */
const forms: ReadonlyArray<readonly [form: string, field: string, of: (certificate: typeof own) => string]> = [
  ["client-cert", "client-cert", (certificate) => `:${base64(certificate)}:`],
  ["nginx", "x-ssl-client-cert", escaped],
  ["envoy", "x-forwarded-client-cert", (certificate) => `By=spiffe://mesh/op;Cert="${escaped(certificate)}"`],
  ["haproxy", "x-ssl-client-cert", base64],
  ["alb", "x-amzn-mtls-clientcert", escaped],
]

const config = (form: string, from: string) => ({
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  mutual_tls_url: "https://mtls.op.example",
  mutual_tls: { proxies: { form, from: [from] } },
  clients: [
    {
      client_id: "loner",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api.read",
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      tls_client_certificate_bound_access_tokens: true,
      jwks: { keys: [own.publicKey.export({ format: "jwk" })] },
    },
  ],
})

interface Said {
  readonly status: number
  readonly id: string
  readonly error?: string
  readonly access_token?: string
}

/** Asks for a token with header lines as they are told. */
const ask = ({ url }: RunningServer, headers: Lines): Promise<Said> =>
  new Promise((resolve, reject) => {
    const body = "grant_type=client_credentials&scope=api.read&client_id=loner"
    const sent = request(`${url}/connect/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...(headers as Record<string, string | Array<string>>) },
    })
    sent.on("response", (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      answer.on("end", () => {
        const said = text.startsWith("{") ? (JSON.parse(text) as object) : {}
        resolve({ status: answer.statusCode ?? 0, id: String(answer.headers["x-request-id"]), ...said })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** The rule that refused a request, as the log tells the operator. */
const ruleOf = (server: RunningServer, { id }: Said): Promise<string> =>
  vi.waitFor(
    () => {
      const line = server
        .output()
        .split("\n")
        .find((each) => each.includes(id) && each.includes('"rule"'))
      return (JSON.parse(line ?? "") as { readonly rule: string }).rule
    },
    { timeout: 10_000 },
  )

/** The certificate in a PEM text of nothing but words. */
const words = { ...own, der: Buffer.from("these are words, and no certificate"), cert: "" }
const illegible = { ...words, cert: `-----BEGIN CERTIFICATE-----\n${base64(words)}\n-----END CERTIFICATE-----\n` }

describe.each(forms)("behind a proxy that passes certificates on by %s, over sockets", (form, field, of) => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve(config(form, "127.0.0.1"))
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  test("RFC 8705 §2.2, §3: the client's certificate authenticates it and binds its token", async () => {
    const { status, access_token = "" } = await ask(server, { [field]: of(own) })
    expect([status, decodeJwt(access_token)["cnf"]]).toEqual([200, bound])
  })

  const [unseen, unread, unowned] = ["certificate-shown", "certificate-legible", "own-certificate"].map((each) => `mutual-tls.${each}`)
  test.each<readonly [string, string | undefined, Lines]>([
    ["no header", unseen, {}],
    ["an empty header", unseen, { [field]: "" }],
    ["two lines of the same", unseen, { [field]: [of(own), of(own)] }],
    ["two lines, another's first", unseen, { [field]: [of(other), of(own)] }],
    ["two lines, another's last", unseen, { [field]: [of(own), of(other)] }],
    ["bytes that are no text", unseen, { [field]: "\u00ff\u00fe\u0080" }],
    ["something after it", unseen, { [field]: `${of(own)}, x` }],
    ["something before it", unseen, { [field]: `x, ${of(own)}` }],
    ["words in the encoding of a certificate", unread, { [field]: of(illegible) }],
    ["a certificate of another key", unowned, { [field]: of(other) }],
    [
      "headers of all other forms",
      unseen,
      Object.fromEntries(forms.filter(([, name]) => name !== field).map(([, name, write]) => [name, write(own)])),
    ],
  ])("RFC 8705 §6.5: %s is refused, by a rule that is named", async (_, rule, headers) => {
    const said = await ask(server, headers)
    expect([said.status, said.error, await ruleOf(server, said)]).toEqual([401, "invalid_client", rule])
  })

  test("RFC 9110 §5.4: a header longer than any is refused, and the next request is answered", async () => {
    expect((await ask(server, { [field]: "A".repeat(100_000) })).status).toBe(431)
    expect((await ask(server, { [field]: of(own) })).status).toBe(200)
  })

  test("RFC 8705 §6.5, RFC 9440 §2.4: a peer that is not listed is not believed, whatever address it says it forwards for", async () => {
    const strict = await serve({ ...config(form, "10.0.0.1"), trusted_proxies: ["127.0.0.1"] })
    try {
      for (const more of [{}, { "x-forwarded-for": "10.0.0.1" }, { forwarded: "for=10.0.0.1" }]) {
        const said = await ask(strict, { [field]: of(own), ...more })
        expect([said.status, said.error, await ruleOf(strict, said)]).toEqual([401, "invalid_client", unseen])
      }
    } finally {
      await strict.stop()
      strict.remove()
    }
  })
})
