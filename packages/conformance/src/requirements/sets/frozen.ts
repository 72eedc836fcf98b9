/** A set of requirements by id. It does not change after the first release. A different selection gets a set with another name. */
export interface FrozenSet {
  readonly name: string
  readonly title: string
  readonly ids: ReadonlyArray<string>
}

/** Creates a set from the ids of other sets, and from ids separated by spaces. */
export const frozen = (name: string, title: string, ids: string, ...others: ReadonlyArray<FrozenSet>): FrozenSet => ({
  name,
  title,
  ids: [...others.flatMap((other) => other.ids), ...ids.trim().split(/\s+/)],
})
