import { type Answer, type DrawnPage, type Page, type PageContext, type PagesPort, type TimerPort, createProvider } from "@postern/core"
import { pagePolicy } from "@postern/core/wire"
import { describe, expect, test, vi } from "vitest"
import { redeem, request, signedIn } from "../support/flows.ts"
import { type World, world } from "../support/world.ts"

const text = (page: Page): string => JSON.stringify(page)
const bytes = (written: string): Uint8Array => new TextEncoder().encode(written)

/** A world whose pages are drawn as given. */
const drawing = (render: PagesPort["render"], more: Partial<PagesPort> = {}, timer?: TimerPort): Promise<World> =>
  world({ more: { pages: { render, ...more }, timer } })

const header = ({ headers }: Answer, name: string): string | undefined => headers.find(([each]) => each === name)?.[1]
const cookies = ({ headers }: Answer): ReadonlyArray<string> => headers.filter(([name]) => name === "set-cookie").map(([, value]) => value)
const nonceOf = (answer: Answer): string => /'nonce-([^']+)'/.exec(header(answer, "content-security-policy") ?? "")?.[1] ?? ""

/** A timer that rings when it is told to. */
const bell = () => {
  const waiting = new Map<object, readonly [number, () => void]>()
  const timer: TimerPort = {
    start: (milliseconds, ring) => {
      const key = {}
      waiting.set(key, [milliseconds, ring])
      return () => void waiting.delete(key)
    },
  }
  return { timer, waiting, ring: () => [...waiting.values()].forEach(([, ring]) => ring()) }
}

async function* chunks(...parts: ReadonlyArray<string | Uint8Array>): AsyncIterable<string | Uint8Array> {
  yield* parts
}

const streamOf = (...parts: ReadonlyArray<string | Uint8Array>): ReadableStream<string | Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

const umlaut = bytes("Grüße")
const ways: ReadonlyArray<readonly [string, PagesPort["render"]]> = [
  ["a text", () => "Grüße"],
  // As `html` of hono and others have it.
  ["an object of a text", () => Object("Grüße") as string],
  ["a promise of a text", async () => "Grüße"],
  ["a stream of texts", () => streamOf("Grü", "ße")],
  ["a stream of bytes that parts a character", async () => streamOf(umlaut.slice(0, 3), umlaut.slice(3))],
  ["an async iterable, as Node's streams are", () => chunks("Grü", bytes("ße"))],
  ["a Response of a text", () => new Response("Grüße")],
  [
    "a promise of a Response of a stream",
    async () => new Response(streamOf(umlaut.slice(0, 3), umlaut.slice(3)) as ReadableStream<Uint8Array<ArrayBuffer>>),
  ],
]

