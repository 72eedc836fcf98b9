import { type Equivalent, entriesOf } from "../equivalent.ts"
import { delivery } from "./delivery.ts"
import { issuance } from "./issuance.ts"
import { jose } from "./jose.ts"
import { memory } from "./memory.ts"
import { settle } from "./settle.ts"
import { wire } from "./wire.ts"

/** Every mutant that was looked at and found to change nothing. */
export const equivalents: ReadonlyArray<Equivalent> = [wire, jose, issuance, memory, settle, delivery].flatMap(entriesOf)
