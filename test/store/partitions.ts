import { memoryTokenStore } from "@postern/core/memory"
import { accessTokens, type Command, rowPut } from "@postern/core/model"
import { type Awaitable, partitioned, type TokenStorePort } from "@postern/core/ports"
import { sampleLocator } from "@postern/core/testing"
import fc from "fast-check"
import { expect } from "vitest"
import { reads, step } from "./smallWorld.ts"

/** A store that several issuers share. */
export interface SharedStore {
  readonly tokens: TokenStorePort
  readonly sweep: (now: number) => Awaitable<{ readonly removed: number }>
}

/** Issuers that share a store. The first has the rows of the time when it was the only one, which carry no name; two names end alike. */
const names = ["", "acme", "a", "me"] as const

/** Each issuer's own locator of an access token: where rows lie by a number made of their locator, two of the same locator take one another's place. */
const apart = (at: number, commands: ReadonlyArray<Command>): ReadonlyArray<Command> =>
  commands.filter((command) => {
    const token = rowPut(accessTokens, command)
    return token === undefined || token.locator === sampleLocator((at % 3) + 1)
  })

/** The numbers of steps that were decided each way, so that a law shows what it has met. */
export interface Met {
  commits: number
  conflicts: number
}

/**
 * Any commands and sweeps of several issuers on one store, in any order, come to the same answers, and to the same rows by every read, as if each had a store of its own.
 * `slots` says that rows lie by a number made of their locator, and are swept a stretch at a time, so that a sweep may leave some for later.
 */
export const ownRowsAlone = (fresh: () => Promise<SharedStore>, met: Met, slots = false) =>
  fc.asyncProperty(fc.array(fc.tuple(fc.nat(names.length - 1), step), { minLength: 1, maxLength: 24 }), async (steps) => {
    const { tokens, sweep } = await fresh()
    const all = names.map((name) => ({ part: partitioned(tokens, { name }), alone: memoryTokenStore() }))
    for (const [at, each] of steps) {
      if ("sweep" in each) {
        if (slots) continue
        const expected = all.reduce((sum, { alone }) => sum + alone.sweep(each.sweep).removed, 0)
        expect((await sweep(each.sweep)).removed).toBe(expected)
        continue
      }
      const { part, alone } = all[at] ?? expect.fail("an issuer")
      const commands = slots ? apart(at, each.commit) : each.commit
      const expected = await alone.commit(commands)
      expect(await part.commit(commands)).toBe(expected)
      if (expected === "Committed") met.commits++
      else met.conflicts++
    }
    for (const { part, alone } of all) expect(await Promise.all(reads(part))).toEqual(await Promise.all(reads(alone)))
  })
