import { resourceFaults } from "@postern/core"
import { finding } from "../fault.ts"
import { offlineAccess } from "@postern/core/model"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"

type DeclaredScope = NonNullable<ConfigFile["resources"]>[number]["scopes"][number]

/** The name of a resource's scope, however it is declared. */
export const scopeName = (scope: DeclaredScope): string => (typeof scope === "string" ? scope : scope.name)

/** Rules about scopes and the resources that own them. */
export const scopeRules: ReadonlyArray<ConfigRule> = [
  configRule("config.scope-names", "RFC 6749 §3.3", ({ config: { scopes = [], resources = [] } }) => [
    ...repeats(scopes, ({ name }) => name).map((at) =>
      finding(["scopes", at, "name"], "is also the name of an earlier entry", "give each scope its own name"),
    ),
    ...resources.flatMap((resource, of) =>
      repeats(resource.scopes, scopeName).map((at) =>
        finding(["resources", of, "scopes", at], "is declared twice by this resource", "keep one of them"),
      ),
    ),
  ]),
  configRule("config.scope-kinds", "OpenID Connect Core §5.4", ({ config: { scopes = [], resources = [] } }) => {
    const identity = new Set(["openid", "profile", "email", "address", "phone", "role", ...scopes.map(({ name }) => name)])
    return resources.flatMap((resource, of) =>
      resource.scopes.flatMap((scope, at) =>
        identity.has(scopeName(scope))
          ? [
              finding(
                ["resources", of, "scopes", at],
                `${scopeName(scope)} is an identity scope`,
                "a scope is either about a person or about a resource: rename one of them",
              ),
            ]
          : [],
      ),
    )
  }),
  configRule("config.scope-reserved", "OpenID Connect Core §11", ({ config: { scopes = [], resources = [] } }) => [
    ...scopes.flatMap(({ name, claims }, at) => {
      if (name === offlineAccess)
        return [finding(["scopes", at, "name"], "is built in", "remove it: every client with the refresh_token grant may ask for it")]
      return name === "openid" && !claims.includes("sub")
        ? [
            finding(
              ["scopes", at, "claims"],
              "lacks sub, which openid always releases",
              "add sub, or remove this declaration: openid is built in",
            ),
          ]
        : []
    }),
    ...resources.flatMap((resource, of) =>
      resource.scopes.flatMap((scope, at) =>
        scopeName(scope) === offlineAccess
          ? [finding(["resources", of, "scopes", at], "is built in", "remove it: no resource owns it")]
          : [],
      ),
    ),
  ]),
  configRule("config.resource-identifiers", "RFC 8707 §2", ({ config: { resources = [] } }) => [
    ...repeats(resources, ({ identifier }) => identifier).map((at) =>
      finding(
        ["resources", at, "identifier"],
        "is also the identifier of an earlier resource",
        "list all scopes of a resource in one place",
      ),
    ),
    ...resources.flatMap(({ identifier }, at) =>
      identifier.includes("#") ? [finding(["resources", at, "identifier"], "has a fragment", "remove the # and everything after it")] : [],
    ),
  ]),
  configRule("config.resource-metadata", "RFC 9728 §2, §3.1", ({ config: { resources = [] } }) =>
    resourceFaults(resources).flatMap(({ at, path, message, hint }) =>
      // Of an identifier with a fragment the rule before says enough.
      resources[at]?.identifier.includes("#") === true ? [] : [finding(["resources", at, ...path], message, hint)],
    ),
  ),
]
