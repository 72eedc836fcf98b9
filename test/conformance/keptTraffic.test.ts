import type { Message } from "@postern/core/wire"
import { expect, test } from "vitest"
import { trafficOf } from "../../packages/conformance/src/provider/traffic.ts"

const message = (body: string): Message => ({ method: "POST", path: "/connect/token", query: "", headers: {}, body })

test("a provider for tests keeps so many requests that their texts fit into 64 Mi characters, and drops the oldest", () => {
  const traffic = trafficOf(() => 0, new Map([["token", "programs"]]))
  const { handle } = traffic.noted({
    handle: ({ body }) => ({ status: 200, headers: [["x-request-id", body.slice(0, 4)]], body: "answered" }),
    endpointAt: () => undefined,
  })
  const long = "x".repeat(65_532)
  for (let at = 0; at < 1100; at++) void handle(message(String(at).padStart(4, "0") + long))
  const kept = traffic.requests()
  expect([kept.length, kept.at(-1)?.body.slice(0, 4)]).toEqual([1023, "1099"])
  // One that is longer than everything is kept alone.
  void handle(message("x".repeat(65 * 1024 * 1024)))
  expect(traffic.requests()).toHaveLength(1)
  void handle(message("last"))
  expect(traffic.requests().map(({ body, answer, trail }) => [body, answer.body, trail])).toEqual([["last", "answered", undefined]])
  for (let at = 0; at < 10_001; at++) void handle(message(""))
  expect(traffic.requests()).toHaveLength(10_000)
})
