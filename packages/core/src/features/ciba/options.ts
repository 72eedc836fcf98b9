import type { ExtensionGrant } from "../../extension/index.ts"
import type { TrustedIssuer } from "../../extension/trustedIssuer.ts"
import type { Instant, Seconds, Secret } from "../../model/index.ts"

/** A request that waits for a person, as the channel that tells them is given it. */
export interface WaitingAuthentication {
  /** The person. */
  readonly subject: string
  /** The client that asks. */
  readonly clientId: string
  /** Its name. */
  readonly clientName: string
  /** The text that the client shows at the place where it was asked for; the person compares the two. Undefined where it sent none. */
  readonly bindingMessage: string | undefined
  /** The page on which the person answers. */
  readonly address: string
  /** The end of the request. */
  readonly expiresAt: Instant
}

/** Somebody whose JWTs tell whom a client wants to ask. */
export interface HintIssuer extends Omit<TrustedIssuer, "acrValues"> {
  /**
   * True if its hints may name people by a subject identifier, `sub_id` (RFC 9493 §4): a verified e-mail address or telephone number of theirs that `authenticator.identify`
   * knows, or a subject of ours. False when left out: then a `sub_id` says nothing.
   */
  readonly subjectIds?: boolean | undefined
  /** True if a hint that has a `jti` may be used again until it ends; once when left out. One without a `jti` may be in any case. */
  readonly reusable?: boolean | undefined
}

/** Settings of {@link ciba}. */
export interface CibaOptions {
  /**
   * Tells a person that a request waits for them: a push message, an e-mail, a text message. Called after the request is durable, at least once; what rejects is
   * tried again until the request ends. Without it people find what waits on the page `/approve`.
   */
  readonly notify?: ((waiting: WaitingAuthentication, signal: AbortSignal) => Promise<void> | void) | undefined
  /**
   * Reports whether a code is the one that the person has chosen, such as a PIN, so that no stranger prompts them (CIBA Core §7.1). With it clients may register
   * `backchannel_user_code_parameter`, and each request of such a client needs the `user_code`. Guesses are counted; where it rejects, nobody is asked.
   */
  readonly checkUserCode?: ((subject: string, code: Secret) => Promise<boolean> | boolean) | undefined
  /**
   * Issuers whose JWTs tell, as `login_hint_token`, whom a client wants to ask (CIBA Core §7.1): made out to this provider, short-lived, with a `sub` or a `sub_id`. None
   * when not given; then such a hint is refused.
   */
  readonly loginHintTokenIssuers?: ReadonlyArray<HintIssuer> | undefined
  /** Seconds that a request waits where the client asks for no other time; 300 when not given, 3600 at most. */
  readonly lifetime?: Seconds | undefined
  /** Seconds between two polls at least; 5 when not given. */
  readonly interval?: Seconds | undefined
  /** Number of requests that may wait for one person at once; 3 when not given. */
  readonly mostWaiting?: number | undefined
  /** Number of requests that one person may get within ten minutes, from all clients together; 10 when not given. */
  readonly mostPrompts?: number | undefined
}

/** The settings of CIBA, all of them. */
export interface CibaSettings extends Pick<CibaOptions, "notify" | "checkUserCode"> {
  readonly loginHintTokenIssuers: ReadonlyArray<HintIssuer>
  readonly lifetime: Seconds
  readonly interval: Seconds
  readonly mostWaiting: number
  readonly mostPrompts: number
}

/** The longest time that a request may wait, whatever the client asks for. */
export const longestLife: Seconds = 3600

/** The time within which prompts of one person are counted. */
export const promptWindow: Seconds = 600

/** The settings that options come to. Throws a `TypeError` for a number that is none. */
export const settingsOf = (options: CibaOptions): CibaSettings => {
  const { notify, checkUserCode, loginHintTokenIssuers = [], lifetime = 300, interval = 5, mostWaiting = 3, mostPrompts = 10 } = options
  const within = (name: string, value: number, least: number, most: number): void => {
    if (!Number.isInteger(value) || value < least || value > most)
      throw new TypeError(`ciba: ${name} must be a whole number from ${least} to ${most}`)
  }
  within("lifetime", lifetime, 30, longestLife)
  within("interval", interval, 1, 60)
  within("mostWaiting", mostWaiting, 1, 20)
  within("mostPrompts", mostPrompts, 1, 100)
  return { notify, checkUserCode, loginHintTokenIssuers, lifetime, interval, mostWaiting, mostPrompts }
}

/**
 * Faults of hint issuers whose JWTs an extension grant takes, too: whoever was given a `login_hint_token` would have tokens of the person by it, since neither kind has a
 * `typ` of its own (RFC 8725 §3.11, §3.12).
 */
export const sharedIssuers = (
  { loginHintTokenIssuers }: Pick<CibaSettings, "loginHintTokenIssuers">,
  grants: ReadonlyArray<Pick<ExtensionGrant, "name" | "issuers">>,
): ReadonlyArray<string> =>
  loginHintTokenIssuers.flatMap(({ issuer }) => {
    const taker = grants.find(({ issuers }) => issuers?.includes(issuer) === true)
    return taker === undefined
      ? []
      : [
          `ciba: ${issuer} issues login_hint_tokens, and the grant ${taker.name} takes its JWTs: a hint would be taken there; ` +
            "trust it for one of the two, or have it issue hints under another iss (RFC 8725 §3.12)",
        ]
  })
