import { memoryTokenStore } from "@postern/core/memory"
import { type Command, revokeGrant } from "@postern/core/model"
import { expect, test } from "vitest"
import { claimsOf, refresh, tokensFor } from "../support/flows.ts"
import { world } from "../support/world.ts"

const hour = 3600

/** A family of refresh tokens in a world whose commits are noted. */
const family = async (clientId: string) => {
  const store = memoryTokenStore()
  const commits: Array<ReadonlyArray<Command>> = []
  const commit = (commands: ReadonlyArray<Command>) => {
    commits.push(commands)
    return store.commit(commands)
  }
  const w = await world({ tokens: { ...store, commit } })
  const first = await tokensFor(w, clientId, "openid offline_access")
  const grantId = String(claimsOf(first.access_token)["jti"]).split(".")[0] ?? ""
  let token = first.refresh_token
  return {
    w,
    grantId,
    /** Rotates the newest token: the event of its grant, or undefined when it was refused. */
    rotate: async (): Promise<string | undefined> => {
      const answer = await refresh(w, token, clientId)
      if (answer.status !== 200) return undefined
      token = String(answer.json?.["refresh_token"])
      return commits.at(-1)?.find(({ event }) => event.endsWith("Grant"))?.event
    },
    sweep: () => {
      for (let more = true; more;) more = store.sweep(w.now()).more
    },
    /** Seconds until the grant may be swept. */
    kept: async () => ((await w.tokens.findGrant(grantId))?.keepUntil ?? 0) - w.now(),
    /** Seconds until the newest refresh token ends. */
    left: async () => ((await w.tokens.findRefreshToken(token.slice(2, 18)))?.token.expiresAt ?? 0) - w.now(),
  }
}

test("RFC 9700 §4.14.2: a grant is kept ahead, so that most rotations of a day require it and few write it", async () => {
  const { w, rotate } = await family("endless")
  const events: Array<string | undefined> = []
  for (let turn = 0; turn < 24; turn++) {
    w.pass(hour)
    events.push(await rotate())
  }
  expect(new Set(events)).toEqual(new Set(["RequireGrant", "KeepGrant"]))
  // Its tokens last 15 days, a 64th of which is less than six hours.
  expect(events.filter((event) => event === "KeepGrant").length).toBeLessThanOrEqual(5)
})

test("RFC 9700 §4.14.2: a grant outlives each refresh token of a family without an end, by a 64th of its life at most", async () => {
  const { w, rotate, sweep, kept, left } = await family("endless")
  for (let turn = 0; turn < 30; turn++) {
    w.pass(turn % 3 === 0 ? (await left()) - 1 : turn * 1000)
    sweep()
    expect(await rotate(), `rotation ${turn}`).toBeDefined()
    const [grant, token] = [await kept(), await left()]
    expect(grant).toBeGreaterThanOrEqual(token)
    expect(grant).toBeLessThanOrEqual(token * (1 + 1 / 64))
  }
})

test("RFC 9700 §4.14.2: a grant is not kept beyond the end of its family and of the last access token", async () => {
  const { w, rotate, kept, left } = await family("web")
  // A token lasts 15 days, its family 30.
  const end = w.now() + 2 * (await left())
  let last = 0
  for (; (await rotate()) !== undefined; w.pass(24 * hour)) last = (await kept()) + w.now()
  expect(last).toBe(end + hour)
})

test("RFC 7009 §2.1: a revoked grant refuses the next rotation, whether the last one wrote its row or only required it", async () => {
  for (const [passed, event] of [
    [hour, "RequireGrant"],
    [7 * hour, "KeepGrant"],
  ] as const) {
    const { w, grantId, rotate } = await family("endless")
    w.pass(passed)
    expect(await rotate()).toBe(event)
    await w.tokens.commit([revokeGrant(grantId, w.now())])
    expect(await rotate()).toBeUndefined()
  }
})
