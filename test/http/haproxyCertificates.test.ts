import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { postern } from "../cli/run.ts"
import { pem } from "../cli/pem.ts"
import { makeCertificate } from "../support/certificates.ts"
import { type BehindProxy, behindProxy } from "../support/behindProxy.ts"
import { freePort } from "../support/server.ts"

const cn = "2.5.4.3"
const authority = makeCertificate({ subject: [[cn, "Clients of the test"]], isAuthority: true })
const between = makeCertificate({ subject: [[cn, "Between"]], isAuthority: true, by: authority })
const foreign = makeCertificate({ subject: [[cn, "Foreign"]], isAuthority: true })
const robot = makeCertificate({ subject: [[cn, "robot"]], by: authority })
const chained = makeCertificate({ subject: [[cn, "robot"]], by: between })
const accented = makeCertificate({ subject: [[cn, "Müller 中"]], by: authority })
const late = makeCertificate({ subject: [[cn, "robot"]], by: authority, days: -1 })
const byForeign = makeCertificate({ subject: [[cn, "robot"]], by: foreign })
const stranger = makeCertificate({ subject: [[cn, "robot"]] })
const expired = makeCertificate({ subject: [[cn, "robot"]], days: -1, keys: stranger })

const program = "/usr/sbin/haproxy"
/** As for nginx, with which CI installs it. */
const isThere = existsSync(program) || process.env["POSTERN_REQUIRE_NGINX"] === "1"

/** The lines of docs/operating.md, of the block in which HAProxy is configured. */
const recipe =
  /```haproxy\n([^]*?)\n```/.exec(readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8"))?.[1]?.split("\n") ?? []

describe.skipIf(!isThere)("behind HAProxy, which asks for certificates", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-haproxy-certificates-"))
  const secret = "a secret of the test, long enough"
  let proxied: BehindProxy
  let [careful, careless] = ["", ""]
  beforeAll(async () => {
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    write("cert.pem", pem.cert)
    const [port, carefulPort, carelessPort] = [await freePort(), await freePort(), await freePort()]
    const frontend = (listen: number, lines: ReadonlyArray<string>): string =>
      [`frontend f${listen}`, ...lines, "default_backend postern"]
        .join("\n  ")
        .replace("bind :443", `bind 127.0.0.1:${listen}`)
        .replace("id.pem", write("both.pem", pem.cert + pem.key))
        .replace("clients-ca.pem", write("ca.pem", authority.cert))
    const conf = write(
      "haproxy.cfg",
      `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
${frontend(carefulPort, recipe)}
${frontend(carelessPort, recipe.slice(0, 1))}
backend postern
  server one 127.0.0.1:${port}
`,
    )
    ;[careful, careless] = [`https://localhost:${carefulPort}`, `https://localhost:${carelessPort}`]
    proxied = await behindProxy({
      program,
      args: ["-q", "-db", "-f", conf],
      url: careful,
      port,
      form: "haproxy",
      loner: stranger.publicKey,
      others: [
        { client_id: "accented", token_endpoint_auth_method: "tls_client_auth", tls_client_auth_subject_dn: "CN=Müller 中" },
        { client_id: "secretive", client_secret: secret },
      ],
    })
  }, 60_000)
  afterAll(async () => {
    await proxied?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (client_id: string, certificate?: { readonly cert: string; readonly key: string }, headers = {}, url = careful) =>
    proxied.ask(client_id, certificate, headers, url, client_id === "secretive" ? { client_secret: secret } : {})
  const outcome = async (...args: Parameters<typeof ask>): Promise<unknown> =>
    ask(...args).then(
      ({ status }) => status,
      (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
    )
  const withChain = { ...chained, cert: chained.cert + between.cert }
  const foreignChain = { ...byForeign, cert: byForeign.cert + foreign.cert }

  /** The outcomes of three requests over a connection each, and whether its TLS session was resumed. */
  const thrice = async ({ cert, key }: typeof robot, id: string): Promise<ReadonlyArray<unknown>> => {
    const agent = new Agent({ ca: pem.cert, cert, key })
    const headers = { "content-type": "application/x-www-form-urlencoded", connection: "close" }
    const once = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const sent = request(`${careful}/connect/token`, { method: "POST", agent, headers }, (answer) => {
          const resumed = (answer.socket as TLSSocket).isSessionReused()
          answer.resume().on("end", () => resolve([answer.statusCode, resumed]))
        })
        sent.on("error", reject)
        sent.end(String(new URLSearchParams({ grant_type: "client_credentials", scope: "api.read", client_id: id })))
      })
    return [await once(), await once(), await once()]
  }

  test("RFC 8705 §2, §3, §6.5: a client is known by the certificate that it showed HAProxy, and gets a bound token", async () => {
    const { status, access_token = "" } = await ask("robot", robot)
    expect(status).toBe(200)
    expect(decodeJwt(access_token)["cnf"]).toEqual({ "x5t#S256": expect.any(String) })
    expect(await outcome("loner", stranger)).toBe(200)
    // RFC 4514 §2.4: a subject beyond ASCII; RFC 5280 §6.1: a chain of two.
    expect([await outcome("accented", accented), await outcome("robot", withChain)]).toEqual([200, 200])
  })

  test("RFC 8705 §2.1: an unverified or expired certificate with the same subject, or none, is refused", async () => {
    for (const [certificate, as] of [
      [stranger, "robot"],
      [byForeign, "robot"],
      [chained, "robot"],
      [late, "robot"],
      [undefined, "robot"],
      [robot, "loner"],
    ] as const)
      expect(await outcome(as, certificate)).toBe(401)
    // HAProxy ends the handshake; its alert may come after the end of the connection.
    expect(await outcome("robot", foreignChain)).toMatch(/^(?:ERR_SSL_TLSV1_ALERT_UNKNOWN_CA|ECONNRESET|EPIPE)$/)
    // No chain is checked of a certificate that is known by its key (§2.2).
    expect(await outcome("loner", expired)).toBe(200)
  })

  test("RFC 8705 §5: a client without a certificate, or with another's, is known by its secret", async () => {
    for (const certificate of [undefined, robot, stranger]) expect(await outcome("secretive", certificate)).toBe(200)
  })

  test("RFC 8446 §2.2: a resumed session has the verification of the first", async () => {
    expect(await thrice(robot, "robot")).toEqual([
      [200, false],
      [200, true],
      [200, true],
    ])
    expect(await thrice(stranger, "robot")).toEqual([
      [401, false],
      [401, true],
      [401, true],
    ])
  })

  test("RFC 8705 §6.5: headers that a caller forges are replaced by HAProxy; postern proxy-check says so", async () => {
    const forged = { "x-ssl-client-cert": robot.der.toString("base64"), "x-ssl-client-verify": "0" }
    for (const certificate of [undefined, stranger]) expect(await outcome("robot", certificate, forged)).toBe(401)
    const trusting = { cwd: folder, env: { NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") } }
    const fine = await postern(["proxy-check", careful], trusting)
    expect(fine).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^forged certificate: not believed\nforged address: +not believed$/m),
    })
    expect(fine.out).not.toContain("as it was sent")
    expect(await outcome("robot", undefined, forged, careless)).toBe(200)
    const found = await postern(["proxy-check", careless], trusting)
    expect(found).toMatchObject({ code: 1, err: expect.stringContaining("x-ssl-client-cert, x-ssl-client-verify, x-forwarded-for") })
  })
})
