import { ownForm } from "../../settle/ownForm.ts"
import type { Feature } from "../feature.ts"
import { login, loginTables } from "./index.ts"

/** The sign-in page. */
export const feature: Feature = { name: "login", endpoints: () => [ownForm(login)], tables: loginTables }
