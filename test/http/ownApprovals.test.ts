import { rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { expect, test } from "vitest"
import { type Users, interactions as signInPages } from "../../examples/ownPages.ts"
import { interactions, ownApprovalServer } from "../../examples/ownApprovals.ts"
import { ask, asking, locatorOf, poll } from "../support/asking.ts"
import { claimsOf } from "../support/flows.ts"
import { listening } from "../support/ownPages.ts"
import { Surfer } from "../support/surfer.ts"
import { type World, password, world } from "../support/world.ts"

const two = "urn:example:two"

const users: Users = {
  check: async (username, given) => (username === "alice" && given === password ? "sub-alice" : undefined),
  code: async (_, code) => code === "123456",
}

/** The example over HTTP, with clients that ask people. */
const served = async () => {
  const ciba = asking()
  const held: { w?: World } = {}
  const { url, stop } = await listening(async (issuer) => {
    const tokens = memoryTokenStore(rowKindsOf({ features: ciba.more?.features ?? [] }))
    held.w = await world({ ...ciba, issuer, tokens, more: { ...ciba.more, interactions, acrValues: [two] } })
    return ownApprovalServer(held.w.provider, users)
  })
  if (held.w === undefined) throw new Error("no world")
  return { w: held.w, url, stop }
}

/** Opens a request on the example's page, and signs alice in by both factors. */
const atRequest = async (w: World, url: string, changes: Readonly<Record<string, string>> = {}) => {
  const request = await ask(w, "till", changes)
  const surfer = new Surfer()
  const first = await surfer.follow(`${url}/approve?request=${locatorOf(request)}`)
  expect(new URL(first.url).pathname).toBe(signInPages.signIn)
  const second = await surfer.submit(await first.response.text(), first.url, { username: "alice", password })
  const page = await surfer.submit(await second.response.text(), second.url, { code: "123456" })
  expect(new URL(page.url).pathname).toBe(interactions.approval)
  return { request, surfer, page, html: await page.response.text() }
}

test.each([
  ["allow", "approved", { status: 200, json: { scope: "openid email" } }],
  ["deny", "denied", { status: 400, json: { error: "access_denied" } }],
  ["stranger", "failed", { status: 400, json: { error: "access_denied", error_description: "The person did not expect the request." } }],
])(
  "CIBA Core §8, §11: a person who answers %s on the example's own page is told so, and the client learns of it",
  async (decision, done, told) => {
    const { w, url, stop } = await served()
    try {
      const { request, surfer, page, html } = await atRequest(w, url)
      expect(html).toContain("<strong>W4SCT</strong>")
      const ended = await surfer.submit(html, page.url, { decision })
      expect(await ended.response.text()).toContain(`<p id="done">${done}</p>`)
      expect(await poll(w, request)).toMatchObject(told)
      expect(w.reports).toEqual([])
    } finally {
      await stop()
    }
  },
)

test("CIBA Core §7.1, RFC 9470 §5: for a request that wants two factors the example's sign-in comes first, and tokens say what it reached", async () => {
  const { w, url, stop } = await served()
  try {
    const { request, surfer, page, html } = await atRequest(w, url, { acr_values: two })
    await surfer.submit(html, page.url, { decision: "allow" })
    expect(claimsOf(String((await poll(w, request)).json?.["id_token"]))).toMatchObject({ acr: two, amr: ["pwd", "otp"] })
  } finally {
    await stop()
  }
})
