import type { Refusal, Trouble } from "../../model/index.ts"
import { isPublic, refuse } from "../../model/index.ts"
import { type PageRefusal, invalidPage, refusePage } from "../../rules/page.ts"
import { detailTargets, soundDetails } from "../../rules/details/index.ts"
import { shownNames } from "../../rules/form.ts"
import { isSurelyKept, keptLength, longestKept, longestRequest } from "../../rules/length.ts"
import { challengeMethods, isPkceString } from "../../rules/pkce.ts"
import { reachable, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { callbackOf } from "../../rules/callback.ts"
import { algorithmRefused, otherAlgorithms, profileOf, refusedByProfile, valueRefused } from "../../rules/profile.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { scopeAllowed } from "../../rules/scope.ts"
import { sectorVerified } from "../../rules/sector.ts"
import type { ClientRequest, ClientSeen, Loaded } from "./evidence.ts"
import { answeringMode, isOwnMode, takesAlgorithm, takesMode } from "./modes.ts"
import { type AuthorizeRequest, askedMode, carriesToken, gives, keptParams, modeOf, responseTypes } from "./parse.ts"

const once = (name: string, trouble: Trouble) => (s: AuthorizeRequest) =>
  s.params.repeated.includes(name) ? invalidPage(trouble, `The ${name} is sent more than once.`) : pass

/**
 * Judges which client makes the request. Until these rules pass, nothing is sent to any URI or decrypted, and the answer is a page
 * (RFC 6749 §4.1.2.1).
 */
export const clientRules = table<ClientSeen, PageRefusal>("authorize/client")
  .rule("authorize.form", "OpenID Connect Core §3.1.2.1", (s) =>
    s.isForm
      ? pass
      : invalidPage("request_invalid", "The body must be application/x-www-form-urlencoded.", "a POST with another Content-Type, or none"),
  )
  .rule("authorize.length", "RFC 9110 §4.1", (s) =>
    s.length <= longestRequest
      ? pass
      : invalidPage("request_invalid", "The request is too long.", `longer than ${longestRequest} characters`),
  )
  .rule("authorize.kept-length", "RFC 9110 §4.1, §17.5", (s) =>
    isSurelyKept(s.length) || keptLength(keptParams(s)) <= longestKept
      ? pass
      : invalidPage(
          "request_invalid",
          "The request is too long.",
          `what is to be kept of it, or sent back, is longer than ${longestKept} characters`,
        ),
  )
  .rule("authorize.client-once", "RFC 6749 §3.1", once("client_id", "client_unknown"))
  .rule("authorize.client-present", "RFC 6749 §4.1.1", (s) =>
    s.clientId === undefined ? invalidPage("client_unknown", "The client_id is missing.") : pass,
  )
  .present("authorize.client-known", "RFC 6749 §4.1.2.1", "client", () =>
    refusePage("client_unknown", 400, "invalid_client", "The client is unknown.", "no client has this client_id"),
  )
  .rule("authorize.client-enabled", "RFC 6749 §4.1.2.1", (s) =>
    s.client.disabled ? refusePage("client_unknown", 400, "invalid_client", "The client is unknown.", "the client is disabled") : pass,
  )

/** Judges where the response goes. Until these rules pass too, the answer is a page. */
export const trustRules = table<ClientRequest & Pick<Loaded, "settings">, PageRefusal>("authorize/trust")
  .rule("authorize.redirect-uri-once", "RFC 6749 §3.1", once("redirect_uri", "redirect_uri_invalid"))
  .present("authorize.redirect-uri-present", "specification §2.1 redirect_uri", "redirectUri", () =>
    invalidPage("redirect_uri_invalid", "The redirect_uri is missing."),
  )
  .establish("authorize.redirect-uri-registered", "RFC 9700 §2.1, RFC 8252 §7.3", (s) => {
    const mode = answeringMode(s, s.client, s.settings)
    const callback = callbackOf(s.client, s.redirectUri, { mode, state: s.state, settings: s.settings })
    return callback === undefined
      ? invalidPage(
          "redirect_uri_invalid",
          "The redirect_uri is not registered for this client.",
          "equal to none of the client's redirect_uris",
        )
      : prove({ callback })
  })

/** A request that may be answered to its client, and the values read for it. */
export type RequestSeen = ClientRequest & Pick<Loaded, "settings" | "details" | "hint" | "sectorFault" | "mustBeBound">

const needsPkce = ({ client, settings }: RequestSeen): boolean =>
  isPublic(client) || client.requirePkce || profileOf(client, settings).parameters.pkce === "all"

const mayUsePlain = ({ client, settings }: RequestSeen): boolean =>
  client.allowPlainPkce && profileOf(client, settings).parameters.plainPkce !== "none"

/** Judges the request itself. A refusal goes to the client (RFC 6749 §4.1.2.1). */
export const requestRules = table<RequestSeen>("authorize/request")
  .rule("authorize.parameters-once", "RFC 6749 §3.1", (s) => {
    const twice = s.params.repeated.filter((name) => !s.parameters.repeated.has(name))
    return twice.length === 0
      ? pass
      : refuse("invalid_request", "A parameter is sent more than once.", `sent more than once: ${shownNames(twice)}`)
  })
  .rule("authorize.registration-unsupported", "OpenID Connect Core §7.2.1", (s) =>
    s.params.one("registration") === undefined
      ? pass
      : refuse("registration_not_supported", "The registration parameter is not supported."),
  )
  .present("authorize.response-type-present", "RFC 6749 §4.1.2.1", "responseType", () =>
    refuse("invalid_request", "The response_type is missing."),
  )
  .rule("authorize.response-type-known", "RFC 6749 §3.1.1", (s) =>
    responseTypes.includes(s.responseType) ? pass : refuse("unsupported_response_type", "The response_type is not supported."),
  )
  .rule("authorize.response-type-allowed", "RFC 6749 §4.1.2.1", (s) =>
    s.client.responseTypes.includes(s.responseType)
      ? pass
      : refuse("unauthorized_client", "The client may not use this response_type.", "not among the client's response_types"),
  )
  .rule("authorize.response-type-profile", "draft-ietf-oauth-v2-1 §10", (s) =>
    valueRefused(s, "refusedResponseTypes", "response_type", s.responseType),
  )
  .rule("authorize.token-bound", "RFC 9449 §5.2, RFC 8705 §3.4", (s) =>
    s.mustBeBound && gives(s, "token")
      ? refuse("unauthorized_client", "The client may not use this response_type.", "its tokens must be bound, and nothing is proved here")
      : pass,
  )
  .rule("authorize.response-mode-known", "OAuth 2.0 Multiple Response Types §2.1", (s) =>
    s.responseMode === undefined || s.settings.responseModes.has(s.responseMode)
      ? pass
      : refuse("invalid_request", "The response_mode is not supported."),
  )
  .rule("authorize.response-mode-allowed", "FAPI 2.0 Message Signing §5.4", (s) => {
    const mode = modeOf(s, s.client, s.settings)
    return isOwnMode(s, mode, s.client, s.settings)
      ? pass
      : refuse("invalid_request", "The client may not use this response_mode.", `${mode.name} is not among the client's response_modes`)
  })
  .rule(
    "authorize.response-mode-profile",
    "FAPI 2.0 Security Profile §5.3.2.2 (1), Message Signing §5.4, FAPI 1.0 Part 2 §5.2.2 (2)",
    (s) => {
      const profile = profileOf(s.client, s.settings)
      return takesMode(s, modeOf(s, s.client, s.settings), profile) ? pass : refusedByProfile(profile, "response_mode")
    },
  )
  .rule("authorize.response-algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1), FAPI 1.0 Part 2 §8.6", (s) =>
    takesAlgorithm(modeOf(s, s.client, s.settings), s.client, s.settings)
      ? pass
      : refuse(
          "unauthorized_client",
          "The client may not have its response signed by this algorithm.",
          `${otherAlgorithms(profileOf(s.client, s.settings))} as authorization_signed_response_alg`,
        ),
  )
  .rule("authorize.id-token-algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1), FAPI 1.0 Part 2 §8.6", (s) =>
    gives(s, "id_token") ? algorithmRefused(profileOf(s.client, s.settings), [s.client.idTokenSignedResponseAlg]) : pass,
  )
  .rule("authorize.response-mode-query", "OAuth 2.0 Multiple Response Types §3, §5, JARM §2.3.1", (s) =>
    askedMode(s, s.client, s.settings)?.carriesTokens === false && carriesToken(s)
      ? refuse(
          "invalid_request",
          `The response_mode ${s.responseMode} cannot carry a token.`,
          "tokens in a query end up in logs and histories",
        )
      : pass,
  )
  .rule("authorize.scope-present", "specification §2.1 scope", (s) =>
    s.scope.length === 0 && !s.details.sent ? refuse("invalid_request", "The scope is missing.") : pass,
  )
  .include(scopeAllowed("authorize"))
  .through(soundDetails("authorize"))
  .include(resourceForm("authorize"))
  .include(
    resourceAmong("authorize", "RFC 8707 §2", (s) => [
      ...reachable(s.settings.catalog, s.scope),
      ...detailTargets(s.details.details, s.settings.details),
    ]),
  )
  .rule("authorize.scope-openid", "OpenID Connect Core §3.2.2.1", (s) =>
    gives(s, "id_token") && !s.scope.includes("openid") ? refuse("invalid_scope", "An ID token needs the scope openid.") : pass,
  )
  .rule("authorize.scope-identity-only", "specification §2.1 response_type", (s) =>
    s.responseType === "id_token" && s.scope.some((name) => s.settings.catalog.resource.has(name))
      ? refuse(
          "invalid_scope",
          "The response_type id_token allows identity scopes only.",
          "a resource scope, and no access token to carry it",
        )
      : pass,
  )
  .rule("authorize.scope-resource-only", "specification §2.1 response_type", (s) =>
    s.responseType !== "token" ||
    (!s.scope.some((name) => s.settings.catalog.identity.has(name)) && s.scope.some((name) => s.settings.catalog.resource.has(name)))
      ? pass
      : refuse(
          "invalid_scope",
          "The response_type token allows resource scopes only.",
          "an identity scope, or no resource scope, with the response_type token",
        ),
  )
  .rule("authorize.nonce-required", "OpenID Connect Core §3.2.2.1, §3.3.2.11", (s) =>
    gives(s, "id_token") && s.nonce === undefined
      ? refuse("invalid_request", "The nonce is missing.", "an ID token comes through the browser")
      : pass,
  )
  .rule("authorize.challenge-required", "RFC 9700 §2.1.1", (s) =>
    gives(s, "code") && s.codeChallenge === undefined && needsPkce(s)
      ? refuse(
          "invalid_request",
          "The code_challenge is missing.",
          isPublic(s.client) ? "a public client must use PKCE" : "the client, or its profile, is set to require PKCE",
        )
      : pass,
  )
  .rule("authorize.challenge-method-alone", "RFC 7636 §4.3", (s) =>
    s.codeChallengeMethod !== undefined && s.codeChallenge === undefined
      ? refuse("invalid_request", "A code_challenge_method needs a code_challenge.")
      : pass,
  )
  .rule("authorize.challenge-method-known", "RFC 7636 §4.4.1", (s) =>
    s.codeChallengeMethod === undefined || challengeMethods.some((method) => method === s.codeChallengeMethod)
      ? pass
      : refuse("invalid_request", "The code_challenge_method is not supported."),
  )
  .rule("authorize.challenge-plain-allowed", "RFC 7636 §4.4.1", (s) =>
    s.codeChallenge === undefined || s.codeChallengeMethod === "S256" || mayUsePlain(s)
      ? pass
      : refuse(
          "invalid_request",
          "The code_challenge_method must be S256.",
          "plain, or no method, which means plain; the client is not allowed it",
        ),
  )
  .rule("authorize.challenge-form", "RFC 7636 §4.2", (s) =>
    s.codeChallenge === undefined || isPkceString(s.codeChallenge)
      ? pass
      : refuse("invalid_request", "The code_challenge must be 43 to 128 unreserved characters."),
  )
  .rule("authorize.prompt-known", "OpenID Connect Core §3.1.2.1, Initiating User Registration §4.1", (s) =>
    s.prompt.every((word) => prompts.includes(word))
      ? pass
      : refuse("invalid_request", "The prompt is not supported.", "an unknown prompt value"),
  )
  .rule("authorize.prompt-none-alone", "OpenID Connect Core §3.1.2.1", (s) =>
    s.prompt.includes("none") && s.prompt.length > 1 ? refuse("invalid_request", "The prompt none cannot be joined with others.") : pass,
  )
  .rule("authorize.max-age-form", "OpenID Connect Core §3.1.2.1", (s) =>
    s.maxAge === undefined || /^\d{1,10}$/.test(s.maxAge)
      ? pass
      : refuse("invalid_request", "The max_age must be a whole number of seconds."),
  )
  .rule("authorize.claims-form", "OpenID Connect Core §5.5", (s) =>
    s.claims === undefined || s.claimsRequest !== undefined
      ? pass
      : refuse(
          "invalid_request",
          "The claims parameter cannot be read.",
          "not the JSON object that OpenID Connect Core §5.5 describes, or one that asks for more than 200 claims",
        ),
  )
  .include(sectorVerified("authorize"))
  .rule("authorize.id-token-hint", "OpenID Connect Core §3.1.2.1", (s) =>
    s.idTokenHint === undefined || s.hint !== undefined
      ? pass
      : refuse("invalid_request", "The id_token_hint is not an ID token of this provider for this client."),
  )

/**
 * The supported prompt values (OpenID Connect Core §3.1.2.1). Others, such as `create`, are refused (Initiating User Registration §4.1).
 */
export const prompts: ReadonlyArray<string> = ["none", "login", "consent", "select_account"]

/** Judges whether the person, or the page that asked them, has rejected the request. */
export const turnDownRules = table<{ readonly turnedDown: Refusal | undefined }>("authorize/turned-down").rule(
  "authorize.turned-down",
  "RFC 6749 §4.1.2.1",
  ({ turnedDown }) => turnedDown ?? pass,
)
