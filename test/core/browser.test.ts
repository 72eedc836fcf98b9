import { expect, test } from "vitest"
import { endpoints } from "../support/endpoints.ts"
import { authorize, request, signIn, signedIn } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { world } from "../support/world.ts"

const hiddenOf = ({ page }: Said) =>
  page === undefined ? [] : (page["form"] as { readonly hidden: ReadonlyArray<readonly [string, string]> }).hidden

test("RFC 6265bis §4.1.3.2: over https cookies are __Host-, Secure, HttpOnly and SameSite=Lax", async () => {
  const w = await world()
  const visitor = w.visitor()
  const first = await visitor.get("/login")
  expect(first.header("set-cookie")).toMatch(/^__Host-postern-browser=b_\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  await signIn(visitor)
  expect([...visitor.cookies.keys()]).toEqual(["__Host-postern-browser", "__Host-postern-known", "__Host-postern-session"])
})

test("behaviour, people: a loopback development issuer on http has plain cookie names, which such a browser can keep", async () => {
  const w = await world({ issuer: "http://127.0.0.1:4000" })
  const visitor = await signedIn(w)
  expect([...visitor.cookies.keys()]).toEqual(["postern-browser-4000", "postern-known-4000", "postern-session-4000"])
})

test("RFC 6265 §8.5, §8.6: issuers of one host, on other ports or paths, keep cookies of their own; signing out of one leaves the others", async () => {
  const issuers = ["https://op.example", "https://op.example/b", "https://op.example:8443", "https://op.example:8443/b"]
  const jar = new Map<string, string>()
  const visitors: Array<readonly [Visitor, string]> = []
  for (const issuer of issuers) {
    const base = issuer.replace(/^https:\/\/[^/]*/, "")
    const visitor = (await world({ issuer })).visitor()
    const hidden = hiddenOf(await visitor.get(`${base}/login`))
    await visitor.post(`${base}/login`, [...hidden, ["username", "alice"], ["password", "correct horse"]])
    for (const [name, value] of visitor.cookies) jar.set(name, value)
    visitors.push([visitor, base])
  }
  expect(jar.size).toBe(issuers.length * 3)
  for (const [visitor, base] of visitors) {
    for (const [name, value] of jar) visitor.cookies.set(name, value)
    expect((await visitor.get(`${base}/`)).page?.["_tag"]).toBe("Home")
    await visitor.post(`${base}/logout`, hiddenOf(await visitor.get(`${base}/logout`)))
    expect((await visitor.get(`${base}/`)).status).toBe(303)
    expect(visitor.cookies.size).toBe(jar.size - 1)
  }
})

test("RFC 9700 §4.1 (session fixation): the session id is renewed at every sign-in, and the old one is dead", async () => {
  const w = await world()
  const visitor = await signedIn(w)
  const old = new Map(visitor.cookies)
  const { page } = await authorize(visitor, "web", { prompt: "login" })
  await visitor.submit(page, [
    ["username", "alice"],
    ["password", "correct horse"],
  ])
  expect(visitor.cookies.get("__Host-postern-session")).not.toBe(old.get("__Host-postern-session"))
  visitor.cookies.clear()
  for (const [name, value] of old) visitor.cookies.set(name, value)
  expect((await authorize(visitor, "web", { prompt: "none" })).params["error"]).toBe("login_required")
})

test("Fetch Metadata §2.3: every page that takes a POST refuses another origin's, but those that clients and other providers send", async () => {
  const w = await world()
  const open = ["/connect/authorize", "/connect/endsession"]
  const takesPost = endpoints.filter(
    ({ audience, methods, path }) => audience === "people" && methods.includes("POST") && !open.includes(path),
  )
  expect(takesPost.length).toBeGreaterThan(5)
  for (const { path } of takesPost) {
    const answer = await w.visitor().post(path, {}, { "sec-fetch-site": "cross-site" })
    expect([path, answer.status]).toEqual([path, 403])
  }
})

test("RFC 9700 §4.12: after a POST with credentials the redirect is 303", async () => {
  const w = await world()
  const visitor = w.visitor()
  const { page } = await authorize(visitor)
  const answer = await visitor.submit(page, [
    ["username", "alice"],
    ["password", "correct horse"],
  ])
  expect(answer.status).toBe(303)
})

test("RFC 9700 §4.16, §4.2.4: pages cannot be framed, leak no referrer, are not stored and load nothing of strangers", async () => {
  const w = await world()
  const visitor = await signedIn(w)
  for (const answer of [
    await visitor.get("/"),
    await visitor.get("/login"),
    await visitor.get("/nowhere"),
    await authorize(visitor, "asks"),
    await authorize(visitor, "web", { response_mode: "form_post" }),
  ]) {
    const policy = answer.header("content-security-policy") ?? ""
    if (answer.status === 303) continue
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/(?:^|; )script-src 'nonce-[\w-]{22}'(?:;|$)/)
    expect(policy).not.toContain("unsafe")
    expect(answer.header("x-frame-options")).toBe("DENY")
    expect(answer.header("cache-control")).toBe("no-store")
    expect(answer.header("referrer-policy")).toBe("no-referrer")
    expect(answer.header("x-content-type-options")).toBe("nosniff")
  }
})

test("behaviour, answers: a redirect that carries a code is not stored", async () => {
  const w = await world()
  const answer = await authorize(await signedIn(w))
  expect(answer.params["code"]).toBeDefined()
  expect(answer.header("cache-control")).toBe("no-store")
  expect(answer.header("referrer-policy")).toBe("no-referrer")
})

test("RFC 9110 §5.5: no parameter can break out of a header", async () => {
  const w = await world()
  const visitor = await signedIn(w)
  for (const state of ["a\r\nset-cookie: x=1", "a\nb", "\u0000", "é\u2028"]) {
    const answer = await visitor.get("/connect/authorize", request("web", { state }))
    expect(answer.header("location")).toMatch(/^[\x21-\x7e]+$/)
    expect(answer.params["state"]).toBe(state)
  }
})

test("OAuth 2.0 Multiple Response Types §5: response_mode=fragment puts nothing in the query", async () => {
  const w = await world()
  const answer = await (await signedIn(w)).get("/connect/authorize", request("web", { response_mode: "fragment" }))
  expect(answer.header("location")).toMatch(/^https:\/\/app\.example\/cb#code=/)
})

test("specification §4: query is the default mode of code", async () => {
  const w = await world()
  const answer = await (await signedIn(w)).get("/connect/authorize", request())
  expect(answer.header("location")).toMatch(/^https:\/\/app\.example\/cb\?code=/)
})

test("behaviour, people: what a page shows of hostile input is data, never markup of ours", async () => {
  const w = await world()
  const answer = await authorize(w.visitor(), "web", {
    login_hint: '"><script>alert(1)</script>',
    ui_locales: "<b> x-y../ de",
    acr_values: "tenant:<i>",
  })
  expect(answer.page).toMatchObject({ username: '"><script>alert(1)</script>', locales: ["de"] })
})

test("RFC 9110 §9.3.8: preflight aside, a path below the issuer's never answers another host's questions", async () => {
  const w = await world()
  const answer = said(await w.send({ path: "/login", headers: { host: "evil.example", "x-forwarded-host": "evil.example" } }))
  expect(answer.body).not.toContain("evil.example")
})
