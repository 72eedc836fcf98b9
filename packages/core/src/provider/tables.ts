import { grants } from "./grants.ts"
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
import { authorizeRate } from "../features/authorize/index.ts"
import { needRules } from "../features/authorize/needs.ts"
import { parameterRules, requestObjectRules } from "../features/authorize/request-object/rules.ts"
import { clientRules, requestRules, trustRules } from "../features/authorize/rules.ts"
import { registrationRules } from "../rules/registration.ts"
import { consentTables } from "../features/consent/index.ts"
import { deviceAuthorizationTables } from "../features/device/authorization.ts"
import { devicePageTables } from "../features/device/rules.ts"
import { deviceQrTables } from "../features/device/qr.ts"
import { endSession } from "../features/end-session/index.ts"
import { endSessionOfMine, home, withdrawConsent } from "../features/home/index.ts"
import { introspection } from "../features/introspection/index.ts"
import { loginTables } from "../features/login/index.ts"
import { logout } from "../features/logout/index.ts"
import { revocation } from "../features/revocation/index.ts"
import { extensionTables } from "../features/token/extension.ts"
import { token } from "../features/token/index.ts"
import { callbackTables } from "../features/upstream/callback.ts"
import { choiceTables } from "../features/upstream/index.ts"
import { userinfo } from "../features/userinfo/index.ts"

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
  ...new Map(listed(extensions).map((each) => [each.name, each])).values(),
]

const listed = (extensions: ReadonlyArray<ExtensionGrant>): ReadonlyArray<TableEntry> => [
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
  ...[home, endSessionOfMine, withdrawConsent, logout, endSession].flatMap(({ tables = [] }) => tables.map(entry)),
  entry(clientPresentation),
  entry(clientAuthentication),
  entry(clientSecret),
  entry(clientAssertion),
  entry(clientAssertionProof),
  ...(token(grants, extensions).tables ?? []).map(entry),
  ...extensionTables.map(entry),
  ...deviceAuthorizationTables.map(entry),
  ...devicePageTables.map(entry),
  ...deviceQrTables.map(entry),
  ...(userinfo.tables ?? []).map(entry),
  ...(revocation.tables ?? []).map(entry),
  ...(introspection.tables ?? []).map(entry),
  entry(registrationRules),
]
