import type { JsonObject, UpstreamIdentity } from "@postern/core/model"
import { type IdentityProvidersPort, OutwardRefused, type UpstreamOutcome } from "@postern/core/ports"
import { memberFaults, refuseFaults } from "@postern/core/options"
import * as client from "openid-client"
import { type Breaker, breaker } from "../outbound/breaker.ts"
import { type ClaimMapping, type VouchingClaim, mapped, missing, vouchingClaims } from "./claims.ts"
import { logoutKeysOf } from "./logoutKeys.ts"
import {
  configuredFaults,
  type Discovered,
  type PrivateJwk,
  type UpstreamAuthentication,
  type UpstreamProvider,
  providersOf,
} from "./provider.ts"

export type { ClaimMapping, PrivateJwk, UpstreamAuthentication, UpstreamProvider, VouchingClaim }
export { vouchingClaims }

const declined = (reason: string, denied = false): UpstreamOutcome => ({ _tag: "Declined", denied, reason })

/** Sanitizes an error code for the operator's log, so that untrusted text is not shown. */
const word = (code: string): string => (/^[A-Za-z0-9_.-]{1,60}$/.test(code) ? code : "(not shown)")

/** Reports a temporary error: a timeout of the library, or a 5xx or 429 answer. */
const isPassing = (fault: client.ClientError): boolean => {
  if (fault.code === "OAUTH_TIMEOUT" || fault.code === "OAUTH_ABORT") return true
  return fault.cause instanceof Response && (fault.cause.status >= 500 || fault.cause.status === 429)
}

/** Reports an error in the cached keys or metadata of a provider. Invalid browser input must not trigger new discovery. */
const isStale = (fault: unknown): boolean =>
  fault instanceof client.ClientError &&
  [
    "OAUTH_KEY_SELECTION_FAILED",
    "OAUTH_MISSING_SERVER_METADATA",
    "OAUTH_INVALID_SERVER_METADATA",
    "OAUTH_RESPONSE_IS_NOT_CONFORM",
  ].includes(fault.code ?? "")

/** Returns the outcome of a failed sign-in; undefined if the provider could not be reached. */
const outcomeOf = (fault: unknown): UpstreamOutcome | undefined => {
  if (fault instanceof client.AuthorizationResponseError)
    return declined(`it answered ${word(fault.error)}`, fault.error === "access_denied")
  if (fault instanceof client.ResponseBodyError)
    return fault.status >= 500 ? undefined : declined(`its token endpoint answered ${word(fault.error)}`, fault.error === "invalid_grant")
  if (fault instanceof client.WWWAuthenticateChallengeError) return declined(`it answered with status ${fault.status}`)
  if (fault instanceof client.ClientError)
    return isPassing(fault) ? undefined : declined(`${fault.message}${fault.code === undefined ? "" : ` (${fault.code})`}`)
  return undefined
}

/** Finds the breaker's refusal in the chain of causes. */
const refusalIn = (fault: unknown): OutwardRefused | undefined => {
  let each = fault
  for (let depth = 0; each instanceof Error && depth < 5; depth++) {
    if (each instanceof OutwardRefused) return each
    each = each.cause
  }
  return undefined
}

