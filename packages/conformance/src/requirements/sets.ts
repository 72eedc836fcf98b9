import type { Requirement } from "../requirement/requirement.ts"
import { requirements } from "./all.ts"

/** A named set of requirements. Its areas, and where they are not whole, the ids, stand here and change with a new name only. */
interface RequirementSet {
  readonly name: string
  readonly title: string
  readonly has: (requirement: Requirement) => boolean
}

const areas = (...names: ReadonlyArray<string>) => {
  const wanted = new Set(names)
  return ({ id }: Requirement): boolean => wanted.has(id.split(".")[0] ?? "")
}

/** The sets that `--requirements` names. */
export const sets: ReadonlyArray<RequirementSet> = [
  { name: "all", title: "Every requirement", has: () => true },
  { name: "oauth2.1", title: "OAuth 2.1: the code flow with PKCE, refresh tokens, client credentials", has: areas("code") },
]

/** The requirements of a set; undefined where there is no set of this name. */
export const requirementsOf = (name: string): ReadonlyArray<Requirement> | undefined => {
  const set = sets.find((each) => each.name === name)
  return set === undefined ? undefined : requirements.filter(set.has)
}
