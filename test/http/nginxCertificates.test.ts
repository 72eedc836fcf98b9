import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { postern } from "../cli/run.ts"
import { pem } from "../cli/pem.ts"
import { nginxThere } from "../postgres/nginx/nginx.ts"
import { makeCertificate } from "../support/certificates.ts"
import { type BehindProxy, behindProxy } from "../support/behindProxy.ts"
import { freePort, serveAt } from "../support/server.ts"
import { tlsFetch } from "../support/tlsFetch.ts"

const cn = "2.5.4.3"
const authority = makeCertificate({ subject: [[cn, "Clients of the test"]], isAuthority: true })
const robot = makeCertificate({ subject: [[cn, "robot"]], by: authority })
const stranger = makeCertificate({ subject: [[cn, "robot"]] })
const expired = makeCertificate({ subject: [[cn, "robot"]], days: -1, keys: stranger })

/** The lines of docs/operating.md: what callers send under these names is not passed on. */
const right = `
  proxy_set_header X-SSL-Client-Cert $ssl_client_escaped_cert;
  proxy_set_header X-SSL-Client-Verify $ssl_client_verify;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header Client-Cert "";
  proxy_set_header Client-Cert-Chain "";
  proxy_set_header X-Forwarded-Client-Cert "";
  proxy_set_header X-Amzn-Mtls-Clientcert "";
  proxy_set_header X-Amzn-Mtls-Clientcert-Leaf "";
  proxy_set_header Forwarded "";`

describe.skipIf(!nginxThere)("behind nginx, which asks for certificates", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-nginx-certificates-"))
  let proxied: BehindProxy
  /** The address of nginx, and of one that passes on what callers send. */
  let [careful, careless] = ["", ""]
  /** The address of one that replaces every field but that of the verification. */
  let halfway = ""
  beforeAll(async () => {
    // Started as root, it works as www-data, which has to get in.
    chmodSync(folder, 0o755)
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const [port, carefulPort, carelessPort, halfwayPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
    const place = (listen: number, headers: string): string => `
  server {
    listen 127.0.0.1:${listen} ssl;
    ssl_certificate ${write("cert.pem", pem.cert)};
    ssl_certificate_key ${write("key.pem", pem.key)};
    ssl_verify_client optional_no_ca;
    ssl_client_certificate ${write("ca.pem", authority.cert)};
    location / { ${headers}
      proxy_pass http://127.0.0.1:${port};
    }
  }`
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((each) => `${each}_temp_path ${join(folder, each)};`)
      .join("\n")
    const conf = write(
      "nginx.conf",
      `pid ${join(folder, "pid")};\nevents {}\nhttp { access_log off;\n${temporary}${place(carefulPort, right)}${place(carelessPort, "")}${place(halfwayPort, right.replace(/^.*Client-Verify.*$/m, ""))}\n}`,
    )
    ;[careful, careless, halfway] = [carefulPort, carelessPort, halfwayPort].map((each) => `https://localhost:${each}`) as [
      string,
      string,
      string,
    ]
    const args = ["-p", folder, "-c", conf, "-e", join(folder, "error.log"), "-g", "daemon off;"]
    proxied = await behindProxy({ program: "/usr/sbin/nginx", args, url: careful, port, form: "nginx", loner: stranger.publicKey })
  }, 60_000)
  afterAll(async () => {
    await proxied?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask: BehindProxy["ask"] = (...args) => proxied.ask(...args)

  test("RFC 8705 §2, §3, §6.5: a client is known by the certificate that it showed nginx, and gets a bound token", async () => {
    const { status, access_token = "" } = await ask("robot", robot)
    expect(status).toBe(200)
    expect(decodeJwt(access_token)["cnf"]).toEqual({ "x5t#S256": expect.any(String) })
    expect((await ask("loner", stranger)).status).toBe(200)
  })

  test("RFC 8705 §2.1: another maker's certificate with the same subject, or none, is refused", async () => {
    expect((await ask("robot", stranger)).status).toBe(401)
    expect((await ask("robot")).status).toBe(401)
    expect((await ask("loner", robot)).status).toBe(401)
  })

  test("RFC 8705 §2.2: nginx itself refuses a certificate that has expired, before anything is asked of the server", async () => {
    expect((await ask("loner", stranger)).status).toBe(200)
    const answer = await tlsFetch({ ca: pem.cert, cert: expired.cert, key: expired.key })(`${careful}/health/live`)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("The SSL certificate error")])
  })

  test("RFC 8705 §6.5: headers that a caller forges are replaced by nginx; postern proxy-check says so", async () => {
    const forged = {
      "x-ssl-client-cert": encodeURIComponent(robot.cert),
      "x-ssl-client-verify": "SUCCESS",
      "client-cert": `:${robot.der.toString("base64")}:`,
    }
    expect((await ask("robot", undefined, forged)).status).toBe(401)
    const trusting = { cwd: folder, env: { NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") } }
    const fine = await postern(["proxy-check", careful], trusting)
    expect(fine).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^client-cert \(client-cert\) +removed$[^]*forged certificate: not believed/m),
    })
    // Without its lines nginx passes everything on, and the server has to believe it: that is what the command is for.
    expect((await ask("robot", undefined, forged, careless)).status).toBe(200)
    const found = await postern(["proxy-check", careless, "--json"], trusting)
    const told = JSON.parse(found.out) as { readonly fields: unknown }
    expect([found.code, told]).toMatchObject([1, { believed: { certificate: true, address: true } }])
    expect(told.fields).toContainEqual({ field: "x-forwarded-for", form: "address", came: "as sent", read: true })
    expect(found.err).toMatch(/the server trusts headers that callers wrote: .*x-forwarded-for/)
  })

  test("RFC 8705 §6.5: a proxy that replaces all fields but that of the verification is found out, by the name of the field", async () => {
    // Whoever shows any certificate of their own would pass for one of the authority's.
    const forged = { "x-ssl-client-verify": "SUCCESS" }
    expect([(await ask("robot", stranger, forged)).status, (await ask("robot", stranger, forged, halfway)).status]).toEqual([401, 200])
    const trusting = { cwd: folder, env: { NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") } }
    const found = await postern(["proxy-check", halfway], trusting)
    expect(found).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^x-ssl-client-cert \(nginx\) +(?:removed|replaced)$[^]*^x-ssl-client-verify \(nginx\) +reached the server as it was sent, which READS it$[^]*forged certificate: not believed/m,
      ),
      err: expect.stringContaining("the server trusts headers that callers wrote: x-ssl-client-verify"),
    })
    const { fields } = JSON.parse((await postern(["proxy-check", halfway, "--json"], trusting)).out) as { readonly fields: unknown }
    expect(fields).toContainEqual({ field: "x-ssl-client-verify", form: "haproxy", came: "as sent", read: true })
    expect(fields).toContainEqual({ field: "forwarded", form: "address", came: "removed", read: false })
  })

  test("tells nothing where the setting is off, and what cannot be reached", async () => {
    const plain = await serveAt(`http://127.0.0.1:${await freePort()}`, {})
    onTestFinished(async () => {
      await plain.stop()
      plain.remove()
    })
    const off = await postern(["proxy-check", plain.url], { cwd: folder })
    expect(off).toMatchObject({ code: 1, err: expect.stringContaining("mutual_tls.proxy_check") })
    expect(await postern(["proxy-check", "https://127.0.0.1:1"], { cwd: folder })).toMatchObject({ code: 3 })
    expect(await postern(["proxy-check", "id.example.com"], { cwd: folder })).toMatchObject({ code: 2 })
  })
})
