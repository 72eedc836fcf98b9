import { createRequire } from "node:module"
import type { AnyFeature } from "@postern/core"

/** The result of loading an operator's own module: its features, an extension grant being one by itself, or its fault. */
export type OwnModule =
  | { readonly features: ReadonlyArray<AnyFeature>; readonly fault?: never }
  | { readonly features?: never; readonly fault: string }

const load = createRequire(import.meta.url)

/** The first fault of each file: Node says of a module that failed only that it is not fully loaded, when it is asked for again. */
const faults = new Map<string, string>()

/** A module is the operator's own code, and is trusted like the configuration: a name tells a feature, or an extension grant, from what was exported by mistake. */
const isFeature = (value: unknown): value is AnyFeature =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  ("open" in value ? typeof value.open === "function" && "policyFault" in value : Object.keys(value).length > 1)

/** Loads a module whose default export is a feature or an extension grant, or a list of them. It must not use `await` at its top level. */
export const ownModule = (file: string): OwnModule => {
  try {
    const loaded: unknown = load(file)
    const given: unknown = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : undefined
    const features: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    return features.length > 0 && features.every(isFeature)
      ? { features }
      : { fault: "its default export is no feature or extension grant, nor a list of them" }
  } catch (error) {
    const fault = faults.get(file) ?? (error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error))
    faults.set(file, fault)
    return { fault: `cannot be loaded: ${fault}` }
  }
}
