import { describe, expect, test } from "vitest"
import { modules } from "./modules/index.ts"
import type { Plan } from "./plan.ts"

/** Number of modules that each plan has for a static client, over all its response types. */
const sizes = { basic: 35, implicit: 54, hybrid: 96 }

/** A test for each module of some plans of one kind. */
export const check = (plans: ReadonlyArray<Plan>, kind: Plan["kind"]): void => {
  const mine = plans.filter((plan) => plan.kind === kind)
  describe.each(mine)("$name", (plan) => {
    test.each(modules.filter((each) => each.in(plan)))(`${plan.name}: $name`, ({ run }) => run(plan))
  })

  test(`the ${kind} plan has ${sizes[kind]} modules`, () => {
    expect(mine.flatMap((plan) => modules.filter((each) => each.in(plan)))).toHaveLength(sizes[kind])
  })
}