describe("a page of an embedder's own", () => {
  test.each(ways)("%s is shown whole, with the provider's headers", async (_, render) => {
    const w = await drawing(render)
    const answer = await w.send({ path: "/login" })
    expect(answer).toMatchObject({ status: 200, body: "Grüße" })
    expect(header(answer, "content-type")).toBe("text/html; charset=utf-8")
    expect(header(answer, "content-security-policy")).toBe(pagePolicy(nonceOf(answer)))
    expect(header(answer, "x-frame-options")).toBe("DENY")
    expect(header(answer, "cache-control")).toBe("no-store")
    expect(header(answer, "x-content-type-options")).toBe("nosniff")
    expect(header(answer, "referrer-policy")).toBe("no-referrer")
    expect(cookies(answer)).toHaveLength(1)
    expect(w.reports).toEqual([])
  })

  test("RFC 9700 §4.16, RFC 6265 §8.6: of a Response's headers those count that undo nothing of ours", async () => {
    const w = await drawing(
      () =>
        new Response("x", {
          headers: [
            ["set-cookie", "__Host-postern-session=theirs"],
            ["x-frame-options", "ALLOWALL"],
            ["cache-control", "public, max-age=9"],
            ["content-type", "text/plain"],
            ["x-request-id", "theirs"],
            ["location", "https://elsewhere.example"],
            ["refresh", "0; url=https://elsewhere.example"],
            ["x-accel-redirect", "/etc/passwd"],
            ["content-length", "5"],
            ["content-encoding", "gzip"],
            ["access-control-allow-origin", "*"],
            ["content-security-policy", "img-src 'none'"],
            ["permissions-policy", "camera=()"],
            ["Content-Language", "de"],
          ],
        }),
    )
    const answer = await w.send({ path: "/login" })
    const names = answer.headers.map(([name]) => name)
    expect(names.filter((name) => name !== "set-cookie")).toEqual([
      "content-type",
      "content-security-policy",
      "x-frame-options",
      "content-language",
      "permissions-policy",
      "cache-control",
      "pragma",
      "x-request-id",
      "x-content-type-options",
      "referrer-policy",
    ])
    expect(header(answer, "x-frame-options")).toBe("DENY")
    expect(header(answer, "cache-control")).toBe("no-store")
    expect(header(answer, "content-type")).toBe("text/html; charset=utf-8")
    // Both policies hold: one more can only forbid (CSP Level 3 §8.1).
    expect(header(answer, "content-security-policy")).toBe(`${pagePolicy(nonceOf(answer))}, img-src 'none'`)
    expect(cookies(answer).join()).not.toContain("theirs")
  })

  test.each([
    [200, 200, 200],
    [200, 203, 203],
    [200, 418, 418],
    [404, 200, 404],
    [404, 201, 404],
    [404, 410, 410],
  ])("RFC 9110 §15: our %i and a Response's %i are answered %i: an error stays one", async (ours, theirs, status) => {
    const w = await drawing(() => new Response("x", { status: theirs }))
    expect((await w.send({ path: ours === 200 ? "/login" : "/nowhere" })).status).toBe(status)
  })

  test("CSP Level 3 §6: each page has the sources that the port adds for it, and the nonce of its context", async () => {
    const nonces: Array<string> = []
    const w = await drawing(
      (page, { nonce }) => {
        nonces.push(nonce)
        return text(page)
      },
      {
        policies: {
          every: { "font-src": ["https://fonts.example"] },
          Login: {
            "connect-src": ["'self'"],
            "script-src": ["https://challenge.example/api.js"],
            "frame-src": ["https://challenge.example"],
          },
        },
      },
    )
    const login = await w.send({ path: "/login" })
    expect(header(login, "content-security-policy")).toBe(
      "default-src 'none'; " +
        `script-src 'nonce-${nonces[0]}' https://challenge.example/api.js; style-src 'self' 'nonce-${nonces[0]}'; ` +
        "img-src 'self' https: data:; font-src 'self' https://fonts.example; connect-src 'self'; frame-src https://challenge.example; " +
        "base-uri 'none'; frame-ancestors 'none'",
    )
    const missing = await w.send({ path: "/nowhere" })
    expect(header(missing, "content-security-policy")).toBe(
      `default-src 'none'; script-src 'nonce-${nonces[1]}'; style-src 'self' 'nonce-${nonces[1]}'; ` +
        "img-src 'self' https: data:; font-src 'self' https://fonts.example; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(nonces[0]).not.toBe(nonces[1])
  })
})

const boom = new Error("the template is broken")
const hang = (): Promise<never> => new Promise(() => undefined)

const failures: ReadonlyArray<readonly [string, () => ReturnType<PagesPort["render"]>, string]> = [
  [
    "throws",
    () => {
      throw boom
    },
    boom.message,
  ],
  ["rejects", () => Promise.reject(boom), boom.message],
  ["answers nothing", () => undefined as unknown as string, "a page is a text, a stream or a Response"],
  ["answers null", () => null as unknown as string, "render answered null"],
  ["answers an object", () => ({}) as unknown as string, "a page is a text, a stream or a Response"],
  ["answers a redirect", () => Response.redirect("https://elsewhere.example"), "status 302"],
  ["answers without content", () => new Response(null, { status: 204 }), "status 204"],
  ["is longer than 1 MiB", () => "x".repeat(1_048_577), "longer than 1048576 characters"],
  ["streams more than 1 MiB", () => streamOf("x".repeat(1_000_000), "x".repeat(100_000)), "longer than 1048576 characters"],
  [
    "streams nothing for ever, without waiting",
    () =>
      (async function* () {
        for (;;) yield ""
      })() as unknown as string,
    "more than 100000 chunks",
  ],
  ["streams what is no text", () => chunks(5 as unknown as string), "a chunk of type number"],
  [
    "fails in the middle of a stream",
    async function* () {
      yield "<!doctype html>"
      throw boom
    } as unknown as () => DrawnPage,
    boom.message,
  ],
  [
    "answers a Response that was read",
    async () => {
      const response = new Response("x")
      await response.text()
      return response
    },
    "locked",
  ],
]

describe("architecture law 6: a page that cannot be drawn is reported once, and loses nothing", () => {
  test.each(failures)("one that %s gives way to an error, and the browser's cookie stays", async (_, fail, said) => {
    const w = await drawing((page) => (page._tag === "Login" ? fail() : text(page)))
    const answer = await w.send({ path: "/login" })
    expect(answer.status).toBe(503)
    expect(header(answer, "retry-after")).toBe("2")
    expect(JSON.parse(answer.body)).toMatchObject({
      _tag: "Error",
      trouble: "unavailable",
      error: "temporarily_unavailable",
      retryAfter: 2,
    })
    expect(cookies(answer)).toHaveLength(1)
    expect(w.reports).toHaveLength(1)
    expect(w.reports[0]).toMatchObject({
      port: "Pages",
      operation: "render",
      uncertain: false,
      endpoint: "login",
      requestId: header(answer, "x-request-id"),
    })
    expect(String(w.reports[0]?.cause)).toContain(said)
    expect(w.trails.at(-1)).toMatchObject({ status: 503, outcome: "PortFailed", fault: expect.stringContaining(said) })
  })

  test("the error is a plain page where that cannot be drawn either", async () => {
    const w = await drawing(() => Promise.reject(boom))
    const answer = await w.send({ path: "/login" })
    expect(answer.status).toBe(503)
    expect(answer.body).toContain("Nothing was changed. Try again in a moment.")
    expect(answer.body).toContain(`<code id="request-id">${header(answer, "x-request-id")}</code>`)
    expect(header(answer, "content-security-policy")).toBe(pagePolicy(nonceOf(answer)))
    expect(w.reports).toHaveLength(1)
    const missing = await w.send({ path: "/nowhere" })
    expect(missing.status).toBe(404)
    expect(missing.body).toContain("Reason: not found.")
  })

  test("one that hangs is waited for as long as the port says, and asked for nothing more", async () => {
    const { timer, waiting, ring } = bell()
    const asked: Array<string> = []
    const w = await drawing(
      (page) => {
        asked.push(page._tag)
        return hang()
      },
      { timeout: 250 },
      timer,
    )
    const answering = w.send({ path: "/login" })
    await vi.waitFor(() => expect([...waiting.values()].map(([milliseconds]) => milliseconds)).toEqual([250]), { timeout: 10_000 })
    ring()
    const answer = await answering
    expect(answer.status).toBe(503)
    expect(answer.body).toContain("Nothing was changed.")
    expect(asked).toEqual(["Login"])
    expect(String(w.reports[0]?.cause)).toBe("PageTimedOut: the page was not whole after 250 ms")
  })

  test.each([
    ["a stream", (stream: ReadableStream<string>): DrawnPage => stream],
    ["a Response", (stream: ReadableStream<string>): DrawnPage => new Response(stream.pipeThrough(new TextEncoderStream()))],
  ])("%s that stalls is stopped; 10 seconds are the default", async (_, made) => {
    const { timer, waiting, ring } = bell()
    const canceled = vi.fn<() => void>()
    const w = await drawing(() => made(new ReadableStream({ start: (to) => to.enqueue("<!doctype html>"), cancel: canceled })), {}, timer)
    const answering = w.send({ path: "/login" })
    await vi.waitFor(() => expect([...waiting.values()].map(([milliseconds]) => milliseconds)).toEqual([10_000]), { timeout: 10_000 })
    ring()
    expect((await answering).status).toBe(503)
    await vi.waitFor(() => expect(canceled).toHaveBeenCalledOnce(), { timeout: 10_000 })
  })

  test("a page in time stops its timer", async () => {
    const { timer, waiting } = bell()
    const w = await drawing(async (page) => text(page), {}, timer)
    expect((await w.send({ path: "/login" })).status).toBe(200)
    expect(waiting.size).toBe(0)
  })

  test("OAuth 2.0 Form Post Response Mode §2: the code comes to the client by a plain page, and is good", async () => {
    const seen: Array<PageContext> = []
    const w = await drawing((page, context) => {
      seen.push(context)
      if (page._tag === "FormPost") throw boom
      return text(page)
    })
    const visitor = await signedIn(w)
    const asked = new URLSearchParams(request("web", { response_mode: "form_post" }))
    const { status, body } = await w.provider.handle(visitor.message(`/connect/authorize?${asked}`))
    expect(status).toBe(200)
    expect(body).toContain(`<script nonce="${seen.at(-1)?.nonce}">document.getElementById("form-post").submit()</script>`)
    expect(body).toContain('<form method="post" action="https://app.example/cb" id="form-post">')
    const code = /name="code" value="([^"]+)"/.exec(body)?.[1] ?? ""
    expect((await redeem(w, code)).status).toBe(200)
    expect(w.reports).toMatchObject([{ port: "Pages", cause: boom }])
  })

  test("the error in place of what follows a committed step says that it may have been done, and it was", async () => {
    const w = await drawing((page) => {
      if (page._tag === "SignedOut") throw boom
      return text(page)
    })
    const visitor = await signedIn(w)
    const { page } = await visitor.get("/logout")
    const answer = await visitor.submit(page, [])
    expect(answer.status).toBe(503)
    expect(answer.page).toMatchObject({ _tag: "Error", trouble: "uncertain" })
    expect((await visitor.get("/")).status).toBe(303)
  })
})

