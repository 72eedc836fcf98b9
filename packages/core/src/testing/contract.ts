/**
 * One case of a contract: a rule in its name, and a run that throws when the rule is broken. Run it under any framework:
 * `for (const { name, run } of tokenStoreContract) test(name, () => run(open))`.
 */
export interface ContractCase<Subject> {
  /** The title of the case, for the test runner. */
  readonly name: string
  /** `open` makes an empty subject each time it is called. */
  readonly run: (open: () => Subject | PromiseLike<Subject>) => Promise<void>
}

/** Makes a case from a check of one empty subject. */
export const contractCase = <Subject>(name: string, check: (subject: Subject) => void | Promise<void>): ContractCase<Subject> => ({
  name,
  run: async (open) => check(await open()),
})

/** Throws unless both values are the same JSON. An absent member and an undefined one are treated as the same. */
export const expectSame = (actual: unknown, expected: unknown, what: string): void => {
  const [is, should] = [written(actual), written(expected)]
  if (is !== should) throw new Error(`${what}: expected ${should}, got ${is}`)
}

const written = (value: unknown): string => JSON.stringify(value, sorted) ?? "undefined"

const sorted = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value
