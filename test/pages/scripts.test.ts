import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { PagesPort } from "@postern/core/ports"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type World, world } from "../support/world.ts"
import { browserOfProcess, browserThere } from "./browser.ts"

/** Pages of an embedder: one script with the nonce inline, one from a file, and scripts that an attacker might have put there. */
const pages: PagesPort = {
  render: (_page, { nonce }) =>
    `<!doctype html><html lang="en"><head><title>Own page</title><style nonce="${nonce}">body { color: rgb(1, 2, 3) }</style></head>
      <body onclick="document.body.dataset.clicked = 'yes'">
      <p>Sign in</p>
      <script nonce="${nonce}">document.body.dataset.inline = "ran"</script>
      <script nonce="${nonce}" src="/own.js"></script>
      <script>document.body.dataset.bare = "ran"</script>
      <script nonce="guessed">document.body.dataset.guessed = "ran"</script>
      <script src="/own.js?bare"></script></body></html>`,
}

describe.skipIf(!browserThere)("PageContext.nonce: the scripts of an embedder's own pages, in Chromium (CSP Level 3 §6.7)", () => {
  let browser: Browser
  let server: Server
  let w: World
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      const target = request.url ?? "/"
      if (target.startsWith("/own.js"))
        return void response
          .setHeader("content-type", "text/javascript")
          .end(`document.body.dataset.${target.endsWith("?bare") ? "bareFile" : "file"} = "ran"`)
      void w.send({ path: target }).then(({ status, headers, body }) => response.writeHead(status, headers.flat()).end(body))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    w = await world({ issuer: url, more: { pages } })
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })

  test.each(["/login", "/nowhere"])("%s runs those that carry it, inline and from a file, and no other", async (path) => {
    const tab = await browser.newPage()
    await tab.goto(url + path)
    await tab.click("p")
    expect(await tab.evaluate(() => Object.fromEntries(Object.entries(document.body.dataset)))).toEqual({ inline: "ran", file: "ran" })
    expect(await tab.evaluate(() => getComputedStyle(document.body).color)).toBe("rgb(1, 2, 3)")
    await tab.close()
  })
})

test("CSP Level 3 §6.7: each page has a nonce of its own", async () => {
  const { send } = await world()
  const nonces = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { headers } = await send({ path: "/login" })
      return /script-src 'nonce-([\w-]{22})'(?:;|$)/.exec(headers.find(([name]) => name === "content-security-policy")?.[1] ?? "")?.[1]
    }),
  )
  expect(nonces).not.toContain(undefined)
  expect(new Set(nonces).size).toBe(20)
})
