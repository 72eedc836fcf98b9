import { unknownIds } from "@postern/stores/rows"
import { describe, expect, it } from "vitest"

describe("ids that are nobody's", () => {
  it("are remembered until they are forgotten", () => {
    const ids = unknownIds()
    ids.add("nobody")
    expect([ids.has("nobody"), ids.has("somebody")]).toEqual([true, false])
    ids.clear()
    expect(ids.has("nobody")).toBe(false)
  })

  it("are a thousand at the most, of 256 characters at the most: strangers choose them (RFC 9110 §17.5)", () => {
    const ids = unknownIds()
    const long = "x".repeat(256)
    ids.add(long)
    ids.add(`${long}x`)
    expect([ids.has(long), ids.has(`${long}x`)]).toEqual([true, false])
    ids.clear()
    const many = Array.from({ length: 1000 }, (_, each) => `nobody ${each}`)
    for (const id of many) ids.add(id)
    expect(many.filter((id) => ids.has(id)).length).toBe(1000)
    ids.add("one more")
    expect([many.filter((id) => ids.has(id)).length, ids.has("one more")], "those before are forgotten").toEqual([0, true])
  })
})
