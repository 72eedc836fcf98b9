import { type RequestListener, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createServer as createTlsServer } from "node:https"
import { createServer as createTcpServer } from "node:net"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Report } from "@postern/conformance"
import { pem } from "../cli/pem.ts"
import { posternLine } from "../cli/lines.ts"
import { folder, postern } from "../cli/run.ts"

vi.setConfig({ testTimeout: 120_000 })

/** A server that is no provider. */
const serving = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, "127.0.0.1")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json = { "content-type": "application/json" }

const servers: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  "has no discovery": [(_, response) => response.writeHead(404).end(), /status 404 where 200 is needed/],
  "answers HTML for JSON": [
    (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello"),
    /text\/html where a JSON object is needed/,
  ],
  "redirects in a circle": [
    (request, response) => response.writeHead(302, { location: request.url }).end(),
    /status 302 where 200 is needed/,
  ],
  "never answers": [() => undefined, /no answer in time/],
  "never ends its answer": [(_, response) => void response.writeHead(200, json).write("{"), /no answer in time/],
  "answers without an end": [
    (_, response) => {
      response.writeHead(200, json)
      const more = (): void => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    },
    /more than 1048576 bytes/,
  ],
  "hangs up": [(request) => request.socket.destroy(), /cannot be tested/],
  "answers a list": [(_, response) => response.writeHead(200, json).end("[]"), /where a JSON object is needed/],
}

