import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { isEffect, isThere } from "../../packages/core/src/ports/steps.ts"

const ended: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
  Exit.void,
  Exit.succeed(1),
  Exit.fail("no"),
  Exit.die(new Error("defect")),
  Exit.interrupt(1),
  Effect.succeed({}),
  Effect.fail("no"),
  Effect.die("defect"),
  Effect.void,
]

const begun: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
  Effect.sync(() => 1),
  Effect.suspend(() => Effect.succeed(1)),
  Effect.never,
  Effect.map(Effect.succeed(1), String),
]

describe("what is there at once", () => {
  it("is every Exit, and no Effect that has yet to run", () => {
    for (const effect of [...ended, ...begun]) expect(isThere(effect)).toBe(Exit.isExit(effect))
    expect(ended.map((effect) => isThere(effect))).toEqual(ended.map(() => true))
    expect(begun.map((effect) => isThere(effect))).toEqual(begun.map(() => false))
  })

  it("is told from other objects", () => {
    for (const effect of [...ended, ...begun]) expect(isEffect(effect)).toBe(true)
    for (const other of [{}, [], new Map(), Object.create(null), new Error("no"), Promise.resolve(1), { value: 1 }, () => 1])
      expect(isEffect(other as object)).toBe(false)
  })
})
