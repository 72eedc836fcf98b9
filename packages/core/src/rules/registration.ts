import { type ClientMetadata, membersOf, scopeWords } from "../model/index.ts"
import { demandRules } from "./registrationDemands.ts"
import { type Fault, type Registration, type RegistrationSeen, type RegistrationTable, apart, fault } from "./registrationFault.ts"
import { profileRules } from "./registrationProfile.ts"
import { objections, pass, table } from "./rule.ts"

/** Rules about the metadata that every client has. */
const registrationRules = table<Registration, Fault>("registration").rule(
  "registration.scope",
  "RFC 6749 §3.3",
  ({ client, provider: seen }) => {
    const unknown = scopeWords(client.scope ?? "").filter((name) => !seen.catalog.names.includes(name))
    return unknown.length === 0
      ? pass
      : fault(
          ["scope"],
          `${unknown.join(" ")}: no such scope`,
          `declare it under scopes or resources, or use: ${seen.catalog.names.join(" ")}`,
        )
  },
)

/** The registration rules that belong to no feature. */
export const registrationTables: ReadonlyArray<RegistrationTable> = [registrationRules, profileRules, demandRules]

/** Returns every fault of a client's metadata, by these rules and by those of the provider's features; empty if it may be registered. */
export const registrationFaults = (client: ClientMetadata, provider: RegistrationSeen): ReadonlyArray<Fault> => {
  const judged = { client, provider, members: membersOf(client) }
  return [...registrationTables, ...(provider.registration ?? [])]
    .flatMap((each) => objections(each, judged, judged, provider.rulesOff))
    .flatMap(apart)
}
