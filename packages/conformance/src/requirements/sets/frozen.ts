/** A set of requirements by their ids. From the first release on it stays as it is: another choice is another set, with another name. */
export interface FrozenSet {
  readonly name: string
  readonly title: string
  readonly ids: ReadonlyArray<string>
}

/** Makes a set of the ids of other sets, and of ids that stand apart by spaces. */
export const frozen = (name: string, title: string, ids: string, ...others: ReadonlyArray<FrozenSet>): FrozenSet => ({
  name,
  title,
  ids: [...others.flatMap((other) => other.ids), ...ids.trim().split(/\s+/)],
})
