import { spawnSync } from "node:child_process"
import { type Area, filesOf, root } from "./areas.ts"

/** Returns the time of the last commit that changed one of some files, in seconds; 0 where no history tells. */
const changedAt = (files: ReadonlyArray<string>): number =>
  Number(spawnSync("git", ["log", "-1", "--format=%ct", "--", ...files], { cwd: root, encoding: "utf8" }).stdout) || 0

/**
 * Sorts areas by the time when their sources or the tests named for them last changed, the latest first: where time is short, the others are those that were tried since. Areas without
 * a history keep their order.
 */
export const lastChangedFirst = (
  of: ReadonlyArray<Area>,
  timeOf: (files: ReadonlyArray<string>) => number = changedAt,
): ReadonlyArray<Area> =>
  of
    // The cases and the tests of core are in the lists of many areas, and change with every feature.
    .map((area) => ({ area, at: timeOf([...filesOf(area.sources), ...filesOf(area.tests.filter((each) => !isOfMany(each)))]) }))
    .toSorted((one, other) => other.at - one.at)
    .map(({ area }) => area)

const isOfMany = (pattern: string): boolean => pattern.startsWith("test/cases/") || pattern === "test/core/*.test.ts"
