import { requirements } from "@postern/conformance"
import { expect, test } from "vitest"

const redirecting = requirements.filter(({ id }) => id.startsWith("authorize.redirect-") && !/-(?:missing|not-307)$/.test(id))

/** The redirect_uri that a requirement asks with, of a client that has registered this one; the reason where it does not ask. */
const askedWith = async ({ steps }: (typeof redirecting)[number], registered: string): Promise<unknown> => {
  let asked: unknown
  const t = {
    client: () => ({ client_id: "web", redirect_uris: [registered] }),
    authorize: async (_role: string, changes: Readonly<Record<string, unknown>>) => void (asked = changes["redirect_uri"]),
  }
  try {
    await steps(t as never)
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
  return asked
}

test.each(["https://client.conformance.test/callback", "https://client.conformance.test:8443/callback", "http://127.0.0.1:8765/callback"])(
  "RFC 9700 §4.1.3: no requirement sends the registered address %s in the place of a wrong one",
  async (registered) => {
    expect(redirecting.length).toBeGreaterThan(8)
    const asked = await Promise.all(redirecting.map(async (each) => [each.id, await askedWith(each, registered)] as const))
    expect(asked.filter(([, uri]) => uri === registered || uri === undefined)).toEqual([])
    const port = asked.find(([id]) => id === "authorize.redirect-port")?.[1]
    // Each port of the loopback interface is right (RFC 8252 §7.3).
    expect(port).toBe(
      registered.startsWith("http:")
        ? "Untried"
        : registered.includes(":8443")
          ? "https://client.conformance.test:8444/callback"
          : "https://client.conformance.test:8443/callback",
    )
  },
)
