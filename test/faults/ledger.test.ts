import { memoryTokenStore } from "@postern/core/memory"
import { liquidPages } from "@postern/adapter-http/pages"
import { afterEach, describe, expect, test } from "vitest"
import { samples, sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"
import { start, stopAll } from "../http/server.ts"
import { authorize, refresh, signedIn, tokensFor } from "../support/flows.ts"
import { world } from "../support/world.ts"
import { Actor, orNone } from "./actor.ts"
import type { Chain } from "./facts.ts"
import { Ledger, leavesOpen } from "./ledger.ts"
import { revoke } from "./operations.ts"

afterEach(stopAll)

/** A world whose commits fail from now on: having been done, which nobody knows, or not having been done. */
const failing = async (done: boolean) => {
  const store = memoryTokenStore()
  let fails = false
  const w = await world({
    tokens: {
      ...store,
      commit: async (commands) => {
        if (!fails) return store.commit(commands)
        if (done) await store.commit(commands)
        throw Object.assign(new Error("gone"), { uncertain: done })
      },
    },
  })
  const { access_token: access, refresh_token: last } = await tokensFor(w)
  const visitor = await signedIn(w)
  return { w, access, last, visitor, fail: (now = true) => void (fails = now) }
}

describe("an answer that leaves open what was done is read as no answer (docs/reliability.md)", () => {
  test.each([
    { what: "a revocation that was done, and nobody knows", done: true, fate: "unsure", refreshed: 400 },
    { what: "a revocation that was not done", done: false, fate: "live", refreshed: 200 },
  ])("$what leaves the grant $fate", async ({ done, fate, refreshed }) => {
    const { w, access, last, fail } = await failing(done)
    const { url } = await start({ provider: w.provider })
    const web = { id: "web", secret: "secret of web", format: "reference", grace: 0 } as const
    const actor = new Actor("alice at web", "alice", web, new Ledger(), () => url)
    const chain: Chain = {
      client: web,
      code: "",
      verifier: "",
      use: "spent",
      grant: "live",
      access: [{ value: access, fate: "live" }],
      refresh: [{ value: last, use: "fresh" }],
    }
    fail()
    await orNone(revoke(actor, chain))
    expect(chain.grant).toBe(fate)
    fail(false)
    expect((await refresh(w, last)).status).toBe(refreshed)
  })

  test.each([
    { what: "was done, and nobody knows", done: true },
    { what: "was not done", done: false },
  ])("also where a client is told of a code that $what (RFC 6749 §4.1.2.1)", async ({ done }) => {
    const { visitor, fail } = await failing(done)
    fail()
    const { status, header, body: text, params } = await authorize(visitor)
    expect(params).toMatchObject({ error: "temporarily_unavailable" })
    expect(leavesOpen({ status, headers: new Headers({ location: header("location") ?? "" }), text })).toBe(done)
  })

  test.each(["uncertain", "unavailable"])("also where a person is shown the page %s", (name) => {
    const page = samples.find((each) => each.name === `error-${name}`)?.page ?? expect.fail(`there is no page ${name}`)
    const text = liquidPages().render(page, sampleContext)
    expect(leavesOpen({ status: 503, headers: new Headers(), text })).toBe(name === "uncertain")
  })
})
