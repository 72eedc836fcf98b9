import { clientCredentials } from "./clientCredentials.ts"
import { conditions } from "./conditions.ts"
import { people } from "./people.ts"
import type { Scenario } from "./scenario.ts"
import { tokens } from "./tokens.ts"

/** Every scenario of one server on SQLite over kept connections, in the order of the report. */
export const scenarios: ReadonlyArray<Scenario> = [...clientCredentials, ...people, ...tokens]

/** These, and those under other conditions. */
export const allScenarios: ReadonlyArray<Scenario> = [...scenarios, ...conditions]
