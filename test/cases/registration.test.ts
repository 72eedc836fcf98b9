import { expect, test } from "vitest"
import { faultsOf, registrationCases } from "./registration.ts"

for (const each of registrationCases) {
  test(each.title, () => {
    expect(faultsOf(each)).toEqual(each.faults)
  })
}
