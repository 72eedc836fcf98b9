import { describe, expect, it } from "vitest"
import { plainServe } from "../../packages/cli/src/commands/plainServe.ts"

const none = { config: undefined, port: undefined, data: undefined, workers: undefined }

describe("a call of serve", () => {
  it.for([
    [["serve"], none],
    [["serve", "--config", "a.json"], { ...none, config: "a.json" }],
    [["serve", "-c", "a.json", "-p", "0"], { ...none, config: "a.json", port: 0 }],
    [["serve", "--data", "here", "--port", "65535"], { ...none, data: "here", port: 65_535 }],
    [["serve", "--workers", "0"], { ...none, workers: 0 }],
    [["serve", "-w", "64"], { ...none, workers: 64 }],
  ] as const)("is read at once when it is plain: %j", ([args, read]) => {
    expect(plainServe(args)).toEqual(read)
  })

  it.for([
    [["check-config"]],
    [["serve", "--help"]],
    [["serve", "a.json"]],
    [["serve", "--config=a.json"]],
    [["serve", "--config"]],
    [["serve", "--config", "--port"]],
    [["serve", "--data", ""]],
    [["serve", "--port", "65536"]],
    [["serve", "--port", "80a"]],
    [["serve", "--port", "080"]],
    [["serve", "--workers", "65"]],
    [["serve", "--workers", "-1"]],
    [["serve", "--port", "1", "-p", "2"]],
    [["serve", "--verbose", "yes"]],
    [["--config", "a.json", "serve"]],
    [[]],
  ] as const)("is left to what explains it otherwise: %j", ([args]) => {
    expect(plainServe(args)).toBeUndefined()
  })
})
