import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { type Report, requirementsOf } from "@postern/conformance"
import { pem } from "../cli/pem.ts"
import { posternLine } from "../cli/lines.ts"
import { folder, postern } from "../cli/run.ts"
import { serve } from "../cli/running.ts"
import { freePort } from "../support/server.ts"
import { configurationAt, keeping, readJson, takingMessages, tellingPerson } from "./ownServer.ts"

vi.setConfig({ testTimeout: 240_000 })

/** Sets about clients of banks and of devices, which come over TLS alone. */
const sets = ["fapi2-2025-02", "fapi2-ms", "ciba", "mutual-tls"]

it("finds nothing wrong with FAPI 2.0, CIBA and mutual TLS of a server of ours with TLS on two loopback listeners (FAPI 2.0 Security Profile §5.2)", async () => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  const write = (name: string, content: string): string => {
    writeFileSync(join(cwd, name), content, { mode: 0o600 })
    return `./${name}`
  }
  expect((await posternLine(["conform", "--prepare", "."], { cwd })).code).toBe(0)
  tellingPerson(cwd, "postern")
  // It needs what these sets have nothing about.
  keeping(cwd, (role) => role !== "crossing")
  takingMessages(cwd, await freePort())
  const [port, mutual] = [await freePort(), await freePort()]
  const issuer = `https://localhost:${port}`
  const listeners = {
    listen: { host: "127.0.0.1", port },
    tls: { cert_file: write("cert.pem", pem.cert), key_file: write("key.pem", pem.key) },
    mutual_tls_url: `https://localhost:${mutual}`,
    mutual_tls: { listen: { host: "127.0.0.1", port: mutual } },
  }
  write("postern.json", JSON.stringify(configurationAt(issuer, listeners)))
  const imported = await posternLine(["client", "import", "clients.json"], { cwd })
  expect([imported.code, imported.code === 0 ? "" : imported.err]).toEqual([0, ""])
  await serve({ cwd })
  const env = { NODE_EXTRA_CA_CERTS: join(cwd, "cert.pem") }
  for (const set of sets) {
    const asked = ["conform", issuer, "--client-file", "client-file.json", "--allow-write", "--requirements", set, "--rate", "500"]
    const { code, err } = await postern([...asked, "--format", "json", "--out", "report.json"], { cwd, env })
    const { results } = readJson<Report>(join(cwd, "report.json"))
    const wrong = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "skip")
    expect([set, code, wrong.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason]), err.includes("fail")]).toEqual([
      set,
      0,
      [],
      false,
    ])
    expect(results.map(({ requirement }) => requirement.id).toSorted()).toEqual((requirementsOf(set) ?? []).map(({ id }) => id).toSorted())
    // A server's clock is its own.
    const skipped = results.flatMap(({ verdict, reason }) => (verdict === "skip" ? [reason] : []))
    expect([...new Set(skipped)].filter((reason) => reason !== "the target's clock is not under control")).toEqual([])
  }
})
