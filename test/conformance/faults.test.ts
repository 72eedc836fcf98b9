import { describe, expect, it } from "vitest"
import { type Caught, type Fault, type Finding, type Requirement, caught, faults, hunt, requirements } from "@postern/conformance"
import { catchers, catches, uncaught } from "./catches.ts"

declare module "vitest" {
  interface TaskMeta {
    /** The rate of faults that are found, for `.ci/run`. */
    faults?: string
  }
}

/** Findings by fault and requirement: most pairs of catches.json are in both of its lists, and each comes to the same whenever it is tried. */
const tried = new Map<string, Promise<Finding | undefined>>()

const caughtOnce = (fault: Fault, requirement: Requirement): Promise<Finding | undefined> => {
  const pair = `${fault.id} ${requirement.id}`
  const trial = tried.get(pair) ?? caught(fault, requirement)
  tried.set(pair, trial)
  return trial
}

describe("our own provider with one fault switched on", () => {
  it("has faults with an id of their own each, that cite a paragraph", () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
    expect(faults.filter(({ paragraph }) => !/§[\dA-Z]/.test(paragraph)).map(({ id }) => id)).toEqual([])
  })

  it("is caught by a requirement in at least 95 of 100 cases", { timeout: 240_000 }, async ({ task }) => {
    const found: Array<Caught> = []
    for (const fault of faults) {
      // The requirement that found it before is asked first: most requirements notice nothing of most faults.
      const known = requirements.find(({ id }) => id === catchers[fault.id])
      const finding = known && (await caughtOnce(fault, known))
      found.push(finding === undefined ? await hunt(fault, requirements) : { fault, by: known?.id, finding })
    }
    const missed = found.filter(({ by }) => by === undefined).map(({ fault }) => fault.id)
    const rate = (100 * (found.length - missed.length)) / found.length
    task.meta.faults = `${found.length - missed.length} of ${found.length} caught (${rate.toFixed(1)} %); missed: ${missed.join(", ") || "none"}`
    console.info(`faults: ${task.meta.faults}`)
    expect(rate).toBeGreaterThanOrEqual(95)
  })
})

describe("each requirement", () => {
  it("is known to catch a fault, or has a reason why it need not (`node_modules/node/bin/node test/conformance/writeCatches.ts` looks for one)", () => {
    const unknown = requirements.map(({ id }) => id).filter((id) => catches[id] === undefined && uncaught[id] === undefined)
    expect(unknown).toEqual([])
    const known = new Set(requirements.map(({ id }) => id))
    expect([...Object.keys(catches), ...Object.keys(uncaught)].filter((id) => !known.has(id))).toEqual([])
    expect(Object.keys(uncaught).filter((id) => catches[id] !== undefined)).toEqual([])
  })

  it("catches the fault of catches.json", { timeout: 240_000 }, async () => {
    const byId = new Map(faults.map((fault) => [fault.id, fault]))
    const silent: Array<readonly [requirement: string, fault: string]> = []
    for (const requirement of requirements) {
      const fault = byId.get(catches[requirement.id] ?? "")
      if (catches[requirement.id] === undefined) continue
      if (fault === undefined || (await caughtOnce(fault, requirement)) === undefined)
        silent.push([requirement.id, catches[requirement.id] ?? ""])
    }
    expect(silent).toEqual([])
  })
})
