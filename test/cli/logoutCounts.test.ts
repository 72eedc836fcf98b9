import { logoutContent } from "../../packages/core/src/features/back-channel-logout/message.ts"
import { logoutMessage } from "@postern/core"
import type { OutboxMessage } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { logoutCounts } from "../../packages/cli/src/serve/logoutCounts.ts"

const messageTo = (clientId: string): OutboxMessage => ({
  locator: "m",
  kind: logoutMessage,
  payload: logoutContent({ clientId, subject: "s", sub: "s", sid: undefined }),
  createdAt: 0,
  dueAt: 0,
  attempts: 0,
  keepUntil: 0,
})

const { signal } = new AbortController()

describe("metrics of logout tokens by client (docs/operating.md)", () => {
  const shown = ({ readings }: ReturnType<typeof logoutCounts>) =>
    Object.fromEntries(readings().map(({ name, attributes, read }) => [`${name} ${attributes?.["client"] ?? ""}`, read()]))

  test("each attempt is counted as it ended, for its client; what it throws is thrown on", async () => {
    const counts = logoutCounts(async () => true)
    const ends = [undefined, { _tag: "Refused", failure: "no" }, { _tag: "Failed", failure: "later" }, undefined] as const
    let at = 0
    const handlers = counts.counting({ [logoutMessage]: async () => ends[at++], other: async () => undefined })
    for (const end of ends) expect(await handlers[logoutMessage]?.(messageTo("shop"), signal)).toEqual(end)
    const throwing = counts.counting({ [logoutMessage]: () => Promise.reject(new Error("broken")) })
    await expect(throwing[logoutMessage]?.(messageTo("wiki"), signal)).rejects.toThrow("broken")
    await handlers["other"]?.({ ...messageTo("else"), kind: "other" }, signal)
    expect(shown(counts)).toEqual({
      "postern_logout_delivered shop": 2,
      "postern_logout_refused shop": 1,
      "postern_logout_failed shop": 1,
      "postern_logout_delivered wiki": 0,
      "postern_logout_refused wiki": 0,
      "postern_logout_failed wiki": 1,
    })
  })

  test("clients that the operator did not declare are counted together, and take no place of others", async () => {
    const counts = logoutCounts(async (clientId) => clientId === "shop", 1)
    const handlers = counts.counting({ [logoutMessage]: async () => undefined })
    for (const id of ["https://stranger.example/client.json", "registered", "shop"]) await handlers[logoutMessage]?.(messageTo(id), signal)
    expect(shown(counts)).toMatchObject({ "postern_logout_delivered (other)": 2, "postern_logout_delivered shop": 1 })
    expect(counts.readings()).toHaveLength(2 * 3)
  })

  test("there are so many series and no more, whoever is sent tokens", async () => {
    const counts = logoutCounts(async () => true, 3)
    const handlers = counts.counting({ [logoutMessage]: async () => undefined })
    for (let each = 0; each < 1000; each++) await handlers[logoutMessage]?.(messageTo(`client ${each}`), signal)
    await handlers[logoutMessage]?.(messageTo("client 1"), signal)
    expect(counts.readings()).toHaveLength(4 * 3)
    expect(shown(counts)).toMatchObject({
      "postern_logout_delivered client_0": 1,
      "postern_logout_delivered client_1": 2,
      "postern_logout_delivered (other)": 997,
    })
    expect(counts.readings()).toBe(counts.readings())
  })

  test("a name is a label that no reader of the format stumbles over, and none that stands for others", async () => {
    const counts = logoutCounts(async () => true)
    const handlers = counts.counting({ [logoutMessage]: async () => undefined })
    await handlers[logoutMessage]?.(messageTo('a"\\\n{b} ü(other)'), signal)
    expect(counts.readings()[0]?.attributes).toEqual({ client: "a___{b}___other_" })
  })
})
