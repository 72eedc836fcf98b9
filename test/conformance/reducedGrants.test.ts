import type { Target } from "@postern/conformance"
import { expect, test } from "vitest"
import { registerMissing } from "../../packages/conformance/src/target/dynamic.ts"

test("RFC 7591 §3.2.1: a client that was registered without a grant type that its role needs does not play it, and is deleted at the end", async () => {
  const deleted: Array<string> = []
  const answered =
    (grants: (asked: ReadonlyArray<string>) => ReadonlyArray<string> | undefined) =>
    async (sent: { readonly method: string; readonly url: string; readonly body?: string | undefined }) => {
      if (sent.method === "DELETE") deleted.push(sent.url)
      const { grant_types = [], profile } = JSON.parse(sent.body ?? "{}") as {
        readonly grant_types?: ReadonlyArray<string>
        readonly profile?: string
      }
      const body = {
        client_id: "made",
        profile,
        grant_types: grants(grant_types),
        registration_client_uri: "https://op.example/made",
        registration_access_token: "token",
      }
      return { status: 201, headers: new Headers({ "content-type": "application/json" }), body: JSON.stringify(body), sent }
    }
  const registered = (grants: Parameters<typeof answered>[0]) =>
    // Of a target the registration uses these members alone.
    registerMissing({ clients: {}, send: answered(grants) } as unknown as Target, { registration_endpoint: "https://op.example/register" })
  const device = "urn:ietf:params:oauth:grant-type:device_code"
  const reduced = await registered((asked) => asked.filter((each) => each !== device))
  expect([reduced.clients.device, reduced.clients.web?.client_id]).toEqual([undefined, "made"])
  expect(reduced.refused).toContainEqual(["device", `it may not use ${device}`])
  await reduced.remove()
  expect(deleted).toHaveLength(reduced.removable)
  for (const grants of [(asked: ReadonlyArray<string>) => asked, () => undefined])
    expect((await registered(grants)).clients.device?.client_id).toBe("made")
})
