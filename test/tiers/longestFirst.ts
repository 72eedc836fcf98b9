import { relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { longest } from "./list.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const rankOf = ({ moduleId }: TestSpecification): number => {
  const at = longest.indexOf(relative(root, moduleId).split(sep).join("/"))
  return at < 0 ? longest.length : at
}

/** Runs the files of each project in Vitest's own order, but for those that the list names as the longest: they come first. Vitest knows no durations on a fresh clone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...projects.values()].flatMap((specifications) => specifications.toSorted((one, other) => rankOf(one) - rankOf(other)))
  }
}
