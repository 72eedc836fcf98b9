import { rowPut } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { registrationPath } from "./answer.ts"
import { keepClient, registeredResolver } from "./clients.ts"
import { managing } from "./manage.ts"
import { type RegistrationOptions, settingsOf } from "./options.ts"
import { policyFaults } from "./policy.ts"
import { registering } from "./register.ts"
import { initialAccessTokens, registeredClients } from "./rows.ts"

export { canonical } from "./register.ts"
export { registrationFault } from "./judged.ts"
export { type Known, algorithmsUnder, allowedScope, effective, instead } from "./metadata.ts"
export { inLanguage, registeredNames } from "./registered.ts"
export { type Proposed, policyRules } from "./rules.ts"
export type { RegistrationOptions, StatementIssuer } from "./options.ts"
export {
  type PolicyFault,
  type RegistrationPolicy,
  lifetimesForm,
  policyFaults,
  policyForm,
  policyForms,
  redirectHostPattern,
  registrationPolicyFaults,
  registrationPolicyKinds,
} from "./policy.ts"
export {
  type InitialAccessTokenRow,
  type RegisteredClientRow,
  cleanClient,
  initialAccessTokens,
  registeredClients,
  revokeInitialAccessToken,
  saveInitialAccessToken,
  unregisterClient,
} from "./rows.ts"

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/**
 * Dynamic registration of clients (RFC 7591, OpenID Connect Dynamic Client Registration), and its management (RFC 7592). It is not one of
 * the default features. Pass it to `createProvider` in addition to them, and pass `rowKindsOf` to the store. Throws a `TypeError` for
 * invalid options.
 *
 * ```ts
 * createProvider({ ...options, features: [...defaultFeatures, registration({ open: true })] })
 * ```
 */
export const registration = (options: RegistrationOptions = {}): Feature => {
  const settings = settingsOf(options)
  return {
    name: "registration",
    endpoints: (provider) => [registering(provider, settings), managing(provider)],
    rows: [registeredClients, initialAccessTokens],
    settingFaults: (_settings, provider) => policyFaults("registration: policy", settings.policy, provider),
    clientResolvers: () => [registeredResolver(settings.lifetimes)],
    grantKeepings: [keepClient],
    audit: {
      RegisterClient: (command) => {
        const row = rowPut(registeredClients, command)
        return row === undefined ? undefined : ["client_registered", { clientId: row.clientId, detail: row.token }]
      },
      ChangeClient: (command) => ["client_changed", { clientId: rowPut(registeredClients, command)?.clientId }],
      UnregisterClient: ({ given }) => ["client_removed", { clientId: text(given["clientId"]) }],
      EvictClient: ({ given }) => ["client_evicted", { clientId: text(given["clientId"]) }],
      UseInitialAccessToken: ({ given }) => ["registration_token_used", { detail: text(given["locator"]) }],
    },
    discovery: ({ url }) => ({ registration_endpoint: url(registrationPath) }),
  }
}
