import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ClientMetadata } from "@postern/core"
import { signIn } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { issuer } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { anyText, patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"
import { mayRedirect } from "./redirectOracle.ts"
import { type Pairs, authorizeRequest, clientMetadata } from "./requests.ts"

/** Finds the first value that was sent, as the provider may read it: text that is not well formed travels as U+FFFD. */
const first = (sent: Pairs, name: string): string | undefined =>
  sent.find(([each, value]) => each === name && value !== "")?.[1].toWellFormed()

/** Address of an answer, its way there, and its parameters. */
interface Back {
  readonly to: string
  readonly query: boolean
  readonly params: Pairs
}

/** Reads the parameters that an answer sends to the client; undefined when it sends nothing there. */
const sentBack = (answer: Said, redirectUri: string | undefined): Back | undefined => {
  if (answer.page?.["_tag"] === "FormPost")
    return { to: String(answer.page["action"]), query: false, params: answer.page["fields"] as Pairs }
  const location = answer.header("location")
  if (location === undefined || location.startsWith("/")) return undefined
  if (redirectUri === undefined || !location.startsWith(redirectUri)) return { to: location, query: false, params: [] }
  const rest = location.slice(redirectUri.length)
  expect(rest).toMatch(redirectUri.includes("?") ? /^[&#]?./ : /^[?#]./)
  return { to: redirectUri, query: !rest.startsWith("#"), params: [...new URLSearchParams(rest.replace(/^[?&#]/, ""))] }
}

const values = (params: Pairs, name: string): ReadonlyArray<string> => params.flatMap(([each, value]) => (each === name ? [value] : []))

const words = (text: string | undefined): ReadonlyArray<string> => (text ?? "").split(" ").filter((word) => word !== "")

/** A grant holds just what its response type names (OAuth 2.0 Multiple Response Types §3, §5), within what was asked for. */
const expectGiven = (client: ClientMetadata, sent: Pairs, { params, query }: Back): void => {
  const type = words(first(sent, "response_type"))
  expect(client.response_types?.map((each) => words(each).toSorted())).toContainEqual([...new Set(type)].sort())
  for (const [word, name] of [
    ["code", "code"],
    ["token", "access_token"],
    ["id_token", "id_token"],
  ] as const)
    expect([name, values(params, name).length]).toEqual([name, type.includes(word) ? 1 : 0])
  expect(query && type.some((word) => word !== "code")).toBe(false)
  expect(values(params, "refresh_token")).toEqual([])
  for (const word of words(values(params, "scope")[0])) {
    expect(words(client.scope)).toContain(word)
    expect(words(first(sent, "scope"))).toContain(word)
  }
}

/** Tells the kind of an answer, once it is shown to be one that may be given. */
const judged = (client: ClientMetadata, sent: Pairs, answer: Said): string => {
  const back = sentBack(answer, first(sent, "redirect_uri"))
  if (back === undefined) {
    if (answer.status === 303) expect(answer.to).toMatch(/^\/(?:login|consent)$/)
    else expect([answer.status, answer.page?.["_tag"]]).toEqual([400, "Error"])
    return answer.status === 303 ? "asked" : "page"
  }
  expect(answer.status).toBe(answer.page === undefined ? 303 : 200)
  expect(first(sent, "client_id")).toBe(client.client_id)
  expect(mayRedirect(client.redirect_uris ?? [], client.application_type === "native", back.to)).toBe(true)
  const state = first(sent, "state")
  expect(values(back.params, "state")).toEqual(state === undefined ? [] : [state])
  expect(values(back.params, "iss")).toEqual([issuer])
  const [error] = values(back.params, "error")
  if (error === undefined) {
    expectGiven(client, sent, back)
    return first(sent, "response_type") === "code" ? "code" : "token"
  }
  expect(values(back.params, "error_description").join("\n")).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(back.params.length).toBe(state === undefined ? 3 : 4)
  return "error"
}

/** Asks, by GET or by POST; a POST from a browser that is not known yet is sent on by GET, once. */
const ask = async (browser: Visitor, method: string, sent: Pairs): Promise<Said> => {
  if (method === "GET") return browser.get("/connect/authorize", sent)
  const answer = await browser.post("/connect/authorize", sent)
  if (answer.to !== "/connect/authorize") return answer
  expect([answer.status, browser.cookies.size]).toEqual([303, 0])
  return browser.get(answer.header("location") ?? "")
}

const who = fc.constantFrom("nobody", "alice", "alice", "alice")
const generated = clientMetadata("app").chain((client) =>
  fc.record({ client: fc.constant(client), sent: authorizeRequest(client), visitor: who, method: fc.constantFrom("GET", "POST") }),
)

const form = (pairs: Pairs): string => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

describe("authorize", () => {
  test(
    "RFC 6749 §4.1.2.1, RFC 9700 §2.1, RFC 9207 §2: any request is answered by a page, a page of ours to go to, or a registered redirect_uri with just its state and our iss",
    patient,
    async () => {
      const kinds: Record<string, number> = { page: 0, asked: 0, code: 0, token: 0, error: 0 }
      await fc.assert(
        fc.asyncProperty(generated, async ({ client, sent, visitor, method }) => {
          const w = quickWorld({ clients: [client] })
          const browser = w.visitor()
          if (visitor !== "nobody") await signIn(browser, visitor)
          const answer = await ask(browser, method, sent)
          const kind = judged(client, sent, answer)
          kinds[kind] = (kinds[kind] ?? 0) + 1
          if (kind === "code") expect([visitor, client.disabled]).toEqual(["alice", false])
        }),
        { numRuns: runs(2000) },
      )
      // None of these kinds may go missing, or this would say nothing about it.
      for (const count of Object.values(kinds)) expect(count).toBeGreaterThan(runs(10, -1))
    },
  )

  test(
    "RFC 6749 §3.1: any query, any body and any header at all get a page of 400 or one of ours to go to, never a failure",
    patient,
    async () => {
      const headers = fc.dictionary(fc.constantFrom("cookie", "accept-language", "content-type", "user-agent", "authorization"), anyText)
      const text = fc.oneof(
        anyText,
        generated.map(({ sent }) => form(sent)).chain((query) => fc.tuple(fc.constant(query), anyText).map((parts) => parts.join(""))),
      )
      await fc.assert(
        fc.asyncProperty(text, text, headers, fc.constantFrom("GET", "POST", "HEAD"), async (query, body, sentHeaders, method) => {
          const w = quickWorld({
            clients: [{ client_id: "app", redirect_uris: ["https://app.example/cb"], client_secret: "s", scope: "openid" }],
          })
          const answer = said(await w.send({ method, path: "/connect/authorize", query, body, headers: sentHeaders }))
          expect(answer.status).toBeLessThan(500)
          expect(answer.to ?? "/login").toMatch(/^(?:\/login|\/connect\/authorize|https:\/\/app\.example\/cb)$/)
        }),
        { numRuns: runs(1500) },
      )
    },
  )
})
