import {
  type Client,
  type Decision,
  type PendingUpstream,
  type Secret,
  type Seconds,
  type WaitingRequest,
  saveInteraction,
} from "../model/index.ts"
import { readHandle, scopeWords } from "../model/index.ts"
import { steps, together } from "../ports/steps.ts"
import type { AcrAsked } from "../rules/acr.ts"
import { loginHintOf } from "../rules/showable.ts"
import { type Inquiry, digestOf, freshHandle, sealSecret } from "./request.ts"
import { type SignInSeen, waitingParams } from "./signIn.ts"

/** The path prefix of the callbacks of other providers. */
export const callbackPaths = "/login/callback"

/** Returns the callback path of a provider. Each has its own, so that one cannot impersonate another (RFC 9700 §4.4.2). */
export const callbackPath = (provider: string): string => `${callbackPaths}/${provider}`

/** The path prefix to which other providers send logout tokens. */
export const logoutPaths = "/login/upstream-logout"

/** Returns the path to which a provider sends its logout tokens. */
export const logoutPath = (provider: string): string => `${logoutPaths}/${provider}`

/** Derives a value that only this browser together with the `state` can reproduce; no row contains either. */
export const derived = (purpose: "nonce" | "verifier", browser: Secret, stateSecret: string, { ports }: Pick<Inquiry, "ports">) =>
  digestOf(ports, `postern upstream ${purpose} ${browser.reveal()} ${stateSecret}`)

/** Returns the provider at which a sign-in for a waiting request has already failed. */
export const failedBefore = ({ failedProvider }: WaitingRequest): string | undefined => failedProvider

/** Records in the waiting request that a sign-in at another provider has failed. */
export const afterFailure = (interaction: WaitingRequest, provider: string): WaitingRequest => ({
  ...interaction,
  failedProvider: provider,
})

interface Forwarded {
  readonly prompt: ReadonlyArray<string>
  /** The maximum age in seconds; 0 requires a new sign-in. */
  readonly maxAge: Seconds | undefined
}

/** Returns the client's requirements, for the sign-in at the other provider (OpenID Connect Core §3.1.2.1). */
const forwarded = ({ interaction, client, another }: BeginSeen): Forwarded => {
  const params = waitingParams(interaction)
  const asked = scopeWords(params.one("prompt") ?? "").filter((word) => word === "login" || word === "select_account")
  // Otherwise, the other provider would respond for whoever is signed in there.
  const prompt = another && asked.length === 0 ? ["select_account"] : asked
  const maxAge = params.one("max_age")
  if (prompt.includes("login")) return { prompt, maxAge: 0 }
  return { prompt, maxAge: maxAge === undefined ? client?.defaultMaxAge : Number(maxAge) }
}

/** A person who signs in at another provider, and the waiting request. */
export interface BeginSeen extends SignInSeen {
  readonly provider: string
  readonly client: Client | undefined
  /** True if another person than the signed-in one wants to sign in. */
  readonly another: boolean
  /** The requests in the `acr_values` of the waiting request. */
  readonly asked: AcrAsked
}

/**
 * Redirects the browser to another provider. The attempt is stored as a separate waiting request, whose handle is the `state`. It is bound
 * to this browser and valid for one response, and contains the secret of the original request, encrypted with that of the state.
 */
export const begin = steps(function* (s: BeginSeen, inquiry: Inquiry) {
  const { ports } = inquiry
  const { provider, browser, interaction, now, settings, another } = s
  const state = yield* freshHandle(inquiry, "u")
  const waiting = interaction === undefined ? undefined : readHandle("i", s.handle)
  const params = waitingParams(interaction)
  const { prompt, maxAge } = forwarded(s)
  const { nonce, codeVerifier, sealed } = yield* together({
    nonce: derived("nonce", browser.secret, state.secret, inquiry),
    codeVerifier: derived("verifier", browser.secret, state.secret, inquiry),
    sealed: waiting && sealSecret(ports, waiting.secret, state.secret),
  })
  const to = yield* ports.identityProviders.begin({
    provider,
    redirectUri: settings.issuer + callbackPath(provider),
    state: state.value,
    nonce,
    codeVerifier,
    loginHint: another ? undefined : loginHintOf(params),
    uiLocales: params.one("ui_locales"),
    prompt,
    maxAge,
    acrValues: s.asked.contexts,
  })
  const expiresAt = interaction?.expiresAt ?? now + settings.interactionLifetime
  const attempt: PendingUpstream = {
    kind: "upstream",
    locator: state.locator,
    digest: state.digest,
    browser: browser.digest,
    provider,
    maxAge,
    waiting: waiting === undefined || sealed === undefined ? undefined : { locator: waiting.locator, sealed },
    createdAt: now,
    expiresAt,
    finishedAt: undefined,
    version: 0,
    keepUntil: expiresAt,
  }
  const decision: Decision = { _tag: "Leave", to, params: [], cookies: browser.cookies, commands: [saveInteraction(attempt)] }
  return decision
})
