import type { Feature } from "../feature.ts"
import { protectedResource } from "./index.ts"
import { listedResources, resourceFaults } from "./metadata.ts"

/** Protected resources: their metadata, and the list of them in the provider's metadata (RFC 9728 §3, §4). */
export const feature: Feature = {
  name: "protected-resources",
  endpoints: () => [protectedResource],
  settingFaults: (_settings, { resources }) =>
    resourceFaults(resources).map(({ at, path, message, hint }) => `resources[${at}].${path.join(".")}: ${message}; ${hint}`),
  discovery: ({ settings }) => {
    const listed = listedResources(settings.catalog.resources)
    return listed.length === 0 ? {} : { protected_resources: listed }
  },
}
