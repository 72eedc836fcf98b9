import type { RowKind } from "@postern/core/model"
import { type Binding, binding as plainBinding, sqlite } from "@postern/stores/rows"
import { inSlots, locatorIn, slotOf } from "../database/slots.ts"

/**
 * Returns the SQL dialect for one statement and the function that lists a command's values in the order of its parameters. Slotted rows are
 * searched by slot.
 */
export const binding = (kind: RowKind): Binding =>
  plainBinding(
    kind,
    sqlite,
    kind.slotted === true ? { of: (members) => slotOf(locatorIn(kind, members)), sought: (asked) => inSlots("t.slot", asked) } : undefined,
  )
