import { flagMember, optionalMember, peerAlgorithms, values } from "../../model/index.ts"

/** The grant type of CIBA (CIBA Core §10.1). */
export const cibaGrantType = "urn:openid:params:grant-type:ciba"

/** True if the client sends user codes (CIBA Core §4), in providers that can check them. */
export const userCodeParameter = flagMember(
  "backchannel_user_code_parameter",
  "The client sends the user_code of its people in CIBA requests, and none without is taken, where the provider knows such codes. Default: false.",
)

/** The ways in which a client can learn of results (CIBA Core §5). */
export const deliveryModes = ["poll", "ping", "push"] as const

/** The way in which the client learns of a result (CIBA Core §4). */
export const deliveryMode = optionalMember(
  "backchannel_token_delivery_mode",
  values.oneOf(deliveryModes),
  "Delivery of the results of CIBA requests: poll, ping or push. Required with the CIBA grant type.",
)

/** The endpoint at which the client is notified of results (CIBA Core §4). */
export const notificationEndpoint = optionalMember(
  "backchannel_client_notification_endpoint",
  values.url,
  "The https URL at which the client takes the results of CIBA requests. Required with ping and push.",
)

/** The algorithm with which the client signs its requests (CIBA Core §4). */
export const requestSigningAlg = optionalMember(
  "backchannel_authentication_request_signing_alg",
  values.oneOf(peerAlgorithms),
  "The algorithm that signs the client's CIBA requests. With it, a request that is not signed is refused. Default: not signed.",
)
