/** A path in a configuration: object keys and list indexes, outermost first. */
export type Path = ReadonlyArray<string | number>

/** A line and a column of a file, both starting at 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A fault found by a rule: its path, its description, and its remedy. */
export interface Finding {
  readonly path: Path
  readonly message: string
  readonly hint: string
  /** Set if the fault is an unknown key or an absent value, rather than an invalid value. */
  readonly about?: "key" | "absence"
}

/** A finding with its position in the file. */
export interface Fault extends Place {
  /** In code notation, such as `clients[2].redirect_uris[0]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** Makes a finding about a value. */
export const finding = (path: Path, message: string, hint: string): Finding => ({ path, message, hint })

/** Reports whether two paths are equal. */
export const isSamePath = (left: Path, right: Path): boolean => left.length === right.length && left.every((part, at) => part === right[at])

/** Formats a path in code notation. */
export const writePath = (path: Path): string =>
  path
    .map((part, at) => {
      if (typeof part === "number") return `[${part}]`
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`
      return at === 0 ? part : `.${part}`
    })
    .join("")

/** Adds the position to a finding. */
export const located = ({ path, about, message, hint }: Finding, placeOf: (path: Path, key: boolean) => Place): Fault => ({
  path: writePath(path),
  ...placeOf(path, about === "key"),
  message,
  hint,
})

/** Sorts faults by their position in the file. */
export const inOrder = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  faults.toSorted((left, right) => left.line - right.line || left.column - right.column)
