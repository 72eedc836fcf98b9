import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { runs } from "../tiers/tier.ts"
import { seedOf } from "./campaign.ts"
import { type LineHost, configCampaign, lineCampaign, lineHost, replayLines, wrongLine } from "./lines.ts"

describe("the command line", () => {
  let host: LineHost
  beforeAll(async () => {
    host = await lineHost()
  })
  afterAll(() => host.end())

  test("every line and file that once mattered ends by the laws", patient, async () => {
    expect(await replayLines(host)).toEqual([])
  })

  test("a line that is fine ends with 0, and one that is not with a reason", patient, async () => {
    expect(await host.ask({ args: ["check-config", "postern.json"], setup: "postern.json" })).toMatchObject({ code: 0, err: "" })
    expect(await host.ask({ args: ["nonsense"] })).toMatchObject({ code: 2, err: expect.stringContaining("nonsense") })
  })

  test("however a configuration is spoilt, its faults are told and nothing falls over", patient, () =>
    configCampaign(host, seedOf(), runs(150)),
  )

  test("however a command line is spoilt, it ends in time with 0, 1 or 2 and a line that says why", patient, () =>
    lineCampaign(host, seedOf(), runs(100)),
  )

  test("a stack, a path of the program, an end without a word and no end at all would be noticed", () => {
    const told = { code: 1, out: "", err: "postern: no such file\n", took: 10, fault: undefined }
    expect(wrongLine(told)).toBe(undefined)
    expect(wrongLine({ ...told, err: "Error: x\n    at run (/srv/postern/cli.ts:3:4)\n" })).toContain("inside")
    expect(wrongLine({ ...told, err: "" })).toContain("did not say why")
    expect(wrongLine({ ...told, code: -1 })).toContain("did not end")
    expect(wrongLine({ ...told, took: 6_000 })).toContain("it took")
  })
})
