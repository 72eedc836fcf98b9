import { createRequire } from "node:module"
import type { PageDesign } from "@postern/adapter-http/pages"
import type { AnyFeature } from "@postern/core"

/** The result of loading an operator's own module: its features (an extension grant is one) and their page designs, or its fault. */
export type OwnModule =
  | { readonly features: ReadonlyArray<AnyFeature>; readonly pages: ReadonlyArray<PageDesign>; readonly fault?: never }
  | { readonly features?: never; readonly pages?: never; readonly fault: string }

const load = createRequire(import.meta.url)

/** The first fault of each file. If a failed module is loaded again, Node reports only that it isn't fully loaded. */
const faults = new Map<string, string>()

/** Checks the shape of an export, only to detect mistakes. A module is the operator's own code, and is as trusted as the configuration. */
const isFeature = (value: unknown): value is AnyFeature =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  ("open" in value ? typeof value.open === "function" && "policyFault" in value : Object.keys(value).length > 1)

const isDesign = (value: unknown): value is PageDesign =>
  typeof value === "object" && value !== null && "template" in value && "view" in value && typeof value.view === "function"

/**
 * Loads a module. Its default export is a feature, an extension grant, or a list of them; its export `pages` is a list of designs made with
 * `pageDesign`. It must not use `await` at its top level.
 */
export const ownModule = (file: string): OwnModule => {
  try {
    const loaded: unknown = load(file)
    const given: unknown = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : undefined
    const features: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    const pages: unknown = typeof loaded === "object" && loaded !== null && "pages" in loaded ? loaded.pages : []
    if (!Array.isArray(pages) || !pages.every(isDesign)) return { fault: "its export `pages` is not a list of designs" }
    return features.length > 0 && features.every(isFeature)
      ? { features, pages }
      : { fault: "its default export is not a feature, an extension grant or a list of them" }
  } catch (error) {
    const fault = faults.get(file) ?? (error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error))
    faults.set(file, fault)
    return { fault: `cannot be loaded: ${fault}` }
  }
}
