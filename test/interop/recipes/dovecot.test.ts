import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, freePort, serve } from "../../support/server.ts"
import { alice, users } from "../people.ts"
import { Visitor } from "../visitor.ts"
import { type Program, startProgram } from "./program.ts"
import { recipe } from "./recipe.ts"
import { isThere, places } from "./there.ts"

const secret = "Dovecot-secret-drawn-by-chance-0123456789"
const app = "https://webmail.example"

/** Dovecot as one unprivileged IMAP server, whose people are known by their access tokens alone. */
const configuration = (folder: string, port: number): string => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = oauthbearer xoauth2
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
}
service anvil {
  chroot =
}
passdb {
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = ${folder}/dovecot-oauth2.conf.ext
}
userdb {
  driver = static
  args = uid=65534 gid=65534 home=${folder}/mail/%u
}
`

/** Signs in over IMAP by a bearer token (RFC 7628 §3.1), and answers with what the server says of it. */
const signIn = (port: number, user: string, token: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let heard = ""
    const separator = "\x01"
    const response = Buffer.from(`n,a=${user},${separator}auth=Bearer ${token}${separator}${separator}`).toString("base64")
    socket.setTimeout(30_000, () => socket.destroy(new Error(`no answer: ${heard}`)))
    socket.once("error", reject)
    socket.on("data", (chunk: Buffer) => {
      const before = heard
      heard += chunk.toString()
      if (!before.includes("\n") && heard.includes("* OK")) socket.write(`a AUTHENTICATE OAUTHBEARER ${response}\r\n`)
      // A refusal is a challenge first, which the client answers with nothing (RFC 7628 §3.2.3).
      else if (/^\+ /m.test(heard) && !/^\+ /m.test(before)) socket.write("AQ==\r\n")
      const [, said] = /^a (OK|NO|BAD)/m.exec(heard) ?? []
      if (said === undefined) return
      socket.destroy()
      resolve(said)
    })
  })

describe.skipIf(!isThere("dovecot") || process.getuid?.() !== 0)("the recipe for Dovecot", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-dovecot-"))
  let server: RunningServer
  let dovecot: Program
  let port: number
  beforeAll(async () => {
    chmodSync(folder, 0o755)
    mkdirSync(join(folder, "mail"))
    chmodSync(join(folder, "mail"), 0o777)
    port = await freePort()
    server = await serve({
      users: users.map((user) => ({ ...user, claims: { ...user.claims, preferred_username: alice[0] } })),
      ...recipe("Dovecot", app, secret),
    })
    const introspection = `http://dovecot:${encodeURIComponent(secret)}@${new URL(server.url).host}/connect/introspect`
    writeFileSync(
      join(folder, "dovecot-oauth2.conf.ext"),
      [
        "introspection_mode = post",
        `introspection_url = ${introspection}`,
        "username_attribute = username",
        "active_attribute = active",
        "active_value = true",
        "",
      ].join("\n"),
    )
    writeFileSync(join(folder, "dovecot.conf"), configuration(folder, port))
    dovecot = await startProgram(places.dovecot, ["-F", "-c", join(folder, "dovecot.conf")], {}, async () => {
      const said = await signIn(port, "nobody", "none")
      return said === "NO"
    })
  }, 120_000)
  afterAll(async () => {
    await dovecot?.stop()
    await server?.stop()
    server?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const tokenFor = async (scope: string) => {
    const found = await client.discovery(new URL(server.url), "webmail", secret, undefined, { execute: [client.allowInsecureRequests] })
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(found, {
      scope,
      redirect_uri: `${app}/callback`,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    })
    const tokens = await client.authorizationCodeGrant(found, await new Visitor().authorize(url.href, ...alice), { pkceCodeVerifier })
    return { found, token: tokens.access_token }
  }

  test("RFC 7662 §2.2, RFC 7628 §3: a token for mail opens its person's mailbox", async () => {
    const { token } = await tokenFor("openid profile mail")
    expect(await signIn(port, alice[0], token)).toBe("OK")
    expect(await signIn(port, "bob", token)).toBe("NO")
  })

  test("RFC 7662 §4: a token that was not made out to the mail server opens nothing", async () => {
    const { token } = await tokenFor("openid profile")
    expect(await signIn(port, alice[0], token)).toBe("NO")
  })
})
