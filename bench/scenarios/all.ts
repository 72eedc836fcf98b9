import { clientCredentials } from "./clientCredentials.ts"
import { people } from "./people.ts"
import type { Scenario } from "./scenario.ts"
import { tokens } from "./tokens.ts"

/** Every scenario of one server on SQLite, in the order of the report. */
export const scenarios: ReadonlyArray<Scenario> = [...clientCredentials, ...people, ...tokens]
