import { expect, test } from "vitest"
import { cpu, figure, perSecond, ratioOf } from "../../bench/figures.ts"
import { treeOf } from "../../bench/flame/profile.ts"
import type { Round } from "../../bench/load/run.ts"
import type { Costs } from "../../bench/report/costs.ts"
import { needOf, perToken, primary } from "../../bench/report/demand.ts"

const round = (own: Partial<Round>): Round => ({
  operations: 1,
  perSecond: 1,
  cpu: 1,
  p50: 1,
  p95: 1,
  p99: 1,
  longest: 1,
  errors: 0,
  memory: 1,
  generator: 0,
  ...own,
})

test("a figure is the median with the lowest and the highest", () => {
  expect(figure([9, 1, 5])).toEqual({ median: 5, low: 1, high: 9 })
  expect(figure([4, 1, 2, 9])).toEqual({ median: 3, low: 1, high: 9 })
})

test("a ratio is the median of the ratios of rounds that were neighbors", () => {
  const result = {
    id: "a",
    title: "a",
    requests: 1,
    goal: {},
    measured: [
      { server: "Postern", rounds: [100, 20, 90].map((each) => round({ perSecond: each, cpu: 10 })) },
      { server: "floor", rounds: [200, 40, 100].map((each) => round({ perSecond: each, cpu: 5 })) },
    ],
  }
  expect(ratioOf(result, "Postern", "floor", perSecond)).toEqual({ median: 0.5, low: 0.5, high: 0.9 })
  expect(ratioOf(result, "Postern", "floor", cpu)?.median).toBe(2)
  expect(ratioOf(result, "Postern", "oidc-provider", cpu)).toBeUndefined()
})

test("a flame graph counts samples between two times, the threads apart, the main one first however little it did, and the idle ones left out", () => {
  const frame = (functionName: string, url = ""): { functionName: string; url: string; lineNumber: number } => ({
    functionName,
    url,
    lineNumber: 0,
  })
  const nodes = [
    { id: 1, callFrame: frame("(root)"), children: [2, 3] },
    { id: 2, callFrame: frame("(idle)") },
    { id: 3, callFrame: frame("outer", "file:///x/packages/core/src/a.ts"), children: [4] },
    { id: 4, callFrame: frame("inner", "file:///x/node_modules/jose/b.js") },
  ]
  const main = { thread: 0, startTime: 0, nodes, samples: [4, 4, 3, 2, 4], timeDeltas: [10, 10, 10, 10, 10] }
  const idle = { thread: 1, startTime: 0, nodes, samples: [2, 2], timeDeltas: [10, 10] }
  const loop = { id: 5, callFrame: { ...frame("", "file:///x/packages/store/src/thread.ts"), lineNumber: 0 } }
  const waits = { thread: 2, startTime: 0, nodes: [...nodes, loop], samples: [3, 3, 5], timeDeltas: [20, 25, 0] }
  const waiting = { thread: 3, startTime: 0, nodes: [loop], samples: [5, 5], timeDeltas: [20, 25] }
  const tree = treeOf([waits, idle, waiting, main], 15, 45)
  expect(tree).toMatchObject({
    spent: 65,
    calls: [
      { name: "main thread", calls: [{ name: "outer core/src/a.ts:1", owner: "postern", spent: 20 }] },
      { name: "thread 2", spent: 45 },
    ],
  })
  expect(tree.calls[0]?.calls[0]?.calls).toEqual([{ name: "inner jose/b.js:1", owner: "jose", spent: 10, calls: [] }])
})

const work = { reference: 100, jwt: 100, refresh: 100, signin: 1000 }
const costs: Costs = { hash: 10_000, sqlite: work, server: work, database: work, logged: work, bytesPerToken: 300 }

test("what a demand takes grows with it, and primaries come whole", () => {
  const [small, large] = [1000, 10_000].map((tokens) => needOf(costs, { tokens, signIns: tokens / 50 }))
  expect(perToken(work)).toBeCloseTo(100)
  expect(small?.serverCores).toBeCloseTo((1000 * 100 + 20 * 1000 + 20 * 10_000) / 600_000)
  expect(large?.serverCores).toBeCloseTo(10 * (small?.serverCores ?? 0))
  expect(small?.primaries).toBe(1)
  const most = needOf(costs, { tokens: 1e6, signIns: 0 })
  expect(most.primaries).toBe(Math.ceil(Math.max(most.databaseCores / primary.cores, most.storedGB / primary.storedGB)))
})
