import type { RowEvent, RowKind, Way } from "@postern/core/model"

/**
 * Calls `make` for each event of some kinds of row and returns a lookup of the results by event name. Throws for a duplicate name. The
 * lookup throws for an unknown one.
 */
export const eachEvent = <Made>(
  kinds: ReadonlyArray<RowKind>,
  make: (kind: RowKind, event: RowEvent, name: string) => Made,
): ((name: string) => Made) => {
  const made = new Map<string, Made>()
  for (const kind of kinds)
    for (const [name, event] of Object.entries(kind.events)) {
      if (made.has(name)) throw new Error(`two kinds of row have an event ${name}`)
      made.set(name, make(kind, event, name))
    }
  return (name) => made.get(name) ?? unknown(name)
}

const unknown = (name: string): never => {
  throw new Error(`no event is called ${name}`)
}

/** The only way of an event, if its assignments propagate along a descent. Otherwise undefined. */
export const goingOn = ({ descent }: RowKind, { ways: [way] }: RowEvent, where: "down" | "up"): Way | undefined => {
  const columns = descent?.[where] ?? []
  return typeof way?.change === "object" && way.change.some(([column]) => columns.includes(column)) ? way : undefined
}
