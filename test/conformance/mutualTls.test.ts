import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Report } from "@postern/conformance"
import { pem } from "../cli/pem.ts"
import { folder, postern } from "../cli/run.ts"
import { serve } from "../cli/running.ts"
import { freePort } from "../support/server.ts"

vi.setConfig({ testTimeout: 240_000 })

const person = { username: "alice", password: "correct horse battery staple" }

describe.each([1, 2])("a server of ours with a listener that asks for certificates, by %i processes", (workers) => {
  it("meets every requirement of mutual TLS (RFC 8705), and doctor finds nothing wrong with it", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const write = (name: string, content: string): string => {
      writeFileSync(join(cwd, name), content, { mode: 0o600 })
      return `./${name}`
    }
    const [port, mutual] = [await freePort(), await freePort()]
    const issuer = `https://localhost:${port}`
    write(
      "postern.json",
      JSON.stringify({
        issuer,
        workers,
        development: true,
        listen: { port },
        tls: { cert_file: write("cert.pem", pem.cert), key_file: write("key.pem", pem.key) },
        mutual_tls_url: `https://localhost:${mutual}`,
        mutual_tls: { listen: { port: mutual } },
        registration: { open: true },
        key_encryption_key: randomBytes(32).toString("base64"),
        users: [person],
      }),
    )
    write("client-file.json", JSON.stringify({ clients: {}, person, pages: "postern" }))
    await serve({ cwd })
    const env = { NODE_EXTRA_CA_CERTS: join(cwd, "cert.pem") }
    const asked = ["conform", issuer, "--client-file", "client-file.json", "--requirements", "mutual-tls", "--rate", "500"]
    const { code, err } = await postern([...asked, "--format", "json", "--out", "report.json"], { cwd, env })
    const text = readFileSync(join(cwd, "report.json"), "utf8")
    const { results } = JSON.parse(text) as Report
    expect(results.flatMap(({ requirement, verdict, reason }) => (verdict === "pass" ? [] : [[requirement.id, verdict, reason]]))).toEqual(
      [],
    )
    expect([code, results.length, err.includes("fail")]).toEqual([0, 13, false])
    expect(text).not.toContain("PRIVATE KEY")
    expect(await postern(["doctor"], { cwd, env })).toMatchObject({ code: 0 })
  })
})
