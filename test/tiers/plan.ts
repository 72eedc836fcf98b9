import { isTier, type Tier } from "./tier.ts"

/** A run of the tests: its tier, the arguments for Vitest, and whether the tier was chosen by the tests that are named. */
export interface Plan {
  readonly tier: Tier
  readonly args: ReadonlyArray<string>
  /** True when a path or a title names the tests and no tier is named: they run at full width. */
  readonly byTests: boolean
}

const isTitle = (arg: string | undefined): boolean => arg === "-t" || arg === "--testNamePattern"

/** Reads `npm test -- [TIER] [PATH ...] [-t TITLE] [Vitest's options]`, given the test files that there are. */
export const planOf = (all: ReadonlyArray<string>, files: ReadonlyArray<string>): Plan => {
  const [first, ...others] = all
  if (isTier(first)) return { tier: first, args: others, byTests: false }
  const names = (arg: string, at: number): boolean => {
    if (isTitle(arg) || /^(?:-t|--testNamePattern)=/.test(arg)) return true
    if (arg.startsWith("-") || isTitle(all[at - 1])) return false
    const path = arg.replace(/^\.\//, "").replace(/:\d+$/, "")
    return files.some((file) => file.includes(path))
  }
  const byTests = all.some(names)
  return { tier: byTests ? "full" : "standard", args: all, byTests }
}
