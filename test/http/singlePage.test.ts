import type { InteractionAnswer, Provider } from "@postern/core"
import { expect, it } from "vitest"
import { application } from "../../examples/singlePage.ts"

/** The example before a provider that tells what it was answered. */
const asked = async (path: string, type: string | undefined, body: string): Promise<readonly [number, unknown]> => {
  const resume = async (_: Request, answer: InteractionAnswer): Promise<Response> => Response.json(answer)
  const fetch = async (): Promise<Response> => Response.json("the provider", { status: 404 })
  const app = application({ resume, fetch } as unknown as Provider, (name, password) =>
    name === "alice" && password === "right" ? "1" : undefined,
  )
  const headers = type === undefined ? {} : { "content-type": type }
  const response = await app(new Request(`https://op.example${path}`, { method: "POST", headers, body: new TextEncoder().encode(body) }))
  return [response.status, await response.json()]
}

const right = { csrf: "token", username: "alice", password: "right" }
/** An answer without a token, which the provider refuses. */
const unanswered = [200, { csrf: "", consent: {} }]
const signedIn = { csrf: "token", signIn: { subject: "1", amr: ["pwd"] } }

it.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
  "RFC 9110 §8.3.1: a sign-in is read from %s",
  async (type) => {
    expect(await asked("/api/sign-in", type, JSON.stringify(right))).toEqual([200, signedIn])
  },
)

it.each([undefined, "text/plain", "text/plain; application/json", "application/jsonp", "multipart/form-data; boundary=application/json"])(
  "OWASP CSRF: a form of another site, which may send %s, is no answer",
  async (type) => {
    expect(await asked("/api/sign-in", type, JSON.stringify(right))).toEqual([400, { error_description: "That did not work." }])
    expect(await asked("/api/consent", type, JSON.stringify({ csrf: "token", deny: true }))).toEqual(unanswered)
  },
)

it.each(["", "{", "null", "1", '"text"', "\u0000"])(
  "RFC 8259 §2: a body that is no JSON object, as %j, has no token: the provider refuses it",
  async (body) => {
    expect(await asked("/api/consent", "application/json", body)).toEqual(unanswered)
  },
)

it.each([[{ toString: 1 }], [["token"]], [null], [1]])("a token that is no text, as %j, is none: the provider refuses it", async (csrf) => {
  expect(await asked("/api/sign-in", "application/json", JSON.stringify({ ...right, csrf }))).toEqual([200, { ...signedIn, csrf: "" }])
  expect(await asked("/api/consent", "application/json", JSON.stringify({ csrf, deny: true }))).toEqual([200, { csrf: "", deny: true }])
})

it("every other path is the provider's", async () => {
  expect(await asked("/connect/token", "application/x-www-form-urlencoded", "a=b")).toEqual([404, "the provider"])
})
