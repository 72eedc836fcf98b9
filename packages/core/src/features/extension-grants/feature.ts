import type { Feature } from "../feature.ts"
import { defineExtension, extensionTables } from "./index.ts"

/** Extension grants at the token endpoint, defined by the operator: RFC 6749 §4.5. */
export const feature: Feature = { name: "extension-grants", tables: extensionTables, defineExtension }
