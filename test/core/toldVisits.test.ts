import { ciba, defaultFeatures } from "@postern/core"
import type { WaitingInteraction } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { answer, waitingAt } from "../cases/interactions.ts"
import { ask, open, tills } from "../support/asking.ts"
import { withUpstream } from "../support/upstream.ts"
import { beginning, world } from "../support/world.ts"

const upstream = withUpstream({}, { more: { features: [...defaultFeatures, ciba()], interactions: { signIn: "/own/sign-in" } } })
const federated = {
  ...upstream,
  clients: [...(upstream.clients ?? []), ...tills.map((till) => ({ ...till, identity_providers: ["corp"] }))],
}

describe("an embedder's sign-in page that a page of the provider leads to (OpenID Connect Core §3.1.2.3, CIBA Core §8)", () => {
  const begun = async () => {
    const w = await world(federated)
    const visitor = w.visitor()
    const at = await waitingAt(w, visitor, (await open(visitor, await ask(w))).header("location") ?? "")
    return { w, visitor, at }
  }

  test("is told why, of whom, and each provider upstream with a form of its own", async () => {
    const { at } = await begun()
    const { interaction, csrf } = at.state as WaitingInteraction
    const hidden = [
      ["csrf", csrf],
      ["interaction", interaction],
      ["provider", "corp"],
    ]
    expect(at.state).toEqual({
      need: "sign_in",
      why: { rule: "session.live", cites: "OpenID Connect Core §3.1.2.3", reason: "no session" },
      interaction: expect.stringMatching(/^i_/) as string,
      csrf: expect.stringMatching(/^[\w-]{43}$/) as string,
      client: { clientId: "till", name: "Till" },
      signIn: {
        again: false,
        acrValues: [],
        essentialAcr: [],
        local: true,
        providers: [{ name: "corp", displayName: "Corporation", form: { action: "/login/upstream", hidden } }],
      },
      expiresAt: beginning + 300,
      locales: [],
      requestId: expect.any(String) as string,
    })
  })

  test("is told that its visitor can go on, and where, once they are signed in; and to sign them in again when that is over", async () => {
    const { at, visitor, w } = await begun()
    await answer(w, at, { signIn: { subject: "sub-alice" } })
    const state = () => w.provider.interaction(visitor.message(at.target))
    const { interaction } = at.state as WaitingInteraction
    const person = { subject: "sub-alice", username: "alice", name: "Alice Ant" }
    const location = expect.stringMatching(/^https:\/\/op\.example\/approve\?request=/) as string
    expect(await state()).toMatchObject({ need: "nothing", interaction, person, location })
    await w.provider.signOut("sub-alice")
    const after = await state()
    expect(after).toMatchObject({ need: "sign_in", why: { reason: "the session has ended" }, signIn: { again: false } })
    expect(after).not.toHaveProperty("person")
  })
})
