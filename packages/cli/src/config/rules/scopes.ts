import { resourceFaults } from "@postern/core"
import { type ScopeFault, scopeFaults } from "@postern/core/model"
import { finding } from "../fault.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"

type DeclaredScope = NonNullable<ConfigFile["resources"]>[number]["scopes"][number]

/** Returns the name of a resource's scope, in either form of declaration. */
export const scopeName = (scope: DeclaredScope): string => (typeof scope === "string" ? scope : scope.name)

/** Makes a rule from a check of declared scopes and resources that core also applies for other embedders. */
const declared = (id: string, cites: string, of: ScopeFault["of"]): ConfigRule =>
  configRule(id, cites, ({ config: { scopes, resources = [] } }) =>
    scopeFaults({
      scopes,
      resources: resources.map(({ identifier, scopes: owned }) => ({
        identifier,
        scopes: owned.map((each) => ({ name: scopeName(each) })),
      })),
    })
      .filter((fault) => fault.of === of)
      .map(({ path, message, hint }) => finding(path, message, hint)),
  )

/** Rules about scopes and resources. */
export const scopeRules: ReadonlyArray<ConfigRule> = [
  declared("config.scope-names", "RFC 6749 §3.3", "names"),
  declared("config.scope-kinds", "OpenID Connect Core §5.4", "kinds"),
  declared("config.scope-reserved", "OpenID Connect Core §11", "reserved"),
  declared("config.resource-identifiers", "RFC 8707 §2", "identifiers"),
  configRule("config.resource-metadata", "RFC 9728 §2, §3.1", ({ config: { resources = [] } }) =>
    resourceFaults(resources).flatMap(({ at, path, message, hint }) =>
      // An identifier with a fragment is already reported by the rule above.
      resources[at]?.identifier.includes("#") === true ? [] : [finding(["resources", at, ...path], message, hint)],
    ),
  ),
]
