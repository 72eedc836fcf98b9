import { isTier, type Tier } from "./tier.ts"

/** A run of the tests: its tier, and the arguments for Vitest. */
export interface Plan {
  readonly tier: Tier
  readonly args: ReadonlyArray<string>
  /** True when a path or a title names the tests. Without a tier beside them they run at full width. */
  readonly named: boolean
}

const isTitle = (arg: string | undefined): boolean => arg === "-t" || arg === "--testNamePattern"

/** Reads `npm test -- [TIER] [PATH ...] [-t TITLE] [Vitest's options]`, given the test files that there are. */
export const planOf = (words: ReadonlyArray<string>, files: ReadonlyArray<string>): Plan => {
  const [first, ...others] = words
  const args = isTier(first) ? others : words
  const names = (arg: string, at: number): boolean => {
    if (isTitle(arg) || /^(?:-t|--testNamePattern)=/.test(arg)) return true
    if (arg.startsWith("-") || isTitle(args[at - 1])) return false
    const path = arg.replace(/^\.\//, "").replace(/:\d+$/, "")
    return files.some((file) => file.includes(path))
  }
  const named = args.some(names)
  return { tier: isTier(first) ? first : named ? "full" : "standard", args, named }
}
