import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { freePort, start } from "../support/server.ts"

const page = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8")

test(
  "docs/operating.md: the configuration for sign-in at other providers is one that runs, and its page offers them",
  { timeout: 60_000 },
  async () => {
    const [, example = ""] = /## Sign-in at other providers[^]*?```json\n([^]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), "postern-test-"))
    const port = await freePort()
    for (const name of ["corp", "wiki", "payroll"]) writeFileSync(join(folder, `${name}.secret`), `secret of ${name}\n`)
    writeFileSync(join(folder, "postern.json"), example.replace('"port": 8080', `"port": ${port}`))
    const server = await start(["serve", "--config", join(folder, "postern.json")], `http://127.0.0.1:${port}`, folder)
    try {
      const asked = new URLSearchParams({
        client_id: "wiki",
        redirect_uri: "https://wiki.example.com/callback",
        response_type: "code",
        scope: "openid",
        code_challenge: "c".repeat(43),
        code_challenge_method: "S256",
        acr_values: "tenant:labs",
      })
      const first = await fetch(`${server.url}/connect/authorize?${asked.toString()}`, { redirect: "manual" })
      const cookie = first.headers
        .getSetCookie()
        .map((set) => set.split(";")[0])
        .join("; ")
      const login = await fetch(server.url + (first.headers.get("location") ?? ""), { headers: { cookie } })
      expect(login.status).toBe(200)
      const html = await login.text()
      for (const part of [
        'id="login-idp-corp"',
        'id="login-idp-school"',
        "Example Corp",
        "The University",
        "Example Labs",
        'name="password"',
      ])
        expect(html).toContain(part)
    } finally {
      await server.stop()
      server.remove()
    }
  },
)
