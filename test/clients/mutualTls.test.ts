import { type ChildProcess, spawn } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeJwt } from "jose"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pem } from "../cli/pem.ts"
import { makeCertificate } from "../support/certificates.ts"
import { postgresServer } from "../support/postgres.ts"
import { command, freePort } from "../support/server.ts"
import { tlsFetch } from "../support/tlsFetch.ts"

const cn = "2.5.4.3"
const authority = makeCertificate({ subject: [[cn, "Clients of the test"]], isAuthority: true })
const known = makeCertificate({
  subject: [
    ["2.5.4.10", "Example"],
    [cn, "robot"],
  ],
  names: [[2, "robot.example"]],
  by: authority,
})
const selfSigned = makeCertificate({ subject: [[cn, "loner"]] })
const expired = makeCertificate({ subject: [[cn, "loner"]], days: -1 })
const stranger = makeCertificate({ subject: known.subject, names: [[2, "robot.example"]] })

const machine = {
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
  tls_client_certificate_bound_access_tokens: true,
}
const config = {
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  clients: [
    { ...machine, client_id: "robot", token_endpoint_auth_method: "tls_client_auth", tls_client_auth_subject_dn: "CN=robot, O=example" },
    { ...machine, client_id: "named", token_endpoint_auth_method: "tls_client_auth", tls_client_auth_san_dns: "robot.example" },
    {
      ...machine,
      client_id: "loner",
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      access_token_format: "reference",
      jwks: {
        keys: [selfSigned, expired].map(({ publicKey, der }) => ({
          ...publicKey.export({ format: "jwk" }),
          x5c: [der.toString("base64")],
        })),
      },
    },
    { ...machine, client_id: "secretive", client_secret: "a secret", tls_client_certificate_bound_access_tokens: false },
  ],
}

const postgres = postgresServer()
const stores = { SQLite: async () => ({}), PostgreSQL: async () => ({ data: await (await postgres()).database() }) }

describe.each(Object.entries(stores))("clients with certificates, with %s", (_, data) => {
  const folder = mkdtempSync(join(tmpdir(), "postern-mutual-tls-"))
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  let issuer = ""
  let server: ChildProcess
  beforeAll(async () => {
    const [port, mutual] = [await freePort(), await freePort()]
    issuer = `https://localhost:${port}`
    const file = write(
      "postern.json",
      JSON.stringify({
        issuer,
        listen: { host: "127.0.0.1", port },
        tls: { key_file: write("key.pem", pem.key), cert_file: write("cert.pem", pem.cert) },
        mutual_tls: { listen: { host: "127.0.0.1", port: mutual }, ca_file: write("ca.pem", authority.cert) },
        mutual_tls_url: `https://localhost:${mutual}`,
        data: join(folder, "data"),
        ...config,
        ...(await data()),
      }),
    )
    server = spawn(process.execPath, [command, "serve", "--config", file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    await new Promise<void>((resolve, reject) => {
      for (const stream of [server.stdout, server.stderr])
        stream?.on("data", (chunk: Buffer) => {
          output += chunk.toString()
          if (output.includes('"mutual_tls":"https://127.0.0.1:')) resolve()
        })
      server.once("exit", () => reject(new Error(output)))
    })
  }, 60_000)
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve))
    server.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  const fetchWith = (certificate?: { readonly cert: string; readonly key: string }) =>
    tlsFetch({ ca: pem.cert, ...(certificate && { cert: certificate.cert, key: certificate.key }) })

  test("RFC 8705 §2.1, §3, §5: openid-client finds the aliases, authenticates by its certificate and gets a bound token", async () => {
    const configuration = await client.discovery(new URL(issuer), "robot", { use_mtls_endpoint_aliases: true }, client.TlsClientAuth(), {
      [client.customFetch]: fetchWith(known) as client.CustomFetch,
    })
    const { access_token, token_type } = await client.clientCredentialsGrant(configuration, { scope: "api.read" })
    expect([token_type, decodeJwt(access_token)["cnf"]]).toEqual(["bearer", { "x5t#S256": expect.stringMatching(/^[\w-]{43}$/) }])
    const seen = await client.tokenIntrospection(configuration, access_token)
    expect(seen).toMatchObject({ active: true, cnf: decodeJwt(access_token)["cnf"], iss: issuer })
  })

  test("RFC 8705 §2.2: oauth4webapi authenticates by a self-signed certificate; nobody else's passes for it", async () => {
    const options = { [oauth.customFetch]: fetchWith(selfSigned) as never }
    const from = new URL(issuer)
    const as = await oauth.processDiscoveryResponse(from, await oauth.discoveryRequest(from, options as oauth.DiscoveryRequestOptions))
    const ask = async (client_id: string, more: object) =>
      oauth.processClientCredentialsResponse(
        as,
        { client_id, use_mtls_endpoint_aliases: true },
        await oauth.clientCredentialsGrantRequest(
          as,
          { client_id, use_mtls_endpoint_aliases: true },
          oauth.TlsClientAuth(),
          { scope: "api.read" },
          more,
        ),
      )
    expect((await ask("loner", options)).token_type).toBe("bearer")
    // No chain is checked: what has expired counts until its key is removed.
    expect(new X509Certificate(expired.cert).validToDate < new Date()).toBe(true)
    expect((await ask("loner", { [oauth.customFetch]: fetchWith(expired) })).token_type).toBe("bearer")
    for (const other of [known, undefined])
      await expect(ask("loner", { [oauth.customFetch]: fetchWith(other) })).rejects.toMatchObject({ error: "invalid_client" })
    // A certificate of another maker with the registered names in it.
    for (const id of ["robot", "named"]) {
      await expect(ask(id, { [oauth.customFetch]: fetchWith(stranger) })).rejects.toMatchObject({ error: "invalid_client" })
      expect((await ask(id, { [oauth.customFetch]: fetchWith(known) })).token_type).toBe("bearer")
    }
  })

  test("RFC 8705 §6.1: the host asks and does not require; the issuer's own host does not ask, and believes no header", async () => {
    const document = (await (await fetchWith()(`${issuer}/.well-known/openid-configuration`)).json()) as {
      readonly mtls_endpoint_aliases: Readonly<Record<string, string>>
      readonly token_endpoint: string
    }
    const ask = (
      url: string,
      fields: Readonly<Record<string, string>>,
      certificate?: typeof known,
      headers: Readonly<Record<string, string>> = {},
    ) =>
      fetchWith(certificate)(url, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ grant_type: "client_credentials", scope: "api.read", ...fields }),
      })
    const alias = document.mtls_endpoint_aliases["token_endpoint"] ?? ""
    const basic = { authorization: `Basic ${Buffer.from("secretive:a secret").toString("base64")}` }
    expect((await ask(alias, {}, undefined, basic)).status).toBe(200)
    expect((await ask(alias, { client_id: "robot" }, known)).status).toBe(200)
    expect((await ask(alias, { client_id: "robot" })).status).toBe(401)
    expect((await ask(document.token_endpoint, { client_id: "robot" }, known)).status).toBe(401)
    const forged = { "client-cert": `:${known.der.toString("base64")}:`, "x-ssl-client-verify": "SUCCESS" }
    for (const url of [alias, document.token_endpoint]) expect((await ask(url, { client_id: "robot" }, undefined, forged)).status).toBe(401)
  })
})
