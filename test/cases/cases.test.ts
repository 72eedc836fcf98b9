import { describe, expect, test } from "vitest"
import { check, lastRefusal } from "./case.ts"
import { cases } from "./index.ts"

for (const [name, each] of Object.entries(cases)) {
  describe(name, () => {
    for (const one of each) {
      test(one.title, async () => {
        const w = await check(one)
        // The trail names the rule that refused, and no other.
        if (one.rule !== undefined)
          expect(w.trails.flatMap(({ steps }) => steps.flatMap(({ refused }) => refused?.rule ?? []))).toContain(one.rule)
        else expect(lastRefusal(w)).toBe(undefined)
      })
    }
  })
}
