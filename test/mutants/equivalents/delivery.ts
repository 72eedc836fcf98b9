import type { Listed } from "../equivalent.ts"

const forTheType = "the value is never missing: the check is there for the type alone"

/** Mutants of the area delivery that change nothing. */
export const delivery: Listed = {
  "packages/stores/src/destinations.ts": {
    "the first that may have a place is the best so far, whatever it is compared with": [
      ["[undefined, []]", "[]"],
      ["[]", '["Stryker was here"]', "let [best, least]"],
    ],
    "ranks that differ nowhere are equal, and where they differ one is less": [
      ["at >= 0", "true"],
      ["(left[at] ?? 0) < (right[at] ?? 0)", "(left[at] ?? 0) <= (right[at] ?? 0)"],
    ],
    [forTheType]: [["first !== undefined", "true"]],
  },
  "packages/stores/src/delivering.ts": {
    "a timer or a listener that is left ends nothing once its delivery has ended": [
      ["{\n      limit.clear()\n    }", "{}"],
      ["limit.clear()", ";"],
    ],
    "a message comes of the list of a kind that has a handler": [
      ["next === undefined || handler === undefined", "next === undefined && handler === undefined"],
      ["next === undefined", "false", "handler === undefined) break"],
      ["handler === undefined", "false"],
    ],
    "no message is that text": [["[]", '["Stryker was here"]', "list.length >= listed"]],
    "a look for no kinds finds nothing": [
      ["Object.keys(handlersNow()).length > 0", "true"],
      ["Object.keys(handlersNow()).length > 0", "Object.keys(handlersNow()).length >= 0"],
    ],
  },
  "packages/stores/src/secrets/turns.ts": {
    [forTheType]: [
      ["[...waiters].at(-1)?.refuse", "[...waiters].at(-1).refuse"],
      ["[]", '["Stryker was here"]', "first(queue.lanes) ?? []"],
      ["lane === undefined || next === undefined", "false"],
      ["lane === undefined || next === undefined", "lane === undefined && next === undefined"],
      ["lane === undefined", "false"],
      ["next === undefined", "false", "lane === undefined || next === undefined"],
    ],
    "a kind for which nothing waits has no address to take next": [["queue.waiting === 0", "false"]],
    "an address that is not there is not removed either": [["left !== undefined", "true"]],
    "it is the name of a row of its own, and of no address": [['""', '"Stryker was here!"', "const lane = address === undefined"]],
  },
  "packages/stores/src/trails/batches.ts": {
    "a function without a return answers undefined too": [["{\n      return undefined\n    }", "{}"]],
    "undefined is no success either": [["() => false", "() => undefined"]],
  },
}
