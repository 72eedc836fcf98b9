import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { challenge, verifier } from "../support/flows.ts"
import { freePort, serveAt } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A file that a request went through, with the functions that ran there. */
export interface Walked {
  readonly file: string
  readonly functions: ReadonlyArray<string>
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/**
 * The files of the packages that one warm token request of each grant goes through, in the thread that answers: a server from the sources, on SQLite, with a
 * public client. A first request of the kind is made before, so that what is made once is left out.
 */
export const walks = async (): Promise<Readonly<Record<"authorization_code" | "refresh_token", ReadonlyArray<Walked>>>> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-walk-"))
  const note = join(folder, "walked.json")
  const url = `http://127.0.0.1:${await freePort()}`
  process.env["POSTERN_WALK"] = note
  process.env["NODE_OPTIONS"] = `--import ${pathToFileURL(join(root, "test/docs/executed.mjs")).href}`
  const server = await serveAt(
    url,
    {
      clients: [
        {
          client_id: "web",
          client_secret: "a secret of the web client, long enough: 0123456789abcdef",
          redirect_uris: [`${url}/none`],
          grant_types: ["authorization_code", "refresh_token"],
          scope: "openid offline_access",
          require_consent: false,
        },
      ],
      users: [{ username: "alice", password: "correct horse battery" }],
    },
    join(root, "packages/cli/src/main.ts"),
  )
  delete process.env["NODE_OPTIONS"]
  const signal = async (begins: (text: string) => boolean): Promise<string> => {
    rmSync(note, { force: true })
    server.process.kill("SIGUSR2")
    await until(() => existsSync(note) && begins(readFileSync(note, "utf8")))
    return readFileSync(note, "utf8")
  }
  const surfer = new Surfer()
  const asked = new URLSearchParams({
    client_id: "web",
    response_type: "code",
    scope: "openid offline_access",
    redirect_uri: `${url}/none`,
    code_challenge: challenge,
    code_challenge_method: "S256",
  })
  const codeOf = async (): Promise<string> => {
    const first = await surfer.follow(`${url}/connect/authorize?${asked}`)
    const html = first.response.headers.get("location") === null ? await first.response.text() : ""
    const at = html.includes('name="password"')
      ? await surfer.submit(html, first.url, { username: "alice", password: "correct horse battery" })
      : first
    const code = new URL(at.url).searchParams.get("code")
    if (code === null) throw new Error(`no code: ${at.url} ${html.slice(0, 300)}`)
    return code
  }
  const token = async (fields: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const response = await fetch(`${url}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("web:a%20secret%20of%20the%20web%20client%2C%20long%20enough%3A%200123456789abcdef")}` },
      body: new URLSearchParams(fields),
    })
    const answer = (await response.json()) as Record<string, string>
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  const redeem = async () =>
    token({ grant_type: "authorization_code", code: await codeOf(), redirect_uri: `${url}/none`, code_verifier: verifier })
  const between = async (ask: () => Promise<unknown>): Promise<ReadonlyArray<Walked>> => {
    await signal((text) => text === "begun" || text.startsWith("["))
    await ask()
    const text = await signal((written) => written.startsWith("[") && isWhole(written))
    const files = JSON.parse(text) as ReadonlyArray<{ readonly url: string; readonly functions: ReadonlyArray<string> }>
    return files.flatMap((each) =>
      each.url.startsWith(pathToFileURL(root).href + "packages/")
        ? [{ file: each.url.slice(pathToFileURL(root).href.length), functions: each.functions }]
        : [],
    )
  }
  try {
    const { refresh_token: begun = "" } = await redeem()
    const { refresh_token: first = "" } = await token({ grant_type: "refresh_token", refresh_token: begun })
    const code = await codeOf()
    const byCode = await between(() =>
      token({ grant_type: "authorization_code", code, redirect_uri: `${url}/none`, code_verifier: verifier }),
    )
    const byRefresh = await between(() => token({ grant_type: "refresh_token", refresh_token: first }))
    return { authorization_code: byCode, refresh_token: byRefresh }
  } finally {
    await server.stop()
    server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reports whether a text is JSON to its end: a file that is being written may end with a bracket of a list inside. */
const isWhole = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
