import type { JsonObject, UpstreamIdentity } from "@postern/core/model"
import { type IdentityProvidersPort, OutwardRefused, type UpstreamOutcome } from "@postern/core/ports"
import * as client from "openid-client"
import { type Breaker, breaker } from "../outbound/breaker.ts"
import { type ClaimMapping, type VouchingClaim, mapped, missing, vouchingClaims } from "./claims.ts"
import { logoutKeysOf } from "./logoutKeys.ts"
import { type Discovered, type PrivateJwk, type UpstreamAuthentication, type UpstreamProvider, providersOf } from "./provider.ts"

export type { ClaimMapping, PrivateJwk, UpstreamAuthentication, UpstreamProvider, VouchingClaim }
export { vouchingClaims }

const declined = (reason: string, denied = false): UpstreamOutcome => ({ _tag: "Declined", denied, reason })

/** An error code as an operator may read it: nothing that a stranger put beside it. */
const word = (code: string): string => (/^[A-Za-z0-9_.-]{1,60}$/.test(code) ? code : "(not shown)")

/** Faults of the wire, after which the same may work: the library's own codes, and answers that a server gives when it is unwell. */
const isPassing = (fault: client.ClientError): boolean => {
  if (fault.code === "OAUTH_TIMEOUT" || fault.code === "OAUTH_ABORT") return true
  return fault.cause instanceof Response && (fault.cause.status >= 500 || fault.cause.status === 429)
}

/** Faults of what we know of a provider: its keys or its metadata. A browser that brings nonsense must not make us ask for them again. */
const isStale = (fault: unknown): boolean =>
  fault instanceof client.ClientError &&
  [
    "OAUTH_KEY_SELECTION_FAILED",
    "OAUTH_MISSING_SERVER_METADATA",
    "OAUTH_INVALID_SERVER_METADATA",
    "OAUTH_RESPONSE_IS_NOT_CONFORM",
  ].includes(fault.code ?? "")

/** The verdict on a sign-in that failed; undefined if the provider could not be reached. */
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

/** The refusal to ask a host that does not answer, wherever it stands in the chain of causes. */
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
  /** Milliseconds for all that one sign-in asks of a provider; 10,000 when not given. */
  readonly timeout?: number
  /** Leaves hosts alone that failed time after time; one of its own when not given. */
  readonly breaker?: Breaker
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string" && each.length <= longestWord) : []

/** Bounds on values that go into our own tokens: the other provider is a stranger. */
const longestWord = 200
const mostMethods = 20

/** The contexts of a provider that stand for those that are asked of us, best first. */
const theirContexts = ({ acrValues }: UpstreamProvider, asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  acrValues === undefined ? asked : asked.flatMap((ours) => (Object.hasOwn(acrValues, ours) ? [acrValues[ours] ?? ""] : []))

/** Our context for one that a provider reports; undefined where it stands for none. */
const ourContext = ({ acrValues }: UpstreamProvider, acr: unknown): string | undefined => {
  if (typeof acr !== "string" || acr.length > longestWord) return undefined
  return acrValues === undefined ? acr : Object.keys(acrValues).find((ours) => acrValues[ours] === acr)
}

/**
 * The person that the tokens are about. Claims that the ID token leaves out are asked of userinfo, whose `sub` must be the same (OpenID Connect Core §5.3.2).
 * A password may come to no ID token: then userinfo alone tells, over the very connection that the password went.
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
  // Claims came out of JSON.
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
    // NumericDate may have a fraction (RFC 7519 §2).
    authTime: authTime === undefined ? undefined : Math.floor(authTime),
    amr: texts(amr).slice(0, mostMethods),
    acr: ourContext(provider, acr),
    sid: typeof sid === "string" && sid !== "" && sid.length <= longestWord ? sid : undefined,
  }
}

/**
 * Speaks with other OpenID Providers by openid-client: the code flow with PKCE, discovery and keys fetched when they are needed. An answer
 * is believed when its state, its issuer (RFC 9207, required where announced), the ID token's signature, issuer, audience, times and
 * nonce are right (OpenID Connect Core §3.1.3.7).
 */
export const upstreamProviders = (
  configured: ReadonlyArray<UpstreamProvider>,
  { timeout = 10_000, breaker: broken = breaker() }: UpstreamOptions = {},
): IdentityProvidersPort => {
  const providers = providersOf(configured, broken)
  const keysOf = logoutKeysOf(providers.find)
  /**
   * Answers whose codes are being redeemed. One that comes twice at once, as by a page that is loaded twice, is redeemed once: the provider would take the other for a
   * replay, which may end what the first was given (RFC 6749 §4.1.2), and the person would be told of a failure.
   */
  const finishing = new Map<string, Promise<UpstreamOutcome>>()

  /** Asks a provider, and does not wait for it beyond the bound: several answers in a row may each take theirs. */
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

  /** Signs in by what `exchange` is given; what does not work is forgotten, and what could not be reached is thrown. */
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
