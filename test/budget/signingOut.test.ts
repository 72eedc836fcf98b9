import { liquidPages } from "@postern/adapter-http/pages"
import { memoryTokenStore } from "@postern/core/memory"
import { beforeAll, describe, expect, test } from "vitest"
import { authorize, redeem, signedIn } from "../support/flows.ts"
import { type World, world } from "../support/world.ts"
import { measured, overBound } from "./measure.ts"
import { type Shape, plainForm, values } from "./shapes.ts"

/** Factor of CPU time that the worst request may take beside a plain one of the same size. */
const bound = 5

/** Clients whose frames the page has: as many as the policy of a page has room for, and more. */
const framed = Array.from({ length: 150 }, (_, at) => `framed${at}`)

/** Characters of a body, and of a query. */
const lengths = [65_536, 8_000] as const

interface Ready {
  readonly w: World
  readonly cookie: string
  readonly hint: string
}

let setting: Ready | undefined
const ready = (): Ready => {
  if (setting === undefined) throw new Error("asked before there is anybody to ask")
  return setting
}

beforeAll(async () => {
  const liquid = liquidPages()
  const kept = memoryTokenStore()
  let isOver = false
  const w = await world({
    // The session does not end, so that every request is shown the page.
    tokens: { ...kept, commit: (commands) => (isOver ? "Committed" : kept.commit(commands)) },
    clients: framed.map((client_id) => ({
      client_id,
      client_secret: `secret of ${client_id}`,
      redirect_uris: ["https://app.example/cb"],
      post_logout_redirect_uris: ["https://app.example/out"],
      scope: "openid",
      require_consent: false,
      frontchannel_logout_uri: `https://${client_id}.example/front`,
    })),
    more: {
      pages: { render: (page, context) => (isOver ? liquid.render(page, context) : JSON.stringify(page)) },
      trails: { record: () => undefined },
    },
  })
  const person = await signedIn(w)
  let hint = ""
  for (const client of framed) {
    const { params } = await authorize(person, client)
    hint = String((await redeem(w, params["code"] ?? "", client)).json?.["id_token"])
  }
  isOver = true
  setting = { w, hint, cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
})

const send = (name: string, value: string, isPosted: boolean) => {
  const { w, cookie, hint } = ready()
  const fields = { id_token_hint: hint, post_logout_redirect_uri: "https://app.example/out" }
  const text = `${new URLSearchParams(fields).toString()}&${name}=${value}`
  return w.send({
    method: isPosted ? "POST" : "GET",
    path: "/connect/endsession",
    query: isPosted ? "" : text,
    body: isPosted ? text : "",
    headers: { cookie, ...(isPosted ? { "content-type": "application/x-www-form-urlencoded" } : {}) },
  })
}

test("every request is shown the page with as many frames as its policy has room for", async () => {
  const { status, body } = await send("state", "st", true)
  expect([status, body.split("<iframe").length - 1 > 50]).toEqual([200, true])
})

const cases = ["state", "ui_locales", "client_id"].flatMap((name) => lengths.map((length) => [name, length] as const))
describe("the page with the frames of a sign-out (OpenID Connect Front-Channel Logout §3)", () => {
  test.each(cases)(
    `the worst %s of %i characters costs at most ${bound} plain ones (RFC 9110 §17.5)`,
    { timeout: 60_000 },
    async (name, length) => {
      const isPosted = length > 8_000
      // The other parameters take some of it.
      const left = length - 2_000
      const write = (shape: Shape): string =>
        shape(left).replaceAll("%", "%25").replaceAll("&", "%26").replaceAll("+", "%2B").slice(0, left)
      const plainly = write(plainForm)
      const plain = await measured(() => send(name, plainly, isPosted), 0)
      const over: Array<string> = []
      for (const [shape, make] of Object.entries(values)) {
        const badly = write(make)
        const found = await overBound(plain, () => send(name, badly, isPosted), bound)
        if (found !== undefined) over.push(`${shape}: ${found}`)
      }
      expect(over).toEqual([])
    },
  )
})
