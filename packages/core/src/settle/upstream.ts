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

/** The path below which the callbacks of other providers are. */
export const callbackPaths = "/login/callback"

/** The path that a provider answers to. Each has its own, so that one cannot pass for another (RFC 9700 §4.4.2). */
export const callbackPath = (provider: string): string => `${callbackPaths}/${provider}`

/** The path below which other providers send logout tokens. */
export const logoutPaths = "/login/upstream-logout"

/** The path that a provider sends its logout tokens to. */
export const logoutPath = (provider: string): string => `${logoutPaths}/${provider}`

/** Derives a value that only this browser and the holder of the `state` can make again: neither is in any row. */
export const derived = (purpose: "nonce" | "verifier", browser: Secret, stateSecret: string, { ports }: Pick<Inquiry, "ports">) =>
  digestOf(ports, `postern upstream ${purpose} ${browser.reveal()} ${stateSecret}`)

/** The provider at which a sign-in for a waiting request has failed already. */
export const failedBefore = ({ failedProvider }: WaitingRequest): string | undefined => failedProvider

/** The waiting request once a sign-in at another provider has failed for it. */
export const afterFailure = (interaction: WaitingRequest, provider: string): WaitingRequest => ({
  ...interaction,
  failedProvider: provider,
})

interface Forwarded {
  readonly prompt: ReadonlyArray<string>
  /** Seconds; 0 is a sign-in of this very moment. */
  readonly maxAge: Seconds | undefined
}

/** The requirements on the sign-in there, as the client asked them of us (OpenID Connect Core §3.1.2.1). */
const forwarded = ({ interaction, client, another }: BeginSeen): Forwarded => {
  const params = waitingParams(interaction)
  const asked = scopeWords(params.one("prompt") ?? "").filter((word) => word === "login" || word === "select_account")
  // Or the other provider would answer for whoever is signed in there.
  const prompt = another && asked.length === 0 ? ["select_account"] : asked
  const maxAge = params.one("max_age")
  if (prompt.includes("login")) return { prompt, maxAge: 0 }
  return { prompt, maxAge: maxAge === undefined ? client?.defaultMaxAge : Number(maxAge) }
}

/** A person who is sent to another provider, and the request that waits for them. */
export interface BeginSeen extends SignInSeen {
  readonly provider: string
  readonly client: Client | undefined
  /** True if somebody else wants to sign in than who is signed in. */
  readonly another: boolean
  /** The values that the `acr_values` of the waiting request ask for. */
  readonly asked: AcrAsked
}

/**
 * Sends the browser to another provider. The attempt is kept as a waiting request of its own, whose handle is the `state`: bound to
 * this browser, good for one answer, with the secret of the request that waits sealed under the state's.
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
