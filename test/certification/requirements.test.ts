import { requirements } from "@postern/conformance"
import { describe, expect, it } from "vitest"
import { certification } from "../../packages/conformance/src/requirements/certification.ts"
import { modules } from "./modules/index.ts"
import { requirementsOfModules } from "./requirements.ts"

const named = new Set([...modules.map(({ name }) => name), "oidcc-discovery-endpoint-verification"])
const ids = new Set(requirements.map(({ id }) => id))

describe("each module of the certification's plans", () => {
  it("is asked for over HTTP by requirements that exist", () => {
    expect(Object.keys(requirementsOfModules).toSorted()).toEqual([...named].toSorted())
    for (const [module, text] of Object.entries(requirementsOfModules)) {
      const listed = text.trim().split(/\s+/)
      expect([module, listed.filter((id) => !ids.has(id)), listed.length > 0]).toEqual([module, [], true])
    }
  })

  it("has every demand that was stated for the modules alone", () => {
    const listed = new Set(Object.values(requirementsOfModules).flatMap((text) => text.trim().split(/\s+/)))
    expect(certification.map(({ id }) => id).filter((id) => !listed.has(id))).toEqual([])
  })
})
