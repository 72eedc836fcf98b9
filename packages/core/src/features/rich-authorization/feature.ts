import type { Feature } from "../feature.ts"
import { detailsParameter } from "../../rules/details/index.ts"
import { clientTypes, detailTypes, protectionRequired } from "./metadata.ts"
import { rulesOf } from "./rules.ts"
import { detailTypesOf, typeFaults } from "./types.ts"

/** Authorization details: rich authorization requests, RFC 9396. */
export const feature: Feature = {
  name: "rich-authorization",
  authorizationParameters: [{ name: detailsParameter }],
  clientMetadata: [clientTypes, protectionRequired],
  providerSettings: [detailTypes, protectionRequired],
  settingFaults: (settings, { resources }) =>
    typeFaults(
      detailTypes.of(settings),
      resources.map(({ identifier }) => identifier),
    ).map(({ path, message, hint }) => `settings.${[detailTypes.name, ...path].join(".")}: ${message}; ${hint}`),
  details: (settings) => {
    const types = detailTypesOf(detailTypes.of(settings))
    const everywhere = protectionRequired.of(settings)
    return rulesOf({ types, allowedTo: clientTypes.of, isProtected: (client) => everywhere || protectionRequired.of(client) })
  },
  registration: "rich-authorization",
  discovery: ({ settings }) => {
    const types = [...(settings.details?.types.keys() ?? [])]
    return types.length === 0 ? {} : { authorization_details_types_supported: types }
  },
}
