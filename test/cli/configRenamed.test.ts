import { describe, expect, it } from "vitest"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { sound, world } from "./config.ts"

const checked = (pages: object) => checkConfig("postern.json", JSON.stringify(sound({ pages }), undefined, 2), world())

describe("a key that an earlier version had by another name", () => {
  it("is read as the present one, with a warning at its place", async () => {
    const { config, warnings } = await checked({
      colours: { accent: "#123456" },
      tenants: { acme: { colours: { background: "#fff" } }, b: {} },
    })
    expect(config?.pages).toEqual({ colors: { accent: "#123456" }, tenants: { acme: { colors: { background: "#fff" } }, b: {} } })
    const renamed = warnings.filter(({ message }) => message === "is called colors now")
    expect(renamed.map(({ path, hint }) => [path, hint])).toEqual([
      ["pages.colours", "rename it; later versions will not accept the old name"],
      ["pages.tenants.acme.colours", "rename it; later versions will not accept the old name"],
    ])
    expect(renamed[0]?.line).toBeLessThan(renamed[1]?.line ?? 0)
  })

  it("keeps the name that the file has in what is said of its value, from the schema and from the rules", async () => {
    const schema = await checked({ colours: { accent: "red" } })
    expect(schema.faults.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "pages.colours.accent: is not a color such as #2457d6",
    ])
    const rule = await checked({ colours: { background: "#777" } })
    expect(rule.faults.map(({ path }) => path)).toEqual(["pages.colours.background"])
    expect(rule.warnings.map(({ path }) => path)).toContain("pages.colours")
  })

  it("is unknown beside the present one, which counts", async () => {
    const { faults } = await checked({ colours: { accent: "#123456" }, colors: { accent: "#654321" } })
    expect(faults.map(({ path, message }) => `${path}: ${message}`)).toEqual(["pages.colours: is not a known key"])
  })

  it.each([[null], [3], ["x"], [[]], [{ colors: {} }], [{ tenants: 1 }], [{ tenants: { a: null, constructor: [] } }]])(
    "does no harm in pages that are %j",
    async (pages) => {
      const { warnings } = await checkConfig("postern.json", JSON.stringify(sound({ pages })), world())
      expect(warnings.filter(({ message }) => message.includes("now"))).toEqual([])
    },
  )
})
