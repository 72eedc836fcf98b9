/** A path in a configuration: object keys and list positions from the outside in. */
export type Path = ReadonlyArray<string | number>

/** A line and a column of a file, both counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A fault that a rule found: its path, what is wrong, and how to mend it. */
export interface Finding {
  readonly path: Path
  readonly message: string
  readonly hint: string
  /** Set if the fault is not in the value: the key is unknown, or the value is absent. */
  readonly about?: "key" | "absence"
}

/** A finding with its place in the file. */
export interface Fault extends Place {
  /** Written as code would: `clients[2].redirect_uris[0]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** Makes a finding about a value. */
export const finding = (path: Path, message: string, hint: string): Finding => ({ path, message, hint })

/** Reports whether two paths lead to the same place. */
export const isSamePath = (left: Path, right: Path): boolean => left.length === right.length && left.every((part, at) => part === right[at])

/** Writes a path as code would. */
export const writePath = (path: Path): string =>
  path
    .map((part, at) => {
      if (typeof part === "number") return `[${part}]`
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`
      return at === 0 ? part : `.${part}`
    })
    .join("")

/** A finding with its place. */
export const located = ({ path, about, message, hint }: Finding, placeOf: (path: Path, key: boolean) => Place): Fault => ({
  path: writePath(path),
  ...placeOf(path, about === "key"),
  message,
  hint,
})

/** In the order in which a reader of the file meets them. */
export const inOrder = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  faults.toSorted((left, right) => left.line - right.line || left.column - right.column)
