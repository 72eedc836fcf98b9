import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { freePort } from "../support/ports.ts"
import { installed, packLibraries, root } from "./packed.ts"
import { start } from "./running.ts"

const page = readFileSync(join(root, "docs/embedding.md"), "utf8")
const [chapter = ""] = /^## From an empty folder$.*?(?=^## )/ms.exec(page) ?? []
const blocks = (kind: string): ReadonlyArray<string> =>
  [...chapter.matchAll(new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code)

test(
  "docs/embedding.md, from an empty folder: the server and the commands of the page sign a person in as they stand there",
  { timeout: 240_000 },
  async () => {
    const [install = "", commands = ""] = blocks("sh")
    const [server = "", ...others] = blocks("ts")
    expect([server.startsWith("// server.mts\n"), others]).toEqual([true, []])
    const names = [...install.matchAll(/([\w-]+)\.tgz/g)].map(([, name = ""]) => name)
    expect(names).toEqual(["core", "adapter-http"])
    const packed = packLibraries(names)
    const home = realpathSync(mkdtempSync(join(tmpdir(), "postern-page-")))
    try {
      installed(home, packed, ["@postern/core", "@postern/adapter-http"])
      const port = String(await freePort())
      writeFileSync(join(home, "server.mts"), server.replaceAll("4100", port))
      const document = `http://127.0.0.1:${port}/.well-known/openid-configuration`
      const running = await start(process.execPath, ["server.mts"], home, {}, document)
      try {
        const { stdout } = await promisify(execFile)("bash", ["-euc", commands.replaceAll("4100", port)], { cwd: home, timeout: 60_000 })
        expect(JSON.parse(stdout)).toMatchObject({
          token_type: "Bearer",
          expires_in: 3600,
          scope: "openid profile",
          access_token: expect.stringMatching(/^eyJ/),
          id_token: expect.stringMatching(/^eyJ/),
        })
      } finally {
        await running.stop()
      }
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
)
