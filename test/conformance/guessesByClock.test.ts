import { type StartOptions, type TestProvider, startPostern } from "@postern/conformance/provider"
import { describe, expect, it, onTestFinished } from "vitest"
import { Surfer } from "../support/surfer.ts"

const at = 1_700_000_000

const start = async (options?: StartOptions): Promise<TestProvider> => {
  const op = await startPostern({ control: true, at, ...options })
  onTestFinished(op.stop)
  return op
}

/** Moves the provider's clock over HTTP, as a test in any language does. */
const move = async (op: TestProvider, by: { readonly advance?: string | number; readonly freeze?: number | boolean }): Promise<void> => {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(by) }
  expect((await fetch(`${op.issuer}/_test/time`, sent)).status).toBe(200)
}

const wait = (answer: Response): readonly [number, string | null] => [answer.status, answer.headers.get("retry-after")]

/** Asks again and again, and answers with what the last one got. */
const times = async <A>(count: number, ask: () => Promise<A>): Promise<A> => {
  let last = await ask()
  for (let each = 1; each < count; each++) last = await ask()
  return last
}

/** Types a password on the page, in a browser that nobody knows. */
const signIn = async (op: TestProvider, username: string, password: string): Promise<Response> => {
  const browser = new Surfer()
  const page = await browser.follow(`${op.issuer}/login`)
  return (await browser.submit(await page.response.text(), page.url, { username, password })).response
}

const token = (op: TestProvider, secret: string): Promise<Response> =>
  fetch(`${op.issuer}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`app:${secret}`)}` },
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "r" }),
  })

describe("limits of guesses, by the clock of a provider for tests", () => {
  it("NIST SP 800-63B §3.2.2: after five wrong passwords a person waits by this clock, and longer each time", async () => {
    const op = await start()
    expect(await times(5, () => signIn(op, "alice", "wrong")).then(wait)).toEqual([400, null])
    expect(wait(await signIn(op, "alice", "password"))).toEqual([429, "30"])
    await move(op, { advance: 29 })
    expect(wait(await signIn(op, "alice", "password"))).toEqual([429, "1"])
    await move(op, { advance: 1 })
    expect(await times(5, () => signIn(op, "alice", "wrong")).then(wait)).toEqual([400, null])
    expect(wait(await signIn(op, "alice", "password"))).toEqual([429, "60"])
    await move(op, { advance: "1m" })
    expect((await signIn(op, "alice", "password")).status).toBe(200)
    expect(await times(5, () => signIn(op, "alice", "wrong")).then(wait), "a right one forgets those before it").toEqual([400, null])
    expect(wait(await signIn(op, "alice", "password"))).toEqual([429, "30"])
  })

  it("RFC 6749 §2.3.1: after twenty wrong secrets a client waits for the rest of a minute by this clock", async () => {
    const op = await start()
    const secret = op.clients[0]?.client_secret ?? ""
    expect((await times(20, () => token(op, "wrong"))).status).toBe(401)
    expect(wait(await token(op, secret))).toEqual([429, "60"])
    await move(op, { advance: 59 })
    expect(wait(await token(op, secret))).toEqual([429, "1"])
    await move(op, { advance: 1 })
    expect((await token(op, secret)).status, "the refresh token alone is wrong").toBe(400)
    expect((await times(20, () => token(op, "wrong"))).status).toBe(401)
    expect(wait(await token(op, secret))).toEqual([429, "60"])
  })

  it("RFC 8628 §5.1: after ten wrong user codes a browser and its address wait by this clock", async () => {
    const op = await start()
    const browser = new Surfer()
    const signedIn = await browser.follow(`${op.issuer}/login`)
    await browser.submit(await signedIn.response.text(), signedIn.url, { username: "alice", password: "password" })
    const typed = async (): Promise<Response> => (await browser.follow(`${op.issuer}/device?user_code=BBBB-BBBB`)).response
    expect((await times(10, typed)).status).not.toBe(429)
    expect(wait(await typed())).toEqual([429, "900"])
    await move(op, { advance: "15m" })
    expect((await typed()).status).not.toBe(429)
  })

  it("a clock that is put back keeps what was counted, and one that is put forward forgets it", async () => {
    const op = await start()
    await times(5, () => signIn(op, "alice", "wrong"))
    await move(op, { freeze: at - 100 })
    expect(wait(await signIn(op, "alice", "password"))).toEqual([429, "130"])
    await move(op, { freeze: at + 30 })
    expect((await signIn(op, "alice", "password")).status).toBe(200)
  })

  it("anybody who may sign in under any name waits after claims that are no JSON, as after any wrong guess", async () => {
    const op = await start({ anyUser: true })
    expect(await times(5, () => signIn(op, "zoe", "{")).then(wait)).toEqual([400, null])
    expect(wait(await signIn(op, "zoe", "anything"))).toEqual([429, "30"])
    await move(op, { advance: 30 })
    expect((await signIn(op, "zoe", "anything")).status).toBe(200)
  })
})
