import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ClientMetadata } from "@postern/core"
import { signIn } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
import { issuer } from "../support/world.ts"
import { anyText, patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"
import { mayRedirect, otherwiseCased } from "./redirectOracle.ts"
import { type Pairs, authorizeRequest, clientMetadata } from "./requests.ts"

/** What was sent, as the provider may read it: text that is not well formed travels as U+FFFD. */
const first = (sent: Pairs, name: string): string | undefined =>
  sent.find(([each, value]) => each === name && value !== "")?.[1].toWellFormed()

/** The parameters an answer sends to the client, and where; undefined when it sends nothing there. */
const sentBack = (answer: Said, redirectUri: string | undefined): { readonly to: string; readonly params: Pairs } | undefined => {
  if (answer.page?.["_tag"] === "FormPost") return { to: String(answer.page["action"]), params: answer.page["fields"] as Pairs }
  const location = answer.header("location")
  if (location === undefined || location.startsWith("/")) return undefined
  if (redirectUri === undefined || !location.startsWith(redirectUri)) return { to: location, params: [] }
  const rest = location.slice(redirectUri.length)
  expect(rest).toMatch(redirectUri.includes("?") ? /^[&#]?./ : /^[?#]./)
  return { to: redirectUri, params: [...new URLSearchParams(rest.replace(/^[?&#]/, ""))] }
}

const values = (params: Pairs, name: string): ReadonlyArray<string> => params.flatMap(([each, value]) => (each === name ? [value] : []))

/** What kind of answer it is, once it is shown to be one that may be given. */
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
  expect(values(back.params, "code").length + values(back.params, "error").length).toBe(1)
  for (const description of values(back.params, "error_description")) expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  return values(back.params, "code").length === 1 ? "code" : "error"
}

const who = fc.constantFrom("nobody", "alice")
const generated = clientMetadata("app").chain((client) =>
  fc.record({ client: fc.constant(client), sent: authorizeRequest(client), visitor: who, method: fc.constantFrom("GET", "POST") }),
)

const form = (pairs: Pairs): string => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

describe("authorize", () => {
  test(
    "RFC 6749 §4.1.2.1, RFC 9700 §2.1, RFC 9207 §2: any request is answered by a page, a page of ours to go to, or a registered redirect_uri with just its state and our iss",
    patient,
    async () => {
      const kinds: Record<string, number> = { page: 0, asked: 0, code: 0, error: 0 }
      await fc.assert(
        fc.asyncProperty(generated, async ({ client, sent, visitor, method }) => {
          fc.pre(!otherwiseCased(first(sent, "redirect_uri") ?? ""))
          const w = quickWorld({ clients: [client] })
          const browser = w.visitor()
          if (visitor !== "nobody") await signIn(browser, visitor)
          const answer = method === "GET" ? await browser.get("/connect/authorize", sent) : await browser.post("/connect/authorize", sent)
          const kind = judged(client, sent, answer)
          kinds[kind] = (kinds[kind] ?? 0) + 1
          if (kind === "code") expect([visitor, client.disabled]).toEqual(["alice", false])
        }),
        { numRuns: 2500 },
      )
      // None of the four kinds may go missing, or this would say nothing about it.
      for (const count of Object.values(kinds)) expect(count).toBeGreaterThan(20)
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
          expect(answer.to ?? "/login").toMatch(/^(?:\/login|https:\/\/app\.example\/cb)$/)
        }),
        { numRuns: 2000 },
      )
    },
  )
})
