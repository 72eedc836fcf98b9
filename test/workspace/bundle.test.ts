import { existsSync, readFileSync, rmSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleCommand, namelessImports } from "../../scripts/bundle.ts"
import { freePort, type RunningServer, serveAt } from "../support/server.ts"

// Inside the command's package, so that the bundle finds what that depends on and nothing else does.
const root = fileURLToPath(new URL("../../", import.meta.url))
const out = fileURLToPath(new URL("../../packages/cli/node_modules/.cache/bundle-test/", import.meta.url))
const word = "https://grants.example.com/word"
let metafile: Awaited<ReturnType<typeof bundleCommand>>
let server: RunningServer

beforeAll(async () => {
  metafile = await bundleCommand(out)
  server = await serveAt(
    `http://127.0.0.1:${await freePort()}`,
    {
      grants: { modules: [fileURLToPath(new URL("../cli/turnstile.ts", import.meta.url))] },
      resources: [{ identifier: "https://api.example", scopes: ["api"] }],
      users: [{ username: "alice", subject: "sub-alice", password: "correct horse battery" }],
      clients: [{ client_id: "gate", client_secret: "gate", grant_types: ["client_credentials", word], response_types: [], scope: "api" }],
    },
    join(out, "main.js"),
  )
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
  rmSync(out, { recursive: true, force: true })
})

/** The files that are loaded with a source, and not only when something is done that few do. */
const partsWith = (source: string): ReadonlySet<string> => {
  const parts = new Set<string>()
  const add = (part: string): void => {
    const output = metafile.outputs[part]
    if (output === undefined || parts.has(part)) return
    parts.add(part)
    for (const { path, kind } of output.imports) if (kind === "import-statement") add(path)
  }
  for (const [part, { entryPoint }] of Object.entries(metafile.outputs)) if (entryPoint?.endsWith(source) === true) add(part)
  return parts
}

/** The sources that are loaded with one of them. */
const loadedWith = (source: string): ReadonlySet<string> =>
  new Set(
    [...partsWith(source)].flatMap((part) =>
      Object.entries(metafile.outputs[part]?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    ),
  )

const from = (files: ReadonlySet<string>, place: RegExp): ReadonlyArray<string> => [...files].filter((file) => place.test(file))

const ask = async (path: string, fields: Readonly<Record<string, string>>) => {
  const answer = await fetch(server.url + path, {
    method: "POST",
    body: new URLSearchParams({ client_id: "gate", client_secret: "gate", ...fields }),
  })
  return { status: answer.status, json: await answer.json() }
}

/** Modules that a plain `postern serve` on SQLite asks for. */
const serving = ["cli/src/main.ts", "cli/src/program.ts", "cli/src/actions/serve.ts", "adapter-sqlite/src/index.ts"]

describe("the bundled command", () => {
  it("serves: its writing thread, its pages and their words are found", async () => {
    expect(await ask("/connect/token", { grant_type: "client_credentials" })).toMatchObject({ status: 200, json: { scope: "api" } })
    const page = await fetch(`${server.url}/login`, { headers: { "accept-language": "de" } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('lang="de"')])
    const [, style = ""] = /href="([^"]+\.css)"/.exec(await (await fetch(`${server.url}/login`)).text()) ?? []
    expect((await fetch(new URL(style, server.url))).headers.get("content-type")).toBe("text/css; charset=utf-8")
  })

  it("takes a grant of the operator's own, whose module imports a core of its own (RFC 6749 §4.5)", async () => {
    expect(await ask("/connect/token", { grant_type: word, word: "open sesame" })).toMatchObject({ status: 200, json: { scope: "api" } })
    expect(await ask("/connect/token", { grant_type: word, word: "please" })).toEqual({
      status: 400,
      json: { error: "invalid_grant", error_description: "The word is not right." },
    })
  })

  it.for([
    ["PostgreSQL", /adapter-postgres\/src\/(?!database\/place)|effect\/sql-pg|RateLimiterPostgres/],
    ["other providers", /openid-client|oauth4webapi|adapter-http\/src\/upstream/],
    ["YAML", /node_modules\/yaml\//],
    ["the reading of other calls", /effect\/dist\/cli\/|cli\/src\/cli\.ts/],
    ["sockets, processes and HTTP clients", /node_modules\/ws\/|platform-node\/dist\/NodeHttpServer|ChildProcess|HttpClient/],
    ["the demo and its playground", /cli\/src\/demo\//],
    ["other commands", /cli\/src\/(?:doctor|actions\/(?!serve))/],
  ] as const)("serves from SQLite without loading what is for %s", ([, place]) => {
    const loaded = new Set(serving.flatMap((each) => [...loadedWith(each)]))
    expect(from(loaded, /core\/src\/provider\/provider\.ts$/)).toHaveLength(1)
    expect(from(loaded, place)).toEqual([])
    // It is there all the same, for those who use it.
    expect(from(new Set(Object.keys(metafile.inputs)), place)).not.toEqual([])
  })

  it("serves from SQLite with few files: the entry, what it starts, what the command line has too, the server, and SQLite", () => {
    const parts = new Set(serving.flatMap((each) => [...partsWith(each)]))
    expect([...parts].filter((part) => (metafile.outputs[part]?.bytes ?? 0) > 10_000)).toHaveLength(3)
    // The others are the entry's, or re-export what these have.
    expect(parts.size).toBeLessThanOrEqual(10)
    for (const part of parts) expect(existsSync(join(root, part)), part).toBe(true)
  })

  it("reads no member of Node's own modules that it does not use, because reading some loads more of Node", () => {
    const parts = new Set(serving.flatMap((each) => [...partsWith(each)]))
    const imported = [...parts].flatMap((part) => metafile.outputs[part]?.imports ?? []).filter(({ external }) => external === true)
    expect(imported.filter(({ path, kind }) => kind === "import-statement" && isBuiltin(path))).toEqual([])
  })

  it("writes on a thread that loads neither the command line, nor the protocol, nor what hashes passwords", () => {
    expect(
      from(loadedWith("writer/thread.ts"), /packages\/cli\/|core\/src\/endpoints\/|liquidjs|effect\/dist|stores\/src\/hashing/),
    ).toEqual([])
  })

  it("is not made where an import at run time would lose the names of a package's members", () => {
    const outputs = (exports: ReadonlyArray<string>): Parameters<typeof namelessImports>[0]["outputs"] => ({
      "main.js": { bytes: 0, inputs: {}, exports: [], imports: [{ path: "part.js", kind: "dynamic-import" }] },
      "part.js": { bytes: 0, inputs: {}, exports: [...exports], imports: [], entryPoint: "node_modules/yaml/index.js" },
    })
    expect(namelessImports({ outputs: outputs(["default"]) })).toEqual(["node_modules/yaml/index.js"])
    expect(namelessImports({ outputs: outputs(["parseDocument"]) })).toEqual([])
    expect(namelessImports(metafile)).toEqual([])
  })

  it("carries the license of each package whose code it has", () => {
    const text = readFileSync(join(out, "THIRD-PARTY.txt"), "utf8")
    for (const name of ["effect", "jose", "liquidjs", "openid-client", "yaml"])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((?:MIT|ISC)\\)$`, "m"))
    expect(text.match(/Permission (?:is hereby granted|to use)/g)?.length).toBeGreaterThan(10)
  })
})
