import type { Feature } from "../feature.ts"
import { logout } from "./index.ts"

/** The sign-out page. */
export const feature: Feature = { name: "logout", endpoints: () => [logout] }
