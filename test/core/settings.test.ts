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

test("OpenID Connect Core §3.1.2.1: an acr is a word of acr_values, and none of those that name a provider or a tenant", async () => {
  for (const acr of ["two words", "", "idp:corp", "tenant:labs", "é"])
    for (const more of [{ acr: { password: acr } }, { acr: { upstream: acr } }, { acrValues: [acr] }])
      await expect(world({ more })).rejects.toThrow(
        /acr\.\w+: must be an authentication context|acrValues\[0\]: must be an authentication context/,
      )
  const { provider } = await world({ more: { acr: { password: "urn:example:loa1", upstream: undefined } } })
  expect(provider.settings.acr).toEqual({ password: "urn:example:loa1", upstream: "urn:postern:upstream" })
})
