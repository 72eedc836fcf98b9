import type { Feature } from "../feature.ts"
import { defineExtension, extensionTables } from "./index.ts"

/** Extension grants at the token endpoint, which an operator names: RFC 6749 §4.5. */
export const feature: Feature = { name: "extension-grants", tables: extensionTables, defineExtension }
