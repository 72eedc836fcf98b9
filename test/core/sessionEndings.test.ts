import { defaultFeatures, deliveriesOf } from "@postern/core"
import { type SessionEnding, addMessage, defineFeature, freshLocator } from "@postern/core/features"
import { outbox } from "@postern/core/model"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { signedIn } from "../support/flows.ts"
import { type World, world } from "../support/world.ts"

const telling: SessionEnding = ({ sessions, subject }, means) =>
  sessions.map(({ locator }) => addMessage(freshLocator(means), "telling.ended", { session: locator, subject }, means.now))
const waiting: SessionEnding = (session, inquiry) =>
  Effect.promise(async () => telling(session, inquiry) as ReturnType<typeof addMessage>[])

const feature = (ending: SessionEnding, told: Array<unknown> = []) =>
  defineFeature({
    name: "telling",
    sessionEndings: [ending],
    deliveries: {
      "telling.ended": async ({ payload }, { issuer, now }) => {
        told.push([payload["subject"], issuer, now])
        return { _tag: "Refused", failure: "gone" }
      },
    },
  })

const messages = async (w: World) => (await w.tokens.list(outbox, "due", { now: w.now() + 9e8 })).map(({ payload }) => payload["session"])

/** Every way to sign out; each answers with the session that it ended. */
const ways: Readonly<Record<string, (w: World) => Promise<void>>> = {
  "the sign-out page": async (w) => {
    const visitor = await signedIn(w)
    await visitor.submit((await visitor.get("/logout")).page)
  },
  "a client's sign-out": async (w) => {
    const visitor = await signedIn(w)
    await visitor.submit((await visitor.get("/connect/endsession")).page)
  },
  "the home page": async (w) => {
    await signedIn(w)
    const visitor = await signedIn(w)
    const { page } = await visitor.get("/")
    const other = (page?.["sessions"] as ReadonlyArray<{ readonly id: string; readonly current: boolean }> | undefined)?.find(
      ({ current }) => !current,
    )
    await visitor.submit(page, [["session", other?.id ?? ""]], "endSession")
  },
}

describe.each(Object.entries(ways))("a feature has its say at the end of a session: %s (architecture law 10)", (_, end) => {
  test.each([
    ["at once", telling],
    ["by waiting", waiting],
  ])("law 13: its messages are committed with the sign-out, %s", async (_how, ending) => {
    const w = await world({ more: { features: [...defaultFeatures, feature(ending)] } })
    await end(w)
    const [session, ...others] = await messages(w)
    expect(others).toEqual([])
    expect((await w.tokens.findSession(session as string))?.endedAt).toBe(w.now())
  })

  test("architecture 10: without such a feature nothing is written", async () => {
    const w = await world()
    await end(w)
    expect(await messages(w)).toEqual([])
  })
})

test("law 13: a feature delivers its own kinds of message, with the means of the provider, and no other feature may have them", async () => {
  const told: Array<unknown> = []
  const features = [...defaultFeatures, feature(telling, told)]
  const w = await world({ more: { features } })
  await ways["the sign-out page"]?.(w)
  const handlers = deliveriesOf(
    { features },
    { issuer: "https://op.example", clients: { find: (id) => w.clients.get(id) }, signer: w.signer, now: w.now },
  )
  expect(Object.keys(handlers)).toContain("telling.ended")
  for (const message of await w.tokens.list(outbox, "due", { now: w.now() }))
    expect(await handlers[message.kind]?.(message, new AbortController().signal)).toEqual({ _tag: "Refused", failure: "gone" })
  expect(told).toEqual([["sub-alice", "https://op.example", w.now()]])
  const thief = { name: "thief", deliveries: { "telling.ended": async () => undefined } }
  await expect(world({ more: { features: [...features, thief] } })).rejects.toThrow(
    "there is a kind of message named telling.ended already",
  )
  await expect(world({ more: { features: [...defaultFeatures, thief] } })).rejects.toThrow(
    "the kind of message telling.ended of thief is not named thief.…",
  )
})
