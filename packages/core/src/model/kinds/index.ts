import type { RowKind } from "../rowKind.ts"
import { accessTokens } from "./accessTokens.ts"
import { attempts } from "./attempts.ts"
import { codes } from "./codes.ts"
import { consents } from "./consents.ts"
import { devices } from "./devices.ts"
import { grants } from "./grants.ts"
import { interactions } from "./interactions.ts"
import { outbox } from "./outbox.ts"
import { refreshTokens } from "./refreshTokens.ts"
import { sessions } from "./sessions.ts"
import { uses } from "./uses.ts"

export * from "./accessTokens.ts"
export * from "./answers.ts"
export * from "./attempts.ts"
export * from "./codes.ts"
export * from "./consents.ts"
export * from "./devices.ts"
export * from "./grants.ts"
export * from "./interactions.ts"
export * from "./outbox.ts"
export * from "./refreshTokens.ts"
export * from "./sessions.ts"
export * from "./uses.ts"

/**
 * Every kind of row of a token store, in the order of sweeping: rows that are found by their grant are swept before it. A new kind needs a
 * description, a line here, and a migration of each database.
 */
export const rowKinds: ReadonlyArray<RowKind> = [
  accessTokens,
  refreshTokens,
  codes,
  interactions,
  devices,
  sessions,
  grants,
  consents,
  attempts,
  uses,
  outbox,
]
