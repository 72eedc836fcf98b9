import { type Equivalent, entriesOf } from "../equivalent.ts"
import { audit } from "./audit.ts"
import { clients } from "./clients.ts"
import { delivery } from "./delivery.ts"
import { issuance } from "./issuance.ts"
import { jose } from "./jose.ts"
import { memory } from "./memory.ts"
import { people } from "./people.ts"
import { rows } from "./rows.ts"
import { settle } from "./settle.ts"
import { wire } from "./wire.ts"

/** Every mutant that was looked at and found to change nothing. */
export const equivalents: ReadonlyArray<Equivalent> = [
  wire,
  jose,
  issuance,
  memory,
  settle,
  delivery,
  rows,
  clients,
  people,
  audit,
].flatMap(entriesOf)
