import { describe, expect, test } from "vitest"
import {
  type Alteration,
  type Opening,
  type PageRecipe,
  NoChromium,
  inProcess,
  openChromium,
  recipes,
  requirements,
  run,
} from "@postern/conformance"
import { browserThere, chromiumPath } from "../pages/browser.ts"
import { full } from "../tiers/tier.ts"

/** Our own pages, made by a script as an application of one page makes them: the form comes by a request of its own, and a moment later. */
const scripted: Alteration = {
  answer: async (answer, request) => {
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html") || answer.status !== 200) return answer
    const page = await answer.text()
    if (!/id="(?:login-submit|consent-allow|logout-confirm|device-\w+)"/.test(page)) return new Response(page, answer)
    const form = Buffer.from(page.slice(page.indexOf("<body"))).toString("base64")
    const script = `
      document.cookie = "seen=1; path=/"
      fetch("/.well-known/openid-configuration").then(() => requestAnimationFrame(() => {
        const text = new TextDecoder().decode(Uint8Array.from(atob("${form}"), (each) => each.charCodeAt(0)))
        document.getElementById("app").innerHTML = text
      }))`
    const headers = new Headers(answer.headers)
    headers.delete("content-security-policy")
    return new Response(
      `<!doctype html><title>App of ${new URL(request.url).pathname}</title><div id="app"></div><script>${script}</script>`,
      { headers },
    )
  },
}

const own = recipes.find(({ name }) => name === "postern")?.pages ?? []

/** The same provider, whose pages are gone through by a recipe. */
const by = (opening: Opening, pages: ReadonlyArray<PageRecipe>): Opening => ({
  ...opening,
  open: async () => ({ ...(await opening.open()), recipe: { name: "of a test", pages } }),
})

const needing = own.map((page) => ({ ...page, javascript: true }))
const all =
  "code.redeemed authorize.denied session.prompt-none session.prompt-login-auth-time session.wrong-password session.forged-consent device.approved response.code-id-token-c-hash response.code-form-post"
// Outside of the full tier each kind of page is gone through once.
const wanted = full ? all : "code.redeemed session.forged-consent device.approved response.code-form-post logout.redirect"
const some = requirements.filter(({ id }) => (full && id.startsWith("logout.redirect")) || wanted.split(" ").includes(id))

describe.skipIf(!browserThere)("pages that need JavaScript", { timeout: 240_000 }, () => {
  test("are gone through in Chromium where their recipe says so, and every requirement is judged as without scripts", async () => {
    process.env["POSTERN_CHROMIUM"] = chromiumPath
    const { results } = await run(by(inProcess(scripted), needing), some, { write: true })
    const others = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "not applicable")
    expect(others.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual([
      ["session.forged-consent", "skip", "a form of a page that needs JavaScript is not forged"],
    ])
    expect(results.map(({ requirement }) => requirement.id)).toEqual(expect.arrayContaining(wanted.split(" ")))
  })

  test("that never end their script end the requirement, and no other", async () => {
    process.env["POSTERN_CHROMIUM"] = chromiumPath
    const page = new Response("<!doctype html><title>App</title><script>for (;;) {}</script>", { headers: { "content-type": "text/html" } })
    const hanging = inProcess({ answer: (answer, request) => (new URL(request.url).pathname.endsWith("/login") ? page.clone() : answer) })
    const renderer = await openChromium({ limit: 3000 })
    const opening = by(hanging, needing)
    const altered: Opening = { ...opening, open: async () => ({ ...(await opening.open()), renderer }) }
    const two = requirements.filter(({ id }) => id === "code.redeemed" || id === "discovery.json")
    const { results } = await run(altered, two)
    await renderer.close()
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["pass", undefined],
      ["inconclusive", "its pages took more than 3000 ms"],
    ])
  })

  test("cannot be gone through without it: no code comes", async () => {
    const { results } = await run(
      by(inProcess(scripted), own),
      some.filter(({ id }) => id === "code.redeemed"),
    )
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["inconclusive", expect.stringContaining("no code came: a page with status 200")],
    ])
  })
})

test("a page that needs JavaScript ends the run where Chromium is missing, and says what to install", async () => {
  const before = process.env["POSTERN_CHROMIUM"]
  process.env["POSTERN_CHROMIUM"] = "/nowhere/chromium"
  try {
    await expect(run(by(inProcess(), needing), some)).rejects.toThrow(NoChromium)
    await expect(run(by(inProcess(), needing), some)).rejects.toThrow("apt-get install chromium")
  } finally {
    if (before === undefined) delete process.env["POSTERN_CHROMIUM"]
    else process.env["POSTERN_CHROMIUM"] = before
  }
})
