import { clientFieldsOf, closest } from "@postern/core"
import type { Field } from "@postern/core/model"
import { finding } from "../fault.ts"
import { featuresOf } from "../features.ts"
import { type ConfigRule, configRule } from "../rule.ts"

/** Members that each client gets of its own: a value for all of them would be replaced, or shared by strangers. */
const ownOfEachClient: ReadonlySet<string> = new Set(["client_id", "client_secret"])

/** The names that were most likely meant, in words; all that there is to say where none is close. */
const meant = (name: string, fields: ReadonlyMap<string, Field>): string => {
  const near = closest(name, [...fields.keys()])
  return near.length === 0 ? "remove it; docs/clients.md lists the metadata of clients" : `did you mean ${near.join(" or ")}?`
}

/** Rules about the clients that register themselves. */
export const registrationRules: ReadonlyArray<ConfigRule> = [
  configRule("config.registration-metadata", "RFC 7591 §3.2.1", ({ config: { grants, registration }, around }) => {
    const added = Object.entries(registration?.policy?.metadata ?? {})
    if (added.length === 0) return []
    const features = featuresOf({ grants }, around.absolute)
    const fields = new Map(clientFieldsOf({ features }).map((each) => [each.name, each]))
    return added.flatMap(([name, value]) => {
      const path = ["registration", "policy", "metadata", name]
      const field = fields.get(name)
      if (ownOfEachClient.has(name)) return [finding(path, "is each client's own", "remove it: the provider makes it at registration")]
      if (field === undefined)
        return [
          { ...finding(path, "is no metadata of clients here: every registration would be refused", meant(name, fields)), about: "key" },
        ]
      return field.values.fits(value)
        ? []
        : [finding(path, "is no value that it may have: every registration would be refused", field.description)]
    })
  }),
]