describe("postern conform with a server that", () => {
  it.for(Object.entries(servers))("%s ends with a line that says so, and exit code 3", async ([does, [answer, says]]) => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    // A process of its own ends although what it has asked for never comes.
    const run = /^never|without an end$/.test(does) ? postern : posternLine
    const { code, out, err } = await run(["conform", await serving(answer), "--timeout", "2000"], { cwd })
    expect([code, out]).toEqual([3, ""])
    expect(err).toMatch(says)
    expect(err).not.toMatch(/^\s+at /m)
    expect(err.trim().split("\n")).toHaveLength(2)
  })

  it("goes away in the middle ends with the requirement since which it did, exit code 3, and the report until then", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const metadata = (issuer: string) => ({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` })
    let gone = false
    const issuer = await serving((request, response) => {
      gone ||= request.url === "/keys"
      if (gone) return void request.socket.destroy()
      return void response.writeHead(200, json).end(JSON.stringify(metadata(`http://${request.headers.host}`)))
    })
    const asked = [
      "--only",
      "discovery.issuer-same",
      "--only",
      "keys.kid-unique",
      "--only",
      "keys.public",
      "--format",
      "json",
      "--out",
      "report.json",
    ]
    const { code, err } = await posternLine(["conform", issuer, ...asked], { cwd })
    expect([code, err]).toEqual([3, expect.stringMatching(/ answers no more: since keys\.\S+ was tried, GET http:/)])
    const { results } = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as Report
    expect(results.map(({ requirement, verdict }) => [requirement.id, verdict])).toEqual([
      ["discovery.issuer-same", "pass"],
      [expect.stringMatching(/^keys\./), "inconclusive"],
    ])
  })

  it("is not there, by its name or at its port, ends with a line that says so, and exit code 3", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const closed = createTcpServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => closed.once("listening", resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    for (const [issuer, says] of [
      ["https://op.invalid", /cannot be tested: GET https:\/\/op\.invalid\/\.well-known\/openid-configuration: E(?:NOTFOUND|AI_AGAIN)$/m],
      [`http://127.0.0.1:${port}`, /ECONNREFUSED$/m],
    ] as const) {
      const { code, out, err } = await posternLine(["conform", issuer], { cwd })
      expect([code, out, err]).toEqual([3, "", expect.stringMatching(says)])
      expect(err.trim().split("\n")).toHaveLength(2)
    }
  })

  it("does not answer beside one that does ends with a line that names it, and exit code 3", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const { code, err } = await posternLine(["conform", "--in-process", "--only", "keys", "--compare", "https://op.invalid"], { cwd })
    expect([code, err]).toEqual([3, expect.stringContaining("https://op.invalid cannot be tested")])
    expect(err).not.toMatch(/^\s+at /m)
  })

  it("speaks no HTTP ends with a line that says so, and exit code 3", async () => {
    const server = createTcpServer((socket) => socket.end("SSH-2.0-x\r\n")).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once("listening", resolve))
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const { code, err } = await posternLine(["conform", `http://127.0.0.1:${(server.address() as AddressInfo).port}`], { cwd })
    expect([code, err]).toEqual([3, expect.stringMatching(/configuration: (?!undefined)\S+/)])
  })

  it("has a certificate that nobody signed ends with a line that says how to trust it, and exit code 3", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const server = createTlsServer({ key: pem.key, cert: pem.cert }, (_, response) => response.end("{}")).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once("listening", resolve))
    const { code, err } = await postern(["conform", `https://127.0.0.1:${(server.address() as AddressInfo).port}`], { cwd })
    expect([code, err]).toEqual([3, expect.stringContaining("NODE_EXTRA_CA_CERTS")])
  })

  it("names addresses that are none is tested as far as it can be, and never ends in a stack", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const document = {
      issuer: null,
      authorization_endpoint: "::::",
      token_endpoint: "javascript:alert(1)",
      registration_endpoint: "http://[",
      jwks_uri: 5,
      userinfo_endpoint: { a: 1 },
      note: "\u001b]0;owned\u0007",
    }
    const issuer = await serving((_, response) => response.writeHead(200, json).end(JSON.stringify(document)))
    const { code, err } = await postern(["conform", issuer, "--allow-write", "--rate", "1000"], { cwd })
    expect([code, err]).toEqual([1, expect.stringMatching(/\d+ of \d+ requirements are not met/)])
    expect(err).not.toMatch(/^\s+at |internal error/m)
    expect(err.includes("\u001b]")).toBe(false)
  })

  it("known failures of which one is no requirement are said, and a day that is none is refused", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const expecting = (id: string, until: string) => {
      writeFileSync(join(cwd, "known.json"), JSON.stringify([{ id, reason: "an example", until }]))
      return posternLine(["conform", "--in-process", "--only", "keys.json", "--expected", "known.json"], { cwd })
    }
    const misspelt = await expecting("code.onec", "2999-01-01")
    expect([misspelt.code, misspelt.err]).toEqual([0, expect.stringContaining("code.onec is no requirement")])
    for (const until of ["2027-02-31", "2027-13-01", "soon"]) {
      const { code, err } = await expecting("code.once", until)
      expect([code, err]).toEqual([1, expect.stringContaining("a day such as 2027-03-01")])
    }
  })

  it.for([
    ["no issuer", ["conform"], "give an issuer, or --in-process"],
    ["an issuer that is none", ["conform", "op.example"], "op.example is no issuer"],
    ["two targets", ["conform", "https://op.example", "--in-process"], "give an issuer, or --in-process"],
    ["a set that is not there", ["conform", "--in-process", "--requirements", "nothing"], 'there is no set "nothing"'],
    ["a format that is not there", ["conform", "--in-process", "--format", "pdf"], 'there is no format "pdf"'],
    ["a requirement that is not there", ["conform", "--in-process", "--only", "nothing"], "no requirement of all is nothing"],
    ["one beside one that is", ["conform", "--in-process", "--only", "keys", "--only", "code.onec"], "no requirement of all is code.onec"],
  ] as const)("a call with %s says what is missing, and ends with exit code 2", async ([, args, says]) => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const { code, err } = await posternLine(args, { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
  })

  it("a client file with faults names each with its line", async () => {
    const { cwd, remove } = folder({ clients: { webb: {}, web: { client_id: 5 } } })
    onTestFinished(remove)
    const { code, err } = await posternLine(["conform", "https://op.example", "--client-file", "postern.json"], { cwd })
    expect([code, err]).toEqual([1, expect.stringMatching(/postern\.json:1:\d+ .*webb/)])
    expect(err).toContain("client_id")
  })
})
