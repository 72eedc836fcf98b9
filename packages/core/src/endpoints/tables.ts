import type { ExtensionGrant } from "../extension/index.ts"
import { clientAssertion, clientAssertionProof } from "../rules/clientAssertion.ts"
import { clientAuthentication, clientPresentation, clientSecret } from "../rules/clientAuthentication.ts"
import { browserRules, sentOnRules } from "../rules/browser.ts"
import { ownFormRules } from "../rules/ownForm.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { providerRules, sourceRules } from "../rules/provider.ts"
import { sessionRules } from "../rules/session.ts"
import { sessionTenantRules, tenantRules } from "../rules/tenant.ts"
import { interactionRules } from "../rules/interaction.ts"
import { authorizeRate } from "./authorize/index.ts"
import { needRules } from "./authorize/needs.ts"
import { parameterRules, requestObjectRules } from "./authorize/request-object/rules.ts"
import { clientRules, requestRules, trustRules } from "./authorize/rules.ts"
import { registrationRules } from "../rules/registration.ts"
import { consentTables } from "./consent/index.ts"
import { deviceAuthorizationTables } from "./device/authorization.ts"
import { devicePageTables } from "./device/rules.ts"
import { deviceQrTables } from "./device/qr.ts"
import { endSessionTables } from "./end-session/index.ts"
import { homeTables } from "./home/index.ts"
import { introspectionTables } from "./introspection/index.ts"
import { loginTables } from "./login/index.ts"
import { logoutTables } from "./logout/index.ts"
import { revocationTables } from "./revocation/index.ts"
import { extensionTables } from "./token/extension.ts"
import { grants, tokenAddressRate, tokenClientRate, tokenForm, tokenGrant } from "./token/index.ts"
import { callbackTables } from "./upstream/callback.ts"
import { choiceTables } from "./upstream/index.ts"
import { userinfoTables } from "./userinfo/index.ts"

/** A rule as the reference lists it. */
export interface RuleEntry {
  readonly id: string
  readonly cites: string
}

/** A table as the reference lists it. */
export interface TableEntry {
  readonly name: string
  readonly rules: ReadonlyArray<RuleEntry>
}

const entry = ({ name, rules }: TableEntry): TableEntry => ({ name, rules: rules.map(({ id, cites }) => ({ id, cites })) })

/** Every table of a provider with these extension grants, each endpoint's in the order in which a request meets them. */
export const tablesWith = (extensions: ReadonlyArray<ExtensionGrant>): ReadonlyArray<TableEntry> => [
  entry(parameterLimits),
  entry(authorizeRate),
  entry(clientRules),
  entry(parameterRules),
  entry(requestObjectRules),
  entry(trustRules),
  entry(requestRules),
  entry(needRules),
  entry(interactionRules),
  entry(ownFormRules),
  entry(browserRules),
  entry(sentOnRules),
  entry(sessionRules),
  entry(providerRules),
  entry(sourceRules),
  entry(tenantRules),
  entry(sessionTenantRules),
  ...loginTables.map(entry),
  ...choiceTables.map(entry),
  ...callbackTables.map(entry),
  ...consentTables.map(entry),
  ...homeTables.map(entry),
  ...logoutTables.map(entry),
  ...endSessionTables.map(entry),
  entry(clientPresentation),
  entry(clientAuthentication),
  entry(clientSecret),
  entry(clientAssertion),
  entry(clientAssertionProof),
  entry(tokenAddressRate),
  entry(tokenForm),
  entry(tokenClientRate),
  entry(tokenGrant),
  ...grants.flatMap(({ tables }) => tables.map(entry)),
  ...extensions.flatMap(({ tables }) => tables.map(entry)),
  ...extensionTables.map(entry),
  ...deviceAuthorizationTables.map(entry),
  ...devicePageTables.map(entry),
  ...deviceQrTables.map(entry),
  ...userinfoTables.map(entry),
  ...revocationTables.map(entry),
  ...introspectionTables.map(entry),
  entry(registrationRules),
]
