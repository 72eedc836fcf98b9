import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { patience, postern } from "../cli/run.ts"
import { basic, claimsOf } from "../support/flows.ts"
import { type Place, Traveler } from "../support/traveler.ts"
import { type Setting, ann, asking, local, start } from "./setting.ts"

let setting: Setting
beforeAll(async () => {
  setting = await start()
}, 60_000)
afterAll(async () => {
  await setting?.stop()
})

const corp = { acr_values: "idp:corp" }
const there = { username: ann.username, password: ann.password }

const newcomer = (): Traveler => new Traveler([setting.ours.url, setting.theirs.url])

/** Waits until the trail of a request says this: it is written a moment after the answer. */
const explained = async ({ headers }: Response, ...texts: ReadonlyArray<string>): Promise<void> => {
  const { folder } = setting.ours
  const explain = ["explain", headers.get("x-request-id") ?? "", "--config", join(folder, "postern.json")]
  const read = async () => {
    const { out } = await postern(explain, { cwd: folder })
    for (const text of texts) expect(out).toContain(text)
  }
  await vi.waitFor(read, { timeout: patience })
}

/** Signs in at the page a traveler has come to. */
const signIn = async (traveler: Traveler, place: Place, typed: Readonly<Record<string, string>> = there): Promise<Place> =>
  traveler.submit(await place.response.text(), place, typed)