describe("createProvider refuses what pages must not have", () => {
  test("all of it at once", async () => {
    const w = await world()
    const make = (pages: unknown) => () =>
      createProvider({
        issuer: "https://op.example",
        clients: { find: () => undefined, verifySecret: () => false, secretOf: () => undefined },
        tokens: w.tokens,
        signer: w.signer,
        authenticator: {
          find: () => undefined,
          verify: () => ({ _tag: "Rejected", reason: "" }),
          admit: () => ({ _tag: "Rejected", reason: "" }),
        },
        pages: pages as PagesPort,
        timer: {} as TimerPort,
      })
    expect(
      make({
        render: text,
        timeout: 0,
        policies: {
          every: { "script-src": ["'unsafe-inline'", "https:", "*", "http://plain.example", "https://a.example; script-src *", 5] },
          Login: { "default-src": ["'self'"], "frame-ancestors": ["*"], "connect-src": "'self'" },
          Error: "img-src *",
        },
      }),
    ).toThrow(
      new TypeError(
        [
          "createProvider: ",
          "pages.timeout: must be a number of milliseconds above 0 and up to 2147483647 (PagesPort)",
          ...["\"'unsafe-inline'\"", '"https:"', '"*"', '"http://plain.example"', '"https://a.example; script-src *"', "5"].map(
            (source) =>
              `pages.policies.every.script-src: ${source} is no source that a page may add: name a host over https, or 'self' (CSP Level 3 §2.3.1)`,
          ),
          "pages.policies.Login.default-src: is no directive that takes more sources; use script-src, style-src, img-src, font-src, connect-src, frame-src, media-src, worker-src",
          "pages.policies.Login.frame-ancestors: is no directive that takes more sources; use script-src, style-src, img-src, font-src, connect-src, frame-src, media-src, worker-src",
          "pages.policies.Login.connect-src: must be a list of sources",
          "pages.policies.Error: must be an object of directives and their sources",
          "timer.start: is missing, and must be a function (TimerPort)",
        ].join("\n- "),
      ),
    )
    expect(make({ render: text, policies: [] })).toThrow("pages.policies: must be an object, by page")
  })
})
