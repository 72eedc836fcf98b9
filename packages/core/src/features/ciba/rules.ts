import {
  type Client,
  type DetailsAsked,
  type Grant,
  type Instant,
  type JsonObject,
  type Person,
  type Profile,
  type Seconds,
  type Settings,
  isPublic,
  refuse,
  refuseForNow,
} from "../../model/index.ts"
import { soundDetails } from "../../rules/details/index.ts"
import { reachable, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { scopeAllowed, scopeForm } from "../../rules/scope.ts"
import type { Params } from "../../wire/index.ts"
import { cibaGrantType, deliveryMode, requestSigningAlg } from "./metadata.ts"
import { type CibaSettings, longestLife, promptWindow } from "./options.ts"
import type { AuthenticationRequest } from "./rows.ts"

interface ClientSeen {
  readonly client: Client
  readonly profile: Profile
  readonly params: Params
  /** True if all tokens of the client must be sender-constrained. */
  readonly mustBeBound: boolean
}

/** Judges whether a client may use CIBA, and in this way. */
export const clientRules = table<ClientSeen>("backchannel-authentication/client")
  .rule("ciba.grant-allowed", "CIBA Core §4, RFC 6749 §5.2", ({ client }) =>
    client.grantTypes.includes(cibaGrantType)
      ? pass
      : refuse("unauthorized_client", "The client may not use CIBA.", "not among the client's grant_types"),
  )
  .rule("ciba.confidential", "CIBA Core §7.1", ({ client }) =>
    isPublic(client) ? refuse("unauthorized_client", "A client must authenticate to use CIBA.", "a public client") : pass,
  )
  .establish("ciba.delivery", "CIBA Core §4", ({ client }) => {
    const delivery = deliveryMode.of(client)
    return delivery === undefined
      ? refuse("unauthorized_client", "The client may not use CIBA.", "the client has no backchannel_token_delivery_mode")
      : prove({ delivery })
  })
  .rule("ciba.push-unbound", "CIBA Core §5, RFC 9449 §5.2, RFC 8705 §3.4", ({ delivery, mustBeBound }) =>
    delivery === "push" && mustBeBound
      ? refuse(
          "unauthorized_client",
          "The client may not have its tokens pushed.",
          "its tokens must be bound, and nobody proves a key for tokens that are pushed",
        )
      : pass,
  )
  .rule("ciba.signed", "CIBA Core §4, §7.1.1, FAPI-CIBA §5.2.2", ({ client, profile, params }) =>
    params.one("request") !== undefined ||
    (requestSigningAlg.of(client) === undefined && profile.parameters.backchannelRequests === "by-client")
      ? pass
      : refuse(
          "invalid_request",
          "The request must be a signed request object.",
          "a plain request, and the client has backchannel_authentication_request_signing_alg, or a profile that says so",
        ),
  )

interface RequestSeen extends Omit<ClientSeen, "params" | "mustBeBound"> {
  readonly settings: Settings
  readonly delivery: "poll" | "ping" | "push"
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  readonly details: DetailsAsked
  readonly loginHint: string | undefined
  readonly loginHintToken: string | undefined
  readonly idTokenHint: string | undefined
  readonly bindingMessage: string | undefined
  readonly notificationToken: string | undefined
  readonly requestedExpiry: string | undefined
}

/** The longest binding message, which people compare by eye on small screens (CIBA Core §7.1). */
const longestMessage = 100

/** Judges the parameters of an authentication request (CIBA Core §7.1, §7.2). */
export const requestRules = table<RequestSeen>("backchannel-authentication")
  .present("ciba.scope-present", "CIBA Core §7.1", "scope", () => refuse("invalid_request", "The scope is missing."))
  .include(scopeForm("ciba"))
  .rule("ciba.scope-openid", "CIBA Core §7.1", ({ scope }) =>
    scope.includes("openid") ? pass : refuse("invalid_scope", "The scope must contain openid."),
  )
  .include(scopeAllowed("ciba"))
  .through(soundDetails("ciba"))
  .include(resourceForm("ciba"))
  .include(resourceAmong("ciba", "RFC 8707 §2.1", ({ settings, scope = [] }: RequestSeen) => reachable(settings.catalog, scope)))
  .rule("ciba.notification-token", "CIBA Core §7.1", ({ delivery, notificationToken }) => {
    if (delivery === "poll") return pass
    if (notificationToken === undefined)
      return refuse("invalid_request", "The client_notification_token is missing.", `the client learns of results by ${delivery}`)
    return /^[A-Za-z0-9\-._~+/]{1,1024}=*$/.test(notificationToken) && notificationToken.length <= 1024
      ? pass
      : refuse("invalid_request", "The client_notification_token is not a bearer token.", "longer than 1024 characters, or no b64token")
  })
  .rule("ciba.hint-one", "CIBA Core §7.1", ({ loginHint, loginHintToken, idTokenHint }) => {
    const given = [loginHint, loginHintToken, idTokenHint].filter((hint) => hint !== undefined).length
    return given === 1
      ? pass
      : refuse("invalid_request", "Send one of login_hint, id_token_hint and login_hint_token.", `sent ${given} of them`)
  })
  .rule("ciba.binding-message", "CIBA Core §7.1, §13", ({ bindingMessage }) =>
    bindingMessage === undefined ||
    (bindingMessage.length <= longestMessage && /^[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$/u.test(bindingMessage))
      ? pass
      : refuse(
          "invalid_binding_message",
          `The binding_message must be a line of at most ${longestMessage} characters.`,
          "too long, empty, of spaces alone, or with characters that cannot be shown",
        ),
  )
  .rule("ciba.binding-message-required", "FAPI-CIBA §5.2.2", ({ bindingMessage, profile }) =>
    bindingMessage !== undefined || profile.parameters.backchannelRequests === "by-client"
      ? pass
      : refuse("invalid_binding_message", "A binding_message is required.", `the client is held to the profile ${profile.name}`),
  )
  .establish("ciba.requested-expiry", "CIBA Core §7.1", ({ requestedExpiry }) => {
    if (requestedExpiry === undefined) return prove({ life: undefined as Seconds | undefined })
    return /^[1-9][0-9]{0,9}$/.test(requestedExpiry)
      ? prove({ life: Math.min(Number(requestedExpiry), longestLife) as Seconds | undefined })
      : refuse("invalid_request", "The requested_expiry must be a positive whole number.")
  })

interface HintSeen {
  readonly client: Client
  readonly idTokenHint: string | undefined
  /** The claims of the hint, if it is an ID token of this provider. */
  readonly hinted: JsonObject | undefined
  /** The grant from which the ID token was issued. */
  readonly grant: Grant | undefined
}

/** Judges an `id_token_hint` (CIBA Core §7.1). */
export const hintRules = table<HintSeen>("backchannel-authentication/hint").rule(
  "ciba.id-token-hint",
  "CIBA Core §7.1",
  ({ idTokenHint, hinted, client }) =>
    idTokenHint === undefined || hinted?.["aud"] === client.clientId
      ? pass
      : refuse("invalid_request", "The id_token_hint is not an ID token of this provider for this client."),
)

interface PersonSeen {
  readonly now: Instant
  readonly person: Person | undefined
  readonly subjectIsClient: boolean
  /** The recent requests to this person, newest first. */
  readonly lately: ReadonlyArray<AuthenticationRequest>
  readonly limits: Pick<CibaSettings, "mostWaiting" | "mostPrompts">
}

/** The requests that wait for an answer. */
export const waitingAmong = (requests: ReadonlyArray<AuthenticationRequest>, now: Instant): ReadonlyArray<AuthenticationRequest> =>
  requests.filter(({ state, expiresAt }) => state === "pending" && now < expiresAt)

/** The requests within the period over which prompts are counted. */
const counted = (requests: ReadonlyArray<AuthenticationRequest>, now: Instant): ReadonlyArray<AuthenticationRequest> =>
  requests.filter(({ createdAt }) => createdAt > now - promptWindow)

/** Judges whether the person whom a hint identifies may be asked now. */
export const personRules = table<PersonSeen>("backchannel-authentication/person")
  .establish("ciba.person-known", "CIBA Core §13", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : refuse(
          "unknown_user_id",
          "The hint names nobody.",
          person === undefined ? "nobody of this hint is known" : "the person is disabled",
        ),
  )
  .rule("ciba.apart-from-clients", "RFC 9700 §4.15", ({ subjectIsClient }) =>
    subjectIsClient ? refuse("unknown_user_id", "The hint names nobody.", "the person's subject is also a client_id") : pass,
  )
  .rule("ciba.person-waiting", "CIBA Core §14", ({ lately, now, limits: { mostWaiting } }) => {
    const waiting = waitingAmong(lately, now)
    const wait = Math.max(1, Math.min(...waiting.map(({ expiresAt }) => expiresAt)) - now)
    return waiting.length < mostWaiting
      ? pass
      : refuseForNow("temporarily_unavailable", "Too many requests wait for this person.", `${waiting.length} wait for an answer`, wait)
  })
  .rule("ciba.person-rate", "CIBA Core §14", ({ lately, now, limits: { mostPrompts } }) => {
    const prompts = counted(lately, now)
    const wait = Math.max(1, Math.min(...prompts.map(({ createdAt }) => createdAt)) + promptWindow - now)
    return prompts.length < mostPrompts
      ? pass
      : refuseForNow(
          "temporarily_unavailable",
          "This person was asked too often.",
          `${prompts.length} times within ${promptWindow} s`,
          wait,
        )
  })
