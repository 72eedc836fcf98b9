import { openChromium } from "@postern/conformance"
import { describe, expect, onTestFinished, test } from "vitest"
import { browserThere, chromiumPath } from "../pages/browser.ts"

/** An answer to a request of a page: its status, its headers, its body. */
type Answer = readonly [status: number, headers: Readonly<Record<string, string>>, body?: string]

const op = "https://op.example"
const api = "https://api.op.example"
const other = "http://127.0.0.1:18470"

/** Runs a script in a page of a provider: the lines that it says, and the requests that left the browser. */
const scripted = async (script: string, answers: Readonly<Record<string, Answer>>) => {
  process.env["POSTERN_CHROMIUM"] = chromiumPath
  const renderer = await openChromium()
  onTestFinished(() => renderer.close())
  const requests: Array<string> = []
  const page = `<!doctype html><ul></ul><script>
    const say = (text) => document.querySelector("ul").append(Object.assign(document.createElement("li"), { textContent: text }))
    const read = (name, ...asked) => fetch(...asked).then((answer) => answer.text()).then((text) => say(name + ": " + text), () => say(name + ": nothing"))
    ;${script}</script>`
  const html = { "content-type": "text/html" }
  const { html: shown } = await renderer.through({
    first: { status: 200, headers: new Headers(html), body: page, sent: { method: "GET", url: `${op}/login`, headers: {} } },
    origins: [op, api],
    pages: [],
    isClient: () => false,
    meet: () => "stop",
    fillIn: (text) => text,
    readable: async () => [],
    keep: async () => undefined,
    send: async (sent) => {
      requests.push(`${sent.method} ${sent.url}`)
      const [status, headers, body = ""] = answers[`${sent.method} ${sent.url}`] ?? [404, {}, "not there"]
      return { status, headers: new Headers(headers), body, sent }
    },
  })
  return { said: [...shown.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text), requests }
}

const to = (location: string, status = 302): Answer => [status, { location }]
const json = `{ method: "POST", headers: { "content-type": "application/json" }, body: "{}" }`

describe.skipIf(!browserThere)("the scripts of a provider's pages", { timeout: 60_000 }, () => {
  test("reach nothing but the provider: not this machine, by a redirect neither", async () => {
    const { said, requests } = await scripted(
      `(async () => {
        await read("post", "${other}/_test/time", ${json})
        await read("get", "${other}/_test")
        await read("blind", "${other}/_test", { mode: "no-cors", method: "POST", body: "{}" })
        await read("redirected", "/away")
        document.body.append(Object.assign(document.createElement("iframe"), { src: "${other}/_test" }))
      })()`,
      { [`GET ${op}/away`]: to(`${other}/_test`), [`GET ${other}/_test`]: [200, {}, "client_secret"] },
    )
    expect(said).toEqual(["post: nothing", "get: nothing", "blind: nothing", "redirected: nothing"])
    expect(requests).toEqual([`GET ${op}/away`])
  })

  test("read of another origin of the provider only what it lets them read (Fetch §4.8, §4.10)", async () => {
    const readable = { "access-control-allow-origin": op }
    const { said, requests } = await scripted(
      `(async () => {
        await read("closed", "${api}/closed")
        await read("open", "${api}/open")
        await read("redirected", "/to-closed")
        await read("redirected to open", "/to-open")
        await read("unasked", "${api}/closed", ${json})
        await read("asked", "${api}/open", ${json})
      })()`,
      {
        [`GET ${api}/closed`]: [200, {}, "secret"],
        [`GET ${api}/open`]: [200, readable, "hello"],
        [`GET ${op}/to-closed`]: to(`${api}/closed`),
        [`GET ${op}/to-open`]: to(`${api}/open`),
        [`POST ${api}/closed`]: [200, {}, "secret"],
        [`OPTIONS ${api}/open`]: [204, { ...readable, "access-control-allow-headers": "content-type" }],
        [`POST ${api}/open`]: [200, readable, "taken"],
      },
    )
    expect(said).toEqual([
      "closed: nothing",
      "open: hello",
      "redirected: nothing",
      "redirected to open: hello",
      "unasked: nothing",
      "asked: taken",
    ])
    expect(requests).not.toContain(`POST ${api}/closed`)
  })

  test("are redirected where their own requests are, and not for ever", async () => {
    const { said, requests } = await scripted(
      `(async () => {
        await read("get", "/a")
        await read("post", "/form", { method: "POST", body: "x" })
        await read("round", "/round")
        document.body.append(Object.assign(document.createElement("script"), { src: "/script" }))
      })()`,
      {
        [`GET ${op}/a`]: to("/b"),
        [`GET ${op}/b`]: [200, {}, "hello"],
        [`POST ${op}/form`]: to("/b", 303),
        [`GET ${op}/round`]: to("/round"),
        [`GET ${op}/script`]: to("/script.js"),
        [`GET ${op}/script.js`]: [200, { "content-type": "text/javascript" }, `say("script: ran")`],
      },
    )
    expect(said).toEqual(["get: hello", "post: hello", "round: nothing", "script: ran"])
    expect(requests.filter((each) => each.endsWith("/round")).length).toBeLessThan(20)
  })
})
