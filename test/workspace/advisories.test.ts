import { execFile } from "node:child_process"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A registry that knows these advisories, by package; without any it answers no audits at all. */
const registry = async (advisories: Readonly<Record<string, ReadonlyArray<object>>> | undefined): Promise<string> => {
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    incoming.resume()
    if (incoming.method === "POST") {
      outgoing.writeHead(advisories === undefined ? 405 : 200, { "content-type": "application/json" }).end(JSON.stringify(advisories ?? {}))
      return
    }
    const name = decodeURIComponent((incoming.url ?? "/").slice(1))
    const versions = { "4.1.0": { name, version: "4.1.0" } }
    outgoing
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ name, versions, "dist-tags": { latest: "4.1.0" } }))
  }
  const server = createServer(answer).listen(0, "127.0.0.1")
  await new Promise((listening) => server.once("listening", listening))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const advisory = {
  id: 1,
  url: "https://advisories.example/1",
  title: "A fault for this test",
  severity: "high",
  vulnerable_versions: "<99",
  cwe: [],
  cvss: { score: 8, vectorString: null },
}

const audit = (AUDIT_REGISTRY: string) =>
  new Promise<{ readonly code: unknown; readonly out: string }>((resolve) => {
    const env = { ...process.env, AUDIT_REGISTRY, npm_config_fetch_retries: "0" }
    execFile(`${root}.ci/advisories`, { cwd: root, env }, (error, out) => resolve({ code: error === null ? 0 : error.code, out }))
  })

it.skipIf(process.platform === "win32")(
  "known faults of what ships are told and fail the check; one that cannot be made fails otherwise",
  async () => {
    const known = await audit(await registry({ effect: [advisory] }))
    expect(known).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^What ships: known faults\n {2}effect \(high\): A fault for this test https:\/\/advisories\.example\/1$/m,
      ),
    })
    expect(await audit(await registry({}))).toEqual({ code: 0, out: "What ships: no known fault\nWhat we work with: no known fault\n" })
    expect(await audit(await registry(undefined))).toMatchObject({ code: 2, out: expect.stringContaining("could not be asked") })
  },
  120_000,
)
