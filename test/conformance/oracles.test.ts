import { type Fault, faults, hunt, requirements } from "@postern/conformance"
import { describe, expect, it } from "vitest"

type Change = (headers: Headers) => void

const policy =
  (text: string): Change =>
  (headers) =>
    headers.set("content-security-policy", text)

/** A provider of ours that changes its answers at the end of a path. */
const changed = (path: string, answer: NonNullable<Fault["alteration"]["answer"]>): Fault => ({
  id: "changed",
  title: "changes its answers",
  paragraph: "RFC 9110 §15",
  near: [],
  alteration: { answer: (given, request) => (new URL(request.url).pathname.endsWith(path) ? answer(given, request) : given) },
})

const found = async (id: string, fault: Fault): Promise<string | undefined> => {
  const { by, finding } = await hunt(
    fault,
    requirements.filter((each) => each.id === id),
  )
  return by === undefined ? undefined : finding
}

describe("OpenID Connect Session Management §3.2: pages of clients may show the frame", () => {
  it.each<[string, boolean, Change]>([
    ["no policy", true, () => undefined],
    ["a policy of something else", true, policy("default-src 'none'")],
    ["everybody", true, policy("frame-ancestors *")],
    ["every https page", true, policy("default-src 'none'; Frame-Ancestors https:; base-uri 'none'")],
    ["the origin of the client among others", true, policy("frame-ancestors 'self' https://client.conformance.test")],
    ["nobody", false, policy("frame-ancestors 'none'")],
    ["nobody, by an empty list", false, policy("default-src 'none';frame-ancestors;base-uri 'none'")],
    ["the provider itself", false, policy("frame-ancestors 'self'")],
    ["others", false, policy("frame-ancestors https://other.example")],
    ["everybody, but by a second policy nobody", false, policy("frame-ancestors *, frame-ancestors 'none'")],
    ["nobody, by a header of its own", false, (headers) => headers.set("x-frame-options", "DENY")],
  ])("%s: %s", async (_, passes, change) => {
    const fault = changed("/checksession", (given) => {
      const headers = new Headers(given.headers)
      change(headers)
      return new Response(given.body, { status: given.status, headers })
    })
    expect((await found("session-state.frame", fault)) === undefined).toBe(passes)
  })
})

describe("OpenID Connect Session Management §3.2: two clients are told two values", () => {
  it.each(["first", "second"])("and the %s is not left out", async (left) => {
    let codes = 0
    const fault = changed("", (given) => {
      const location = given.headers.get("location")
      const to = location !== null && URL.canParse(location) ? new URL(location) : undefined
      if (to?.searchParams.has("code") !== true || ++codes !== (left === "first" ? 1 : 2)) return given
      to.searchParams.delete("session_state")
      const headers = new Headers(given.headers)
      headers.set("location", to.href)
      return new Response(given.body, { status: given.status, headers })
    })
    expect(await found("session-state.own", fault)).toBe("they are the same, or one is missing")
    expect(codes).toBeGreaterThan(1)
  })
})

it.each(["session-state.framed-by-itself", "mutual-tls.aliases-list"])("the fault %s is found", async (id) => {
  const fault = faults.find((each) => each.id === id)
  const near = requirements.filter((each) => fault?.near.includes(each.id.split(".")[0] ?? ""))
  expect(fault && (await hunt(fault, near)).by).toMatch(/^(?:session-state|mutual-tls)\./)
})

describe("RFC 8705 §5: mtls_endpoint_aliases is an object with an alias", () => {
  it.each<[unknown, boolean]>([
    [{ token_endpoint: "https://mtls.op.conformance.test/connect/token" }, true],
    [{}, false],
    [[], false],
    [["https://mtls.op.conformance.test/connect/token"], false],
    ["https://mtls.op.conformance.test/connect/token", false],
    [null, false],
    [true, false],
  ])("%j: %s", async (aliases, passes) => {
    const fault = changed("/openid-configuration", async (given) => {
      const metadata = (await given.json()) as object
      return Response.json({ ...metadata, mtls_endpoint_aliases: aliases })
    })
    expect((await found("mutual-tls.aliases", fault)) === undefined).toBe(passes)
  })
})
