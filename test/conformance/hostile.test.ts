import { describe, expect, it } from "vitest"
import { type Report, type Target, finding, formats, inProcess, judged, requirement, requirements, run } from "@postern/conformance"

const oneOf = (id: string) => requirements.filter((each) => each.id === id)

/** Our own provider, whose answers to one path are others. */
const answering = (path: string, answer: (whole: Response) => Response | Promise<Response>) =>
  inProcess({ answer: (whole, request) => (new URL(request.url).pathname.endsWith(path) ? answer(whole) : whole) })

const html = { "content-type": "text/html" }

const shownOf = async (body: string, headers: Readonly<Record<string, string>>): Promise<Report> =>
  run(
    answering("/connect/token", () => new Response(body, { status: 200, headers })),
    oneOf("code.unknown"),
  )

describe("a provider that asks for nothing", () => {
  it("is not found to send the browser on well after a form, since it has none (RFC 9700 §4.12)", async () => {
    const to = "https://client.conformance.test/callback?code=c"
    const { results } = await run(
      answering("/connect/authorize", () => new Response(null, { status: 303, headers: { location: to } })),
      oneOf("authorize.redirect-not-307"),
    )
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([["inconclusive", "of 0 pages none sent a form"]])
  })
})

describe("a provider whose form has its token in the address, as Keycloak's has", () => {
  it.for([
    ["checks it", "good", "pass"],
    ["takes any", "forged", "fail"],
  ] as const)("that %s is judged by it", async ([, taken, verdict]) => {
    const issuer = "https://op.conformance.test"
    const page = (text: string, status = 200) => ({ status, headers: new Headers(html), body: text })
    const target: Target = {
      issuer,
      clients: {
        web: { client_id: "web", token_endpoint_auth_method: "none", redirect_uris: ["https://client.conformance.test/callback"] },
      },
      person: { username: "alice", password: "of alice" },
      recipe: { name: "of a test", pages: [{ kind: "sign-in", when: "user", fill: { user: "{username}" }, click: "Sign in" }] },
      now: () => 1_800_000_000,
      send: async (sent) => {
        const url = new URL(sent.url)
        if (url.pathname.startsWith("/.well-known"))
          return {
            status: 200,
            headers: new Headers({ "content-type": "application/json" }),
            body: JSON.stringify({ issuer, authorization_endpoint: `${issuer}/auth` }),
            sent,
          }
        if (url.pathname === "/auth")
          return {
            ...page(`<form method="post" action="/login?session_code=good"><input name="user"><button>Sign in</button></form>`),
            sent,
          }
        const isTaken = url.searchParams.get("session_code") === taken
        return isTaken
          ? { status: 302, headers: new Headers({ location: "https://client.conformance.test/callback?code=c" }), body: "", sent }
          : { ...page("no", 400), sent }
      },
    }
    const { results } = await run({ name: "of a test", fresh: true, open: async () => target }, oneOf("session.forged-sign-in"))
    expect(results.map((each) => each.verdict)).toEqual([verdict])
  })
})

describe("a hostile provider", () => {
  it("cannot hold a run up with a page of many forms and fields", async () => {
    const page = `${"<form></form>".repeat(4000)}${"<input name=a form=x>".repeat(4000)}`
    const { results } = await run(
      answering("/login", () => new Response(page, { status: 200, headers: html })),
      oneOf("authorize.code"),
    )
    expect(results[0]?.verdict).toBe("fail")
    // By how much work it is, and not by a clock: a page of sixteen times as many elements is not read at all.
    expect(formats.json({ ...(await shownOf("<p>".repeat(300_000), html)) })).toContain("more characters")
  })

  it.for([
    ["a form", `<form><input type="hidden" name="access_token" value="LIVE-VALUE"></form>`, html],
    ["text", `{"access_token":"LIVE-VALUE","x":1}`, { "content-type": "text/plain" }],
    ["broken JSON", `{"access_token": "LIVE-VALUE", `, { "content-type": "application/json" }],
    ["an address in JSON", `{"next":"https://a.example/?code=LIVE-VALUE&state=x"}`, { "content-type": "application/json" }],
    ["a header", "{}", { refresh: "0; url=https://a.example/?code=LIVE-VALUE", "content-type": "application/json" }],
    ["a JWT", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJMSVZFLVZBTFVFIn0.LIVE-VALUE", { "content-type": "application/jwt" }],
    ["a cookie without a name", "{}", { "set-cookie": "LIVE-VALUE", "content-type": "application/json" }],
  ] as const)("that answers with a token in %s puts none into a report", async ([, body, headers]) => {
    const report = await shownOf(body, headers)
    expect(report.results[0]?.verdict).toBe("fail")
    for (const format of Object.values(formats)) expect(format(report)).not.toContain("LIVE-VALUE")
    expect(report.results.map((each) => finding(each, (_, text) => text)).join("\n")).not.toContain("LIVE-VALUE")
  })

  it("steers neither the terminal nor the log of a CI service", async () => {
    const report = await shownOf("\u001b]0;owned\u0007\u001b[2J\r\n::error ::owned\n\u202e", { "content-type": "text/plain" })
    const texts = [...report.results.map((each) => finding(each, (_, text) => text)), formats.tap(report), formats.markdown(report)]
    for (const text of texts) {
      for (const character of ["\u001b", "\u0007", "\u202e"]) expect(text.includes(character)).toBe(false)
      expect(text).not.toMatch(/^\s*::/m)
    }
  })

  it("that limits attempts has broken nothing by that (RFC 6585 §4)", async () => {
    const limited = () => Response.json({ error: "invalid_client" }, { status: 429, headers: { "retry-after": "30" } })
    const { results } = await run(answering("/connect/token", limited), oneOf("code.unknown"))
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["inconclusive", expect.stringMatching(/; the provider limits attempts \(status 429\): try again later$/)],
    ])
  })

  it("has what binds its pages to a browser in no report", async () => {
    const report = await shownOf("csrf=drawn-1&interaction=drawn-2&_csrf=drawn-3", { "content-type": "text/plain" })
    for (const format of Object.values(formats)) expect(format(report)).not.toMatch(/drawn-\d/)
    expect(formats.json(report)).toContain("csrf=[csrf]&interaction=[interaction]&_csrf=[_csrf]")
  })

  it("that fails to answer once makes that requirement inconclusive, and loses no other verdict", async () => {
    const seen: Array<string> = []
    const hanging = requirement({
      id: "test.hangs",
      paragraph: "RFC 9110 §15",
      level: "MUST",
      title: "A request is answered",
      needs: {},
      steps: (t) => t.get("https://nowhere.conformance.test/"),
      oracle: () => undefined,
    })
    const opening = inProcess()
    const { Unreachable } = await import("@postern/conformance")
    const failing = {
      ...opening,
      open: async (): Promise<Target> => {
        const target = await opening.open()
        return {
          ...target,
          send: (sent) => {
            seen.push(sent.url)
            return sent.url.startsWith("https://nowhere") ? Promise.reject(new Unreachable("no answer in time")) : target.send(sent)
          },
        }
      },
    }
    const report = await run(failing, [hanging, ...oneOf("discovery.json")])
    expect(report.results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["inconclusive", "no answer in time"],
      ["pass", undefined],
    ])
    expect(judged(report, [], "2026-11-22").unexpected.map((each) => each.requirement.id)).toEqual(["test.hangs"])
  })
})
