import { createRequire } from "node:module"
import type { ExtensionGrant } from "@postern/core"

/** The result of loading an operator's own module: its grants, or its fault. */
export type GrantModule =
  | { readonly grants: ReadonlyArray<ExtensionGrant>; readonly fault?: never }
  | { readonly grants?: never; readonly fault: string }

const load = createRequire(import.meta.url)

/** The first fault of each file: Node says of a module that failed only that it is not fully loaded, when it is asked for again. */
const faults = new Map<string, string>()

/** The members that `extensionGrant` gives a grant; the module is the operator's own code, and is trusted like the configuration. */
const isGrant = (value: unknown): value is ExtensionGrant =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "tables" in value &&
  Array.isArray(value.tables) &&
  "policyFault" in value &&
  "open" in value &&
  typeof value.open === "function"

/** Loads a module whose default export is an extension grant, or a list of them. It must not use `await` at its top level. */
export const grantModule = (file: string): GrantModule => {
  try {
    const loaded: unknown = load(file)
    const given: unknown = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : undefined
    const grants: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    return grants.length > 0 && grants.every(isGrant)
      ? { grants }
      : { fault: "its default export is no extension grant, nor a list of them" }
  } catch (error) {
    const fault = faults.get(file) ?? (error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error))
    faults.set(file, fault)
    return { fault: `cannot be loaded: ${fault}` }
  }
}
