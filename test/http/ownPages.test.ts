import { connect } from "node:net"
import { sqliteStores } from "@postern/adapter-sqlite"
import { memoryTokenStore } from "@postern/core/memory"
import { expect, test } from "vitest"
import { cheap } from "../store/support.ts"
import { ownPagesOver, throughOwnPages } from "../support/ownPages.ts"
import { postgresServer, closing } from "../support/postgres.ts"
import { postgresStores } from "@postern/adapter-postgres"
import { request } from "../support/flows.ts"
import { Surfer } from "../support/surfer.ts"
import { password } from "../support/world.ts"

const server = postgresServer()

test("OpenID Connect Core §3.1.2.3: over HTTP a person signs in on two pages of a Node server's own, and consents: in memory", () =>
  throughOwnPages(memoryTokenStore()))

test("OpenID Connect Core §3.1.2.3: the same on SQLite", async () => {
  const stores = closing(sqliteStores(":memory:", { hashing: cheap }))
  await throughOwnPages(stores.tokens)
})

test("OpenID Connect Core §3.1.2.3: the same on PostgreSQL", { timeout: 60_000 }, async () => {
  const stores = closing(await postgresStores(await (await server()).database(), { hashing: cheap }))
  await throughOwnPages(stores.tokens)
})

test.each(["//", "//[", "*", "http://[", "/sign-in?interaction=%"])("RFC 9112 §3.2: a request for %s ends no process", async (target) => {
  const { url, stop } = await ownPagesOver()
  try {
    const { port } = new URL(url)
    const ended = await new Promise<string>((told) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
      let text = ""
      socket.on("data", (chunk) => (text += String(chunk))).on("close", () => told(text))
    })
    expect(ended).toMatch(/^HTTP\/1\.1 [234]\d\d /)
  } finally {
    await stop()
  }
})

test("a page sends the browser to the one that its request needs: to sign in before it consents, and to consent once it has signed in", async () => {
  const { url, stop } = await ownPagesOver()
  try {
    const surfer = new Surfer()
    const signIn = await surfer.follow(
      `${url}/connect/authorize?${new URLSearchParams(request("asks", { scope: "openid email" })).toString()}`,
    )
    const { search } = new URL(signIn.url)
    const early = await surfer.go(`${url}/allow${search}`)
    expect([early.status, early.headers.get("location")]).toEqual([303, `/sign-in${search}`])
    const second = await surfer.submit(await signIn.response.text(), signIn.url, { username: "alice", password })
    const consent = await surfer.submit(await second.response.text(), second.url, { code: "123456" })
    expect(new URL(consent.url).pathname).toBe("/allow")
    const late = await surfer.go(signIn.url)
    expect([late.status, late.headers.get("location")]).toEqual([303, `/allow${search}`])
  } finally {
    await stop()
  }
})

test("a form of more than 64 kB is not read to its end", async () => {
  const { url, stop } = await ownPagesOver()
  try {
    const surfer = new Surfer()
    const signIn = await surfer.follow(`${url}/connect/authorize?${new URLSearchParams(request("asks", { scope: "openid" })).toString()}`)
    const body = new URLSearchParams({ username: "x".repeat(100_000) })
    expect((await surfer.go(signIn.url, { method: "POST", body })).status).toBe(500)
    expect((await surfer.go(signIn.url)).status).toBe(200)
  } finally {
    await stop()
  }
})

test("RFC 8628 §3.3: a device's code is typed and confirmed on pages of the server's own", async () => {
  const { w, url, stop } = await ownPagesOver()
  try {
    const asked = await fetch(`${url}/connect/deviceauthorization`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "tv", scope: "openid" }),
    })
    const { user_code } = (await asked.json()) as { readonly user_code: string }
    const surfer = new Surfer()
    const typed = await surfer.follow(`${url}/device`)
    expect(new URL(typed.url).pathname).toBe("/tv")
    const wrong = await surfer.follow(`${url}/device?user_code=BBBB-BBBB`)
    expect(await wrong.response.text()).toContain('<p role="alert">unknown</p>')
    const signIn = await surfer.follow(`${url}/device?user_code=${user_code}`)
    const second = await surfer.submit(await signIn.response.text(), signIn.url, { username: "alice", password: "correct horse" })
    const confirm = await surfer.submit(await second.response.text(), second.url, { code: "123456" })
    expect(new URL(confirm.url).pathname).toBe("/tv")
    const html = await confirm.response.text()
    expect(html).toContain(user_code)
    const done = await surfer.submit(html, confirm.url, { decision: "allow" })
    expect(await done.response.text()).toContain("The device is approved.")
    expect(w.reports).toEqual([])
  } finally {
    await stop()
  }
})
