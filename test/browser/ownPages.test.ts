import type { RequestListener } from "node:http"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { application, interactions } from "../../examples/singlePage.ts"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { request } from "../support/flows.ts"
import { listening } from "../support/ownPages.ts"
import { type World, clients, password, world } from "../support/world.ts"

/** A Node listener of a fetch function. */
const listener =
  (fetching: (asked: Request) => Promise<Response>, origin: string): RequestListener =>
  (asked, response) => {
    const chunks: Array<Buffer> = []
    asked.on("data", (chunk: Buffer) => chunks.push(chunk))
    asked.on("end", () => {
      const init = { method: asked.method ?? "GET", headers: new Headers(asked.headers as Record<string, string>) }
      const body = ["GET", "HEAD"].includes(init.method) ? {} : { body: Buffer.concat(chunks) }
      void fetching(new Request(origin + (asked.url ?? "/"), { ...init, ...body })).then(async (answer) => {
        const headers = [...answer.headers].filter(([name]) => name !== "set-cookie").flat()
        response.writeHead(answer.status, [...headers, ...answer.headers.getSetCookie().flatMap((each) => ["set-cookie", each])])
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
    })
  }

describe.skipIf(!browserThere)("a single-page application that signs people in, in Chromium", { timeout: 60_000 }, () => {
  const held: { w?: World } = {}
  let browser: Browser
  let app: Awaited<ReturnType<typeof listening>>
  let evil: Awaited<ReturnType<typeof listening>>
  const redirect_uri = () => `${app.url}/done`

  beforeAll(async () => {
    app = await listening(async (issuer) => {
      const redirect = { redirect_uris: [`${issuer}/done`], application_type: "native" as const }
      const own = clients.map((each) => (each.client_id === "asks" ? { ...each, ...redirect } : each))
      const w = await world({ issuer, clients: own, more: { interactions, clock: Date.now } })
      held.w = w
      const serve = application(w.provider, (username, given) => (username === "alice" && given === password ? "sub-alice" : undefined))
      return listener((asked) => (new URL(asked.url).pathname === "/done" ? Promise.resolve(new Response("done")) : serve(asked)), issuer)
    })
    evil = await listening(async () => (_, response) => void response.setHeader("content-type", "text/html").end("<p>Another site</p>"))
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await evil?.stop()
  })

  const w = (): World => {
    if (held.w === undefined) throw new Error("no world")
    return held.w
  }
  const begun = async (): Promise<Page> => {
    const context = await browser.newContext()
    const tab = await context.newPage()
    const asked = new URLSearchParams(request("asks", { scope: "openid email", redirect_uri: redirect_uri(), prompt: "consent" }))
    await tab.goto(`${app.url}/connect/authorize?${asked.toString()}`)
    return tab
  }

  it("OpenID Connect Core §3.1.2.3, §3.1.2.4: signs in and consents by JSON, and comes back to the client", async () => {
    const tab = await begun()
    await tab.waitForSelector("#sign-in")
    expect(await tab.textContent("h1")).toBe("Asking App")
    await tab.fill("#name", "alice")
    await tab.fill("#password", "wrong")
    await tab.click("#sign-in")
    await tab.waitForSelector("#problem")
    await tab.fill("#password", password)
    await tab.click("#sign-in")
    await tab.waitForSelector("#allow")
    await tab.click("#allow")
    await tab.waitForURL(`${redirect_uri()}**`)
    const code = new URL(tab.url()).searchParams.get("code") ?? ""
    const { json } = await w()
      .provider.fetch(
        new Request(`${app.url}/connect/token`, {
          method: "POST",
          body: new URLSearchParams({
            grant_type: "authorization_code",
            code,
            redirect_uri: redirect_uri(),
            client_id: "asks",
            client_secret: "secret of asks",
            code_verifier: "v".repeat(43),
          }),
        }),
      )
      .then(async (answer) => ({ json: (await answer.json()) as unknown }))
    expect(json).toMatchObject({ scope: "openid email" })
    await tab.context().close()
  })

  it("RFC 9700 §4.7.1: the same address in another browser is refused, by its rule", async () => {
    const tab = await begun()
    await tab.waitForSelector("#sign-in")
    const other = await (await browser.newContext()).newPage()
    await other.goto(tab.url())
    await other.waitForSelector("h1")
    expect(await other.textContent("h1")).toBe("The sign-in was begun in another browser.")
    expect(w().trails.at(-1)?.steps.at(-1)?.refused?.rule).toBe("interaction.browser")
    await other.context().close()
    await tab.context().close()
  })

  it("RFC 6749 §10.12: another site's script cannot answer, with a form or with JSON", async () => {
    const tab = await begun()
    await tab.waitForSelector("#sign-in")
    const target = `${app.url}/api/consent${new URL(tab.url()).search}`
    const other = await tab.context().newPage()
    await other.goto(evil.url.replace("127.0.0.1", "localhost"))
    const told = await other.evaluate(
      async ([to]) => {
        const plain = await fetch(to ?? "", { method: "POST", mode: "no-cors", credentials: "include", body: "deny=1" }).then(
          ({ type }) => type,
        )
        const json = await fetch(to ?? "", {
          method: "POST",
          credentials: "include",
          headers: { "content-type": "application/json" },
          body: "{}",
        }).then(
          () => "answered",
          () => "blocked",
        )
        return [plain, json]
      },
      [target],
    )
    expect(told).toEqual(["opaque", "blocked"])
    expect(["own-form.same-origin", "interaction.known"]).toContain(
      w()
        .trails.findLast(({ endpoint }) => endpoint === "resume-interaction")
        ?.steps.at(-1)?.refused?.rule,
    )
    await tab.fill("#name", "alice")
    await tab.fill("#password", password)
    await tab.click("#sign-in")
    await tab.waitForSelector("#deny")
    await tab.click("#deny")
    await tab.waitForURL(`${redirect_uri()}**`)
    expect(new URL(tab.url()).searchParams.get("error")).toBe("access_denied")
    await tab.context().close()
  })
})