/** Settings of calls to other providers. */
export interface UpstreamOptions {
  /** The total milliseconds for a sign-in's requests to a provider. Default: 10,000. */
  readonly timeout?: number
  /** The circuit breaker for hosts that fail repeatedly. Default: a new one. */
  readonly breaker?: Breaker
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string" && each.length <= longestWord) : []

/** Limits on values that are copied into our own tokens, because the other provider is not trusted. */
const longestWord = 200
const mostMethods = 20

/** Maps the requested authentication contexts to the provider's, best first. */
const theirContexts = ({ acrValues }: UpstreamProvider, asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  acrValues === undefined ? asked : asked.flatMap((ours) => (Object.hasOwn(acrValues, ours) ? [acrValues[ours] ?? ""] : []))

/** Maps a context that a provider reports to ours; undefined if there is no mapping. */
const ourContext = ({ acrValues }: UpstreamProvider, acr: unknown): string | undefined => {
  if (typeof acr !== "string" || acr.length > longestWord) return undefined
  return acrValues === undefined ? acr : Object.keys(acrValues).find((ours) => acrValues[ours] === acr)
}

/**
 * Returns the identity behind the tokens. Claims missing from the ID token are requested from userinfo, whose `sub` must be the same
 * (OpenID Connect Core §5.3.2). The password grant may return no ID token; then only userinfo identifies the user, and it is fetched from
 * the provider that received the password.
 */
const identityOf = async ({ configuration, provider, claims }: Discovered, tokens: Tokens): Promise<UpstreamIdentity> => {
  const told = tokens.claims()
  if (told === undefined) {
    const info = await client.fetchUserInfo(configuration, tokens.access_token, client.skipSubjectCheck)
    const { issuer } = configuration.serverMetadata()
    return {
      provider: provider.name,
      issuer,
      subject: info.sub,
      claims: mapped(claims, info as JsonObject),
      authTime: undefined,
      amr: [],
      acr: undefined,
    }
  }
  const { iss: issuer, sub: subject, auth_time: authTime, acr, amr, sid } = told
  // The claims were parsed from JSON.
  const own = told as JsonObject
  const more =
    configuration.serverMetadata().userinfo_endpoint !== undefined && missing(claims, own)
      ? ((await client.fetchUserInfo(configuration, tokens.access_token, subject)) as JsonObject)
      : {}
  return {
    provider: provider.name,
    issuer,
    subject,
    claims: mapped(claims, { ...more, ...own }),
    // A NumericDate may have a fraction (RFC 7519 §2).
    authTime: authTime === undefined ? undefined : Math.floor(authTime),
    amr: texts(amr).slice(0, mostMethods),
    acr: ourContext(provider, acr),
    sid: typeof sid === "string" && sid !== "" && sid.length <= longestWord ? sid : undefined,
  }
}

/**
 * Signs users in at other OpenID Providers with openid-client: the code flow with PKCE, with discovery and keys fetched on demand. An
 * answer is accepted if its state, its issuer (RFC 9207, required where announced), and the ID token's signature, issuer, audience, times
 * and nonce are valid (OpenID Connect Core §3.1.3.7).
 */
export const upstreamProviders = (configured: ReadonlyArray<UpstreamProvider>, options: UpstreamOptions = {}): IdentityProvidersPort => {
  refuseFaults("upstreamProviders", configuredFaults(configured), memberFaults(options, { timeout: "number?", breaker: "object?" }))
  const { timeout = 10_000, breaker: broken = breaker() } = options
  const providers = providersOf(configured, broken)
  const keysOf = logoutKeysOf(providers.find)
  /**
   * Authorization responses whose codes are being redeemed. A response that arrives twice concurrently, such as from a page loaded twice,
   * is redeemed once. Otherwise the provider would treat the second as a replay, might revoke the first one's tokens (RFC 6749 §4.1.2), and
   * the user would see an error.
   */
  const finishing = new Map<string, Promise<UpstreamOutcome>>()

  /** Calls a provider with a timeout for the total, because several answers in a row may each take their own limit. */
  const asking = async <A>(ask: () => Promise<A>): Promise<A> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not answered within ${timeout} ms`)), timeout)
    })
    try {
      return await Promise.race([ask(), late])
    } catch (fault) {
      throw refusalIn(fault) ?? fault
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Signs in with the tokens that `exchange` returns. A provider whose metadata does not work is forgotten, and an unreachable one causes a
   * throw.
   */
  const outcome = async (name: string, exchange: (found: Discovered) => Promise<Tokens>): Promise<UpstreamOutcome> => {
    try {
      return await asking(async () => {
        const found = await providers.find(name)
        return { _tag: "Identified", identity: await identityOf(found, await exchange(found)) }
      })
    } catch (fault) {
      const said = outcomeOf(fault)
      if (said === undefined || isStale(fault)) providers.forget(name)
      if (said === undefined) throw fault
      return said
    }
  }

  return {
    begin: async ({ provider, redirectUri, state, nonce, codeVerifier, loginHint, uiLocales, prompt, maxAge, acrValues }) => {
      const { configuration, scope, provider: known } = await asking(() => providers.find(provider))
      const contexts = theirContexts(known, acrValues)
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(uiLocales === undefined ? {} : { ui_locales: uiLocales }),
        ...(prompt.length === 0 ? {} : { prompt: prompt.join(" ") }),
        ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
        ...(contexts.length === 0 ? {} : { acr_values: contexts.join(" ") }),
      }).href
    },
    finish: (given) => {
      const key = JSON.stringify(given)
      const joined = finishing.get(key)
      if (joined !== undefined) return joined
      const { provider, redirectUri, params, state, nonce, codeVerifier } = given
      const finished = outcome(provider, ({ configuration }) => {
        const answer = new URL(redirectUri)
        for (const [name, value] of params) answer.searchParams.append(name, value)
        return client.authorizationCodeGrant(configuration, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
      }).finally(() => finishing.delete(key))
      finishing.set(key, finished)
      return finished
    },
    password: async ({ provider: name, username, password }) => {
      if (configured.find((each) => each.name === name)?.passwordGrant !== true) return declined("password_grant is not set for it")
      return outcome(name, ({ configuration, scope }) =>
        client.genericGrantRequest(configuration, "password", { username, password: password.reveal(), scope }),
      )
    },
    logoutKeys: (asked) => asking(() => keysOf(asked)),
  }
}
