// Starts a command that was installed as an operator would, with a grant of the operator's own, and asks it what clients and people ask.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

const name = "https://grants.example.com/word"
const machine = { client_id: "machine", client_secret: "secret of the machine" }
const grant = `import { extensionGrant, pass, refuse, table } from "@postern/core"
const rules = table("token/word").rule("word.right", "house rule 1", (s) =>
  s.parameters.word === "sesame" ? pass : refuse("invalid_grant", "No.", "no"))
export default extensionGrant({
  name: "${name}",
  parameters: { word: "required" },
  rules,
  load: () => ({}),
  grant: () => ({}),
})
`

/** Rejects with what was answered otherwise than it should. A start takes a second, and half a minute at most. */
export async function tryCommand(command, folder) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const config = {
    issuer,
    development: true,
    listen: { port },
    grants: { modules: ["./word.mjs"] },
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
    clients: [{ ...machine, grant_types: ["client_credentials", name], response_types: [], scope: "api" }],
  }
  writeFileSync(join(folder, "word.mjs"), grant)
  writeFileSync(join(folder, "postern.json"), JSON.stringify(config))
  const server = spawn(process.execPath, [command, "serve"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  const exit = once(server, "exit")
  let told = ""
  server.stderr.on("data", (chunk) => (told += chunk))
  const ready = new Promise((resolve) => server.stderr.on("data", () => told.includes("Ready.") && resolve()))
  const late = setTimeout(() => server.kill("SIGKILL"), 30_000)
  try {
    await Promise.race([ready, exit.then(() => Promise.reject(new Error(`${command} serve ended: ${told}`)))])
    const form = (fields) => ({ method: "POST", body: new URLSearchParams({ ...machine, ...fields }) })
    await answered(`${issuer}/.well-known/openid-configuration`, {}, `"issuer":"${issuer}"`)
    await answered(`${issuer}/connect/token`, form({ grant_type: "client_credentials" }), '"access_token":')
    await answered(`${issuer}/connect/token`, form({ grant_type: name, word: "sesame" }), '"access_token":')
    await answered(`${issuer}/login`, {}, "<form")
  } finally {
    server.kill("SIGTERM")
    await exit
    clearTimeout(late)
  }
  if (server.exitCode !== 0) throw new Error(`${command} serve ended with ${server.exitCode}: ${told}`)
}

async function answered(url, request, part) {
  const response = await fetch(url, request)
  const text = await response.text()
  if (response.status !== 200 || !text.includes(part)) throw new Error(`${url} answered ${response.status}: ${text}`)
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address()
  probe.close()
  return port
}
