import { algorithmAccepted, ownAlgorithms } from "../../rules/registrationAlgorithm.ts"
import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { profileOf } from "../../rules/registeredProfile.ts"
import { documentFaultOf, keyLack } from "../../rules/registrationPublished.ts"
import { pass, table } from "../../rules/rule.ts"
import { cibaGrantType, deliveryMode, notificationEndpoint, requestSigningAlg } from "./metadata.ts"

/**
 * Rules for clients that use CIBA. `backchannel_user_code_parameter` applies only if the provider supports user codes (§4); otherwise it is
 * stored without effect.
 */
export const cibaRegistration = table<Registration, Fault>("registration/ciba")
  .rule("registration.ciba-delivery-mode", "CIBA Core §4", (s) => {
    const uses = s.client.grant_types?.includes(cibaGrantType) === true
    const mode = deliveryMode.of(s)
    if (uses === (mode !== undefined)) return pass
    return uses
      ? fault([deliveryMode.name], "is missing", `say poll, ping or push: the client has the grant type ${cibaGrantType}`)
      : fault([deliveryMode.name], `means nothing without the grant type ${cibaGrantType}`, "add the grant type, or leave it out")
  })
  .rule("registration.ciba-notification-endpoint", "CIBA Core §4", (s) => {
    const mode = deliveryMode.of(s)
    const endpoint = notificationEndpoint.of(s)
    if (mode === "ping" || mode === "push")
      return endpoint === undefined
        ? fault([notificationEndpoint.name], `is missing: results go there by ${mode}`, "give its https URL, or use poll")
        : documentFaultOf(notificationEndpoint.name, endpoint, s.provider)
    return endpoint === undefined ? pass : fault([notificationEndpoint.name], "means nothing without ping or push", "leave it out")
  })
  .rule("registration.ciba-confidential", "CIBA Core §7.1", (s) =>
    deliveryMode.of(s) !== undefined && s.client.token_endpoint_auth_method === "none"
      ? fault(["token_endpoint_auth_method"], "is none: a client that asks by CIBA must authenticate", "choose another method")
      : pass,
  )
  .rule("registration.ciba-request-keys", "CIBA Core §7.1.1, FAPI-CIBA §5.2.2", (s) => {
    const alg = requestSigningAlg.of(s)
    const profile = profileOf(s.client, s.provider)
    const { name, parameters } = profile
    const isDemanded = parameters.backchannelRequests !== "by-client" && deliveryMode.of(s) !== undefined
    const lack = alg !== undefined || isDemanded ? keyLack(s.client, ownAlgorithms(alg, profile)) : undefined
    if (lack === undefined) return pass
    const [reason, hint] = lack
    return alg === undefined
      ? fault(["profile"], `${name} demands signed backchannel requests, and ${reason}`, hint)
      : fault([requestSigningAlg.name], `is ${alg}, and ${reason}`, hint)
  })
  .rule("registration.ciba-push-bound", "CIBA Core §5, FAPI-CIBA §5.2.2", (s) => {
    if (deliveryMode.of(s) !== "push") return pass
    const { name, parameters } = profileOf(s.client, s.provider)
    const isBound =
      parameters.senderConstraint !== "by-client" || s.provider.confirmations?.some(({ isRequired }) => isRequired(s)) === true
    return isBound
      ? fault(
          [deliveryMode.name],
          `is push, and the client's tokens must be bound (profile ${name})`,
          "use ping or poll: nobody proves a key for tokens that are pushed",
        )
      : pass
  })
  .include(algorithmAccepted(requestSigningAlg.name))
