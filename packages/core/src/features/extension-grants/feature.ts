import type { Feature } from "../feature.ts"
import { defineExtension, extensionTables } from "./index.ts"

/** Extension grants at the token endpoint, defined by the operator: RFC 6749 §4.5. */
export const feature: Feature = {
  name: "extension-grants",
  tables: extensionTables,
  defineExtension,
  // With the provider's own access tokens anybody who received one could get others.
  settingFaults: (_settings, { issuer, extensionGrants }) =>
    extensionGrants.flatMap(({ name, issuers }) =>
      issuers?.some((each) => each === issuer) === true ? `grants: ${name} trusts ${issuer}, the provider itself; remove it` : [],
    ),
}
