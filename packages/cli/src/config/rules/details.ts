import { detailTypeFaults } from "@postern/core"
import { type JsonObject, isJsonObject } from "@postern/core/model"
import { finding } from "../fault.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"

/** The name of the setting. A feature declares it, so it is in no static type. */
const setting = "authorization_details_types"

/** Returns the types of authorization details of a configuration. The schema has already validated that they are an object. */
export const statedDetailTypes = (config: object): JsonObject => {
  const stated: unknown = Reflect.get(config, setting)
  return isJsonObject(stated) ? stated : {}
}

const resourcesOf = ({ resources = [] }: Pick<ConfigFile, "resources">): ReadonlyArray<string> =>
  resources.map(({ identifier }) => identifier)

/** Rules about the types of authorization details. */
export const detailRules: ReadonlyArray<ConfigRule> = [
  configRule("config.authorization-details-types", "RFC 9396 §2.1", ({ config, scopesComplete }) =>
    detailTypeFaults(statedDetailTypes(config), scopesComplete ? resourcesOf(config) : undefined).map(({ path, message, hint }) =>
      finding([setting, ...path], message, hint),
    ),
  ),
]
