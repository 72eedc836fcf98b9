import type { Requirement } from "../requirement/requirement.ts"
import { authorize } from "./authorize.ts"
import { code } from "./code.ts"
import { discovery } from "./discovery.ts"
import { idToken } from "./idToken.ts"
import { publishedKeys } from "./keys.ts"

/** Every requirement, area by area. */
export const requirements: ReadonlyArray<Requirement> = [...discovery, ...publishedKeys, ...authorize, ...code, ...idToken]
