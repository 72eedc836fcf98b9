import { defaultLifetimes, logoutMessage } from "@postern/core"
import { generateKey } from "@postern/core/jose"
import { memoryTokenStore } from "@postern/core/memory"
import { addMessage, outbox, secretOf } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import { sampleLocator } from "@postern/core/testing"
import { onTestFinished, test, expect, vi } from "vitest"
import { startCare } from "../../packages/cli/src/serve/care.ts"
import { logoutContent } from "../../packages/core/src/features/back-channel-logout/message.ts"

test("reference §6 Durability: a person's redirect waits two seconds for clients that do not answer, and no longer", async () => {
  const now = Math.floor(Date.now() / 1000)
  const key = await generateKey("RS256", { createdAt: now - 1000, activeAt: now - 1000 }, undefined)
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const tokens = memoryTokenStore()
  const metadata = { client_id: "slow", redirect_uris: ["https://slow.example/cb"], backchannel_logout_uri: "https://slow.example/out" }
  const client = registeredClient(metadata, defaultLifetimes)
  const asked: Array<string> = []
  const keys = { store: { list: async () => [key] }, algorithms: [], now: () => now, encryption: undefined, policy: undefined }
  // The parts of a server that deliveries use.
  const care = startCare(
    { issuer: "https://op.example", catalog: { identityScopes: [], resources: [] }, pages: {} } as never,
    { tokens, clients: { find: async () => client }, sweep: async () => ({ more: false }) } as never,
    keys as never,
    { line: () => undefined } as never,
    {
      outbound: {
        fetch: () => ({ _tag: "Unfetched", reason: "nothing is there" }),
        post: async (url) => {
          asked.push(url)
          return new Promise(() => undefined)
        },
      },
      audit: { record: () => undefined },
      accountKey: secretOf("k".repeat(43)),
    },
  )
  await tokens.commit([
    addMessage(sampleLocator(1), logoutMessage, logoutContent({ clientId: "slow", subject: "s", sub: "s", sid: "x" }), now),
  ])
  const [message] = await tokens.list(outbox, "due", { now })
  let waits = true
  void Promise.resolve(care.outbox.written(message === undefined ? [] : [message])).then(() => (waits = false))
  await vi.advanceTimersByTimeAsync(1999)
  expect(waits).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(waits).toBe(false)
  // Real time is needed for a signature.
  vi.useRealTimers()
  await vi.waitFor(() => expect(asked).toEqual(["https://slow.example/out"]), { timeout: 10_000 })
  await care.stop()
})
