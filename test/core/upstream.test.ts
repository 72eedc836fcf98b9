import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort, UpstreamAnswer, UpstreamRequest } from "@postern/core/ports"
import { expect, test } from "vitest"
import { authorize, follow, signedIn } from "../support/flows.ts"
import { comeBack, fakeProviders, fresh, ringingAtOnce, withUpstream } from "../support/upstream.ts"
import { world } from "../support/world.ts"

/** A world that remembers what its other providers were asked. */
const listening = async () => {
  const begun: Array<UpstreamRequest> = []
  const finished: Array<UpstreamAnswer> = []
  const providers = fakeProviders()
  const { more, ...options } = withUpstream()
  const w = await world({
    ...options,
    more: {
      ...more,
      identityProviders: {
        ...providers,
        begin: (request) => {
          begun.push(request)
          return providers.begin(request)
        },
        finish: (answer) => {
          finished.push(answer)
          return providers.finish(answer)
        },
      },
    },
  })
  return { w, begun, finished }
}

const secretsOf = ({ nonce, codeVerifier }: Pick<UpstreamRequest, "nonce" | "codeVerifier">) => ({ nonce, codeVerifier })
const corp = { acr_values: "idp:corp" }

test("OpenID Connect Core §3.1.2.1, RFC 9700 §4.7.1, §4.5.3: each sign-in there has a nonce and a verifier of its own, also in one browser", async () => {
  const { w, begun } = await listening()
  const visitor = w.visitor()
  for (let times = 0; times < 3; times++) await authorize(visitor, "work", corp)
  await authorize(w.visitor(), "work", corp)
  const made = begun.flatMap((each) => Object.values(secretsOf(each)))
  expect(made).toHaveLength(8)
  expect(new Set(made).size).toBe(8)
  for (const each of made) expect(each).toMatch(/^[A-Za-z0-9_-]{43}$/)
})

test("OpenID Connect Core §3.1.3.7 item 11, RFC 7636 §4.5: an answer is checked by the nonce and verifier of the state that it carries", async () => {
  const { w, begun, finished } = await listening()
  const visitor = w.visitor()
  const [first, second] = [await authorize(visitor, "work", corp), await authorize(visitor, "work", corp)]
  for (const away of [second, first]) expect((await follow(visitor, await comeBack(visitor, away))).params).toHaveProperty("code")
  expect(finished.map(secretsOf)).toEqual(begun.map(secretsOf).toReversed())
})

/** Two processes of one provider over one store; the other provider takes its time, and a code that is redeemed twice takes back what it was redeemed for. */
const twoProcesses = async (outage?: Error, username?: string) => {
  const providers = fakeProviders(fresh)
  const { more, ...options } = withUpstream()
  const tokens = memoryTokenStore()
  let redeemed = 0
  const finish: typeof providers.finish = async (answer) => {
    redeemed += 1
    await new Promise((resolve) => setTimeout(resolve, 60))
    if (outage !== undefined && redeemed === 1) throw outage
    return redeemed > 1 && outage === undefined
      ? { _tag: "Declined", denied: true, reason: "its token endpoint answered invalid_grant" }
      : providers.finish(answer)
  }
  const process = () => world({ ...options, tokens, more: { ...more, identityProviders: { ...providers, finish } } })
  const [one, two] = [await process(), await process()]
  const [visitor, same] = [username === undefined ? one.visitor() : await signedIn(one, username), two.visitor()]
  const away = await authorize(visitor, "work", { ...corp, ...(username === undefined ? {} : { prompt: "login" }) })
  for (const [name, value] of visitor.cookies) same.cookies.set(name, value)
  return { tokens, two, visitor, same, away, redeemed: () => redeemed }
}

test("RFC 6749 §4.1.2, RFC 9700 §4.7.1: an answer that comes to two processes is redeemed by one of them, and has one outcome", async () => {
  const { tokens, visitor, same, away, redeemed } = await twoProcesses()
  const answers = await Promise.all([visitor, same].map(async (each) => follow(each, await comeBack(each, away))))
  const codes = answers.map(({ params }) => params["code"])
  expect([codes[0], redeemed()]).toEqual([expect.stringMatching(/^c_/), 1])
  expect(codes[1]).toBe(codes[0])
  expect(await tokens.sessionsOf("https://corp.example ann")).toHaveLength(1)
})

test("RFC 9700 §4.7.1: an answer that comes twice at once has one outcome also in a browser in which somebody else was signed in", async () => {
  const { visitor, same, away, redeemed } = await twoProcesses(undefined, "alice")
  const answers = await Promise.all([visitor, same].map(async (each) => follow(each, await comeBack(each, away))))
  const codes = answers.map(({ params }) => params["code"])
  expect([codes[0], redeemed()]).toEqual([expect.stringMatching(/^c_/), 1])
  expect(codes[1]).toBe(codes[0])
})

test("an answer that no claim can be noted of ends in 503, after as long as a claim lasts", async () => {
  const state = { commits: 0, conflicts: false }
  const store = memoryTokenStore()
  const tokens: TokenStorePort = {
    ...store,
    commit: (commands) => {
      if (!state.conflicts) return store.commit(commands)
      // An endless loop would take the test with it.
      if (++state.commits > 1000) throw new Error("still claiming")
      return "Conflict"
    },
  }
  const w = await world(withUpstream({}, { tokens, more: { timer: ringingAtOnce } }))
  const visitor = w.visitor()
  const away = await authorize(visitor, "work", corp)
  state.conflicts = true
  expect(await comeBack(visitor, away)).toMatchObject({ status: 503, page: { trouble: "unavailable" } })
  expect(state.commits).toBeGreaterThan(1)
  expect(state.commits).toBeLessThan(1000)
})

test("RFC 9700 §4.7.1: an answer whose provider cannot be reached may come again, at once", async () => {
  const { visitor, same, away, redeemed } = await twoProcesses(new Error("connection refused"))
  const answers = await Promise.all([visitor, same].map(async (each) => follow(each, await comeBack(each, away))))
  expect(answers.map(({ status, params }) => `${status} ${"code" in params}`).toSorted()).toEqual(["303 true", "503 false"])
  expect(redeemed()).toBe(2)
})

test.each([16, 20, 39])(
  "RFC 6749 §4.1.2: an answer that another process has been redeeming for %d seconds, as long as its ports may take, is waited for",
  async (seconds) => {
    const { two, visitor, same, away, redeemed } = await twoProcesses()
    const first = comeBack(visitor, away)
    await expect.poll(redeemed).toBe(1)
    // The clock of the other process is ahead, as if it were that much later.
    two.pass(seconds)
    const second = comeBack(same, away)
    expect((await follow(visitor, await first)).params).toHaveProperty("code")
    await second
    expect(redeemed()).toBe(1)
  },
)