/** The claims of our ID token and of userinfo, for a traveler who has come to the client. */
const claimsFor = async ({ url }: Place, clientId = "web"): Promise<Record<string, unknown>> => {
  const code = new URL(url).searchParams.get("code")
  if (code === null) throw new Error(`no code in ${url}`)
  const response = await fetch(`${setting.ours.url}/connect/token`, {
    method: "POST",
    headers: { authorization: basic(clientId, "secret of web") },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb" }),
  })
  const tokens = (await response.json()) as { id_token: string; access_token: string }
  const info = await fetch(`${setting.ours.url}/connect/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  return { ...claimsOf(tokens.id_token), ...((await info.json()) as Record<string, unknown>) }
}

/** Stops on the way back: the URL of our callback that the upstream provider sends the browser to. */
const answerOf = async (traveler: Traveler): Promise<string> => {
  const page = await traveler.go(asking(setting, corp))
  const { url } = await traveler.at(page.url).submit(await page.response.text(), page.url, there)
  return url
}

describe("a second Postern as the upstream of the first", () => {
  test("specification §2.1 acr_values: idp:NAME signs a person in there, and the client gets its code", async () => {
    const traveler = newcomer()
    const page = await traveler.go(asking(setting, corp))
    expect(new URL(page.url).origin).toBe(setting.theirs.url)
    const end = await signIn(traveler, page)
    expect(end.url).toMatch(/^https:\/\/app\.example\/cb\?code=[^&]+&state=st/)
    const claims = await claimsFor(end)
    // Mapped claims alone, under our names; and a subject of ours.
    expect(claims).toMatchObject({ iss: setting.ours.url, name: "Ann Adams", email: "ann@corp.example", unit: "Works", amr: ["pwd"] })
    expect(claims).not.toHaveProperty("email_verified")
    expect(claims).not.toHaveProperty("department")
    expect([ann.subject, local.subject]).not.toContain(claims["sub"])
  })

  test("OpenID Connect Core §5.7: the second sign-in, from another browser, is the same person", async () => {
    const subjects: Array<unknown> = []
    for (const traveler of [newcomer(), newcomer()])
      subjects.push((await claimsFor(await signIn(traveler, await traveler.go(asking(setting, corp)))))["sub"])
    expect(subjects[0]).toBe(subjects[1])
  })

  test("specification §1: a session there is a way in by the page's button; one here is enough the next time", async () => {
    const traveler = newcomer()
    const page = await traveler.go(asking(setting))
    const html = await page.response.text()
    expect(html).toContain("The corp provider")
    const end = await signIn(traveler, await traveler.submit(html, page, {}, "login-idp-corp"))
    expect(new URL(end.url).hostname).toBe("app.example")
    expect(new URL((await traveler.go(asking(setting, corp))).url).hostname).toBe("app.example")
  })

  test("OpenID Connect Core §3.1.2.6: who says no there is back on our page, and may go another way", async () => {
    const traveler = newcomer()
    const consent = await signIn(traveler, await traveler.go(asking(setting, { acr_values: "idp:strict" })))
    const back = await traveler.submit(await consent.response.text(), consent, { decision: "deny" })
    expect(back.response.status).toBe(400)
    const html = await back.response.text()
    expect(html).toContain("Sign-in with The strict provider was canceled.")
    const end = await traveler.submit(html, back, { username: local.username, password: local.password })
    expect((await claimsFor(end))["sub"]).toBe(local.subject)
  })

  test("OpenID Connect Core §3.1.2.4: who says yes there is signed in here", async () => {
    const traveler = newcomer()
    const consent = await signIn(traveler, await traveler.go(asking(setting, { acr_values: "idp:strict" })))
    const end = await traveler.submit(await consent.response.text(), consent, { decision: "allow" })
    expect(await claimsFor(end)).toMatchObject({ name: "Ann Adams" })
  })

  test("RFC 6749 §10.12: with another state the answer signs nobody in", async () => {
    const traveler = newcomer()
    const answer = new URL(await answerOf(traveler))
    answer.searchParams.set(
      "state",
      (answer.searchParams.get("state") ?? "").replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    )
    const { response } = await traveler.go(answer.href)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("This sign-in has expired")
  })

  test("RFC 9700 §4.7.1: in another browser the answer signs nobody in", async () => {
    const { response } = await newcomer().go(await answerOf(newcomer()))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("This sign-in started in another browser")
  })

  test("RFC 9700 §4.7.1: an answer counts once", async () => {
    const traveler = newcomer()
    const answer = await answerOf(traveler)
    const { url } = await traveler.go(answer)
    expect(new URL(url).hostname).toBe("app.example")
    // The browser that brought it is told its outcome again: the same code.
    expect((await traveler.go(answer)).url).toBe(url)
  })

  test("RFC 9700 §4.4.2: an answer at another provider's callback, or with another issuer, signs nobody in", async () => {
    const traveler = newcomer()
    const answer = await answerOf(traveler)
    expect((await traveler.go(answer.replace("/callback/corp?", "/callback/strict?"))).response.status).toBe(400)
    const mixed = new URL(answer)
    mixed.searchParams.set("iss", "https://evil.example")
    const { response } = await traveler.go(mixed.href)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("Sign-in with The corp provider failed.")
  })

  test("OpenID Connect Core §3.1.2.1: prompt=login asks there again, and gives a code without a loop", async () => {
    const traveler = newcomer()
    await signIn(traveler, await traveler.go(asking(setting, corp)))
    const page = await traveler.go(asking(setting, { ...corp, prompt: "login" }))
    expect(new URL(page.url).origin).toBe(setting.theirs.url)
    expect(new URL((await signIn(traveler, page)).url).hostname).toBe("app.example")
  })

  test("Back-Channel Logout §2.5: who signs out there is signed out here, in every browser of that session and in no other", async () => {
    const [traveler, other] = [newcomer(), newcomer()]
    for (const each of [traveler, other]) await signIn(each, await each.go(asking(setting, corp)))
    const isIn = async (each: Traveler) =>
      new URL((await each.go(asking(setting, { ...corp, prompt: "none" }))).url).searchParams.has("code")
    expect([await isIn(traveler), await isIn(other)]).toEqual([true, true])
    const page = await traveler.go(`${setting.theirs.url}/logout`)
    // The answer waits for the first attempt to tell us.
    expect((await traveler.submit(await page.response.text(), page, {})).response.status).toBe(200)
    expect([await isIn(traveler), await isIn(other)]).toEqual([false, true])
    const nonsense = await fetch(`${setting.ours.url}/login/upstream-logout/corp`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: "x" }),
    })
    expect([nonsense.status, nonsense.headers.get("cache-control")]).toEqual([400, "no-store"])
    await explained(nonsense, "upstream-logout.token-form")
  })

  test("RFC 6749 §4.1.2.1: a provider that does not answer is a page that says so, to be tried again", async () => {
    const { response } = await newcomer().go(asking(setting, { acr_values: "idp:gone" }))
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("2")
    expect(await response.text()).toContain('id="op-error"')
  })

  test("specification §1: a client that allows no other provider has its idp: passed over, and the trail says why", async () => {
    const { response } = await newcomer().go(asking(setting, { client_id: "plain", ...corp }))
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain("The corp provider")
    await explained(response, "provider.allowed", "the client is not allowed the provider corp")
  })

  test("specification §1: a client that wants no password of ours sends people there at once, and takes no session by password", async () => {
    const traveler = newcomer()
    const page = await traveler.go(asking(setting))
    await traveler.submit(await page.response.text(), page, { username: local.username, password: local.password })
    const away = await traveler.go(asking(setting, { client_id: "corporate" }))
    expect(new URL(away.url).origin).toBe(setting.theirs.url)
    expect(await claimsFor(await signIn(traveler, away), "corporate")).toMatchObject({ name: "Ann Adams" })
  })

  test("specification §2.2 acr_values: the password grant has the password checked there, where that is set up", async () => {
    const ask = async (acr_values: string, password: string) => {
      const response = await fetch(`${setting.ours.url}/connect/token`, {
        method: "POST",
        headers: { authorization: basic("ropc", "secret of web") },
        body: new URLSearchParams({ grant_type: "password", username: ann.username, password, acr_values }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    const tokens = await ask("idp:corp", ann.password)
    const info = await fetch(`${setting.ours.url}/connect/userinfo`, {
      headers: { authorization: `Bearer ${String(tokens["access_token"])}` },
    })
    expect(await info.json()).toMatchObject({ name: "Ann Adams", unit: "Works" })
    expect(await ask("idp:corp", "wrong")).toMatchObject({ error: "invalid_grant" })
    expect(await ask("idp:strict", ann.password)).toMatchObject({ error: "invalid_grant" })
    expect(await ask("", ann.password)).toMatchObject({ error: "invalid_grant" })
  })

  test("specification §2.1 acr_values: tenant:NAME gives the page that tenant's looks, and an unknown one the usual", async () => {
    const known = await (await newcomer().go(asking(setting, { acr_values: "tenant:acme" }))).response.text()
    expect(known).toContain("Acme Works")
    const [sheet = ""] = /\/assets\/tenant\.[^"]+\.css/.exec(known) ?? []
    expect(await (await fetch(setting.ours.url + sheet)).text()).toContain("--accent: #7a1f5c")
    const unknown = await (await newcomer().go(asking(setting, { acr_values: "tenant:evil" }))).response.text()
    expect(unknown).not.toContain("evil")
    expect(unknown).toContain(`<span class="site-name">${new URL(setting.ours.url).host}</span>`)
  })
})
