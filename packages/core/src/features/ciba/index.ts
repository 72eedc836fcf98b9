import { peerAlgorithms, rowPut } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { answered, approval } from "./approval.ts"
import { answerRules, deliverExpiry, deliverNotification, deliverResult, expiryRules } from "./delivery.ts"
import { cibaGrant } from "./grant.ts"
import { expiryMessage, notifyMessage, pingMessage, pushMessage } from "./messages.ts"
import { deliveryMode, deliveryModes, notificationEndpoint, requestSigningAlg, userCodeParameter } from "./metadata.ts"
import { type CibaOptions, settingsOf, hintIssuerFaults } from "./options.ts"
import { ownApproval, ownTables } from "./ownPage.ts"
import { approvalPage } from "./page.ts"
import { cibaRegistration } from "./registration.ts"
import { backchannelAuthentication, cibaPath } from "./request.ts"
import { authenticationRequests } from "./rows.ts"

export type { Answered, Approval } from "./approval.ts"
export { answered as cibaAnsweredPage, approval as cibaApprovalPage } from "./approval.ts"
export { type AuthenticationRequest, authenticationRequests } from "./rows.ts"
export type { CibaOptions, HintIssuer, WaitingAuthentication } from "./options.ts"

/**
 * Client-initiated backchannel authentication: OpenID Connect CIBA Core, with poll, ping and push, and FAPI-CIBA through the FAPI profiles.
 * It is not one of the default features. Pass it to `createProvider` in addition to them, pass `rowKindsOf` to the store, and pass the
 * designs of its pages to the pages. Throws a `TypeError` for invalid options.
 *
 * ```ts
 * createProvider({ ...options, features: [...defaultFeatures, ciba({ notify: ({ subject, address }) => push(subject, address) })] })
 * ```
 */
export const ciba = (options: CibaOptions = {}): Feature => {
  const settings = settingsOf(options)
  return {
    name: "ciba",
    endpoints: () => [backchannelAuthentication(settings), approvalPage],
    grants: [cibaGrant],
    rows: [authenticationRequests],
    pages: [approval, answered],
    ownVisits: [ownApproval],
    tables: [answerRules, expiryRules, ...ownTables],
    clientMetadata: [deliveryMode, notificationEndpoint, requestSigningAlg, userCodeParameter],
    registration: cibaRegistration,
    settingFaults: (_settings, provider) => hintIssuerFaults(settings, provider),
    deliveries: {
      [notifyMessage]: deliverNotification(settings),
      [pingMessage]: deliverResult,
      [pushMessage]: deliverResult,
      [expiryMessage]: deliverExpiry,
    },
    audit: {
      RequestAuthentication: (command) => {
        const { clientId, subject, scope } = rowPut(authenticationRequests, command) ?? {}
        return ["authentication_requested", { clientId, subject, scope }]
      },
      ApproveAuthentication: (command) => {
        const { clientId, subject, grantId } = rowPut(authenticationRequests, command) ?? {}
        return ["authentication_approved", { clientId, subject, grantId }]
      },
      PushAuthentication: (command) => {
        const { clientId, subject } = rowPut(authenticationRequests, command) ?? {}
        return ["authentication_approved", { clientId, subject }]
      },
      DenyAuthentication: (command) => {
        const { clientId, subject } = rowPut(authenticationRequests, command) ?? {}
        return ["authentication_denied", { clientId, subject }]
      },
      FailAuthentication: (command) => {
        const { clientId, subject } = rowPut(authenticationRequests, command) ?? {}
        return ["authentication_failed", { clientId, subject }]
      },
    },
    discovery: ({ url }) => ({
      backchannel_authentication_endpoint: url(cibaPath),
      backchannel_token_delivery_modes_supported: deliveryModes,
      backchannel_authentication_request_signing_alg_values_supported: peerAlgorithms,
      backchannel_user_code_parameter_supported: settings.checkUserCode !== undefined,
    }),
  }
}
