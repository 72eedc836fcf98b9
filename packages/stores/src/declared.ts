/** The result of applying a configuration file, by client_id or username. */
export interface Declared {
  /** Identifiers that are new. */
  readonly added: ReadonlyArray<string>
  /** Identifiers that changed. */
  readonly changed: ReadonlyArray<string>
  /** Identifiers that are no longer declared. */
  readonly removed: ReadonlyArray<string>
  /** Identifiers that did not change. */
  readonly unchanged: ReadonlyArray<string>
}

/** The result of one declaration. */
export type Outcome = "added" | "changed" | "unchanged"

/** Groups the names of declarations by their outcome. */
export const declaredAs = (
  outcomes: ReadonlyArray<readonly [name: string, outcome: Outcome]>,
  removed: ReadonlyArray<string>,
): Declared => {
  const names: Readonly<Record<Outcome, Array<string>>> = { added: [], changed: [], unchanged: [] }
  for (const [name, outcome] of outcomes) names[outcome].push(name)
  return { ...names, removed }
}

/** Maps with a few concurrent tasks, so that a long file does not fill the queue of slow hashes. */
export const mapFew = async <A, B>(all: ReadonlyArray<A>, task: (each: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const few = 8
  const done: Array<B> = []
  for (let at = 0; at < all.length; at += few) done.push(...(await Promise.all(all.slice(at, at + few).map(task))))
  return done
}
