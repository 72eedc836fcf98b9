import type { RowKind } from "@postern/core/model"
import { type Binding, binding as plainBinding, sqlite } from "@postern/stores/rows"
import { inSlots, locatorIn, slotOf } from "../database/slots.ts"

/** The dialect of one statement, and the values of a command in the order in which the statement asks for them. Slotted rows are sought by slot. */
export const binding = (kind: RowKind): Binding =>
  plainBinding(
    kind,
    sqlite,
    kind.slotted === true ? { of: (members) => slotOf(locatorIn(kind, members)), sought: (asked) => inSlots("t.slot", asked) } : undefined,
  )
