import { expect, test } from "vitest"
import { world } from "../support/world.ts"

const named = (...names: ReadonlyArray<string>) =>
  world({ more: { upstream: names.map((name) => ({ name, displayName: name })) } }).then(
    ({ provider }) => provider.settings.identityProviders,
  )

test("RFC 9700 §4.4.2.2: a provider's name is its own, and one that a callback's path can hold", async () => {
  expect(await named("corp", "school-2")).toHaveLength(2)
  for (const names of [["corp", "corp"], ["Corp"], [""], ["a/b"], ["x".repeat(51)]])
    await expect(named(...names)).rejects.toThrow(TypeError)
})
