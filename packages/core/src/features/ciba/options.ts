import type { ExtensionGrant } from "../../extension/index.ts"
import { issuersForm, trustedIssuerKinds } from "../../extension/issuerForms.ts"
import type { TrustedIssuer } from "../../extension/trustedIssuer.ts"
import type { Instant, Seconds, Secret } from "../../model/index.ts"
import { type Forms, refuseMembers, whole } from "../../model/forms.ts"
import type { MemberKinds } from "../../model/members.ts"

/** A request that waits for a person, as passed to the function that notifies them. */
export interface WaitingAuthentication {
  /** The person. */
  readonly subject: string
  /** The client that made the request. */
  readonly clientId: string
  /** The name of the client. */
  readonly clientName: string
  /** The text that the client displays where the request was made, for the person to compare. Undefined if the client sent none. */
  readonly bindingMessage: string | undefined
  /** The page on which the person answers. */
  readonly address: string
  /** The time at which the request expires. */
  readonly expiresAt: Instant
}

/** An issuer whose JWTs identify the person that a client wants to ask. */
export interface HintIssuer extends Omit<TrustedIssuer, "acrValues"> {
  /**
   * True if its hints may identify people by a subject identifier, `sub_id` (RFC 9493 §4): a verified e-mail address or telephone number
   * that `authenticator.identify` knows, or a subject of this provider. False by default; a `sub_id` is then ignored.
   */
  readonly subjectIds?: boolean | undefined
  /**
   * True if a hint that has a `jti` may be used again until it expires; once by default. A hint without a `jti` may always be used again.
   */
  readonly reusable?: boolean | undefined
}

/** Settings of {@link ciba}. */
export interface CibaOptions {
  /**
   * Notifies a person that a request waits for them, by push message, e-mail or text message. It is called at least once, after the request
   * is durable, and a rejected call is repeated until the request expires. Without it people find waiting requests on the page `/approve`.
   */
  readonly notify?: ((waiting: WaitingAuthentication, signal: AbortSignal) => Promise<void> | void) | undefined
  /**
   * Reports whether a code is the one that the person has chosen, such as a PIN, so that strangers cannot prompt them (CIBA Core §7.1).
   * With it clients may register `backchannel_user_code_parameter`, and each request of such a client needs the `user_code`. Guesses are
   * counted; if it rejects, nobody is asked.
   */
  readonly checkUserCode?: ((subject: string, code: Secret) => Promise<boolean> | boolean) | undefined
  /**
   * Issuers whose JWTs identify, as `login_hint_token`, the person that a client wants to ask (CIBA Core §7.1). Such a JWT is addressed to
   * this provider, short-lived, and has a `sub` or a `sub_id`. None by default; such hints are then refused.
   */
  readonly loginHintTokenIssuers?: ReadonlyArray<HintIssuer> | undefined
  /** Seconds that a request waits if the client asks for no other time. Default: 300; maximum: 3600. */
  readonly lifetime?: Seconds | undefined
  /** Minimum seconds between two polls. Default: 5. */
  readonly interval?: Seconds | undefined
  /** Number of requests that may wait for one person at the same time. Default: 3. */
  readonly mostWaiting?: number | undefined
  /** Number of requests that one person may receive within ten minutes from all clients together. Default: 10. */
  readonly mostPrompts?: number | undefined
}

/** The settings of CIBA, with defaults applied. */
export interface CibaSettings extends Pick<CibaOptions, "notify" | "checkUserCode"> {
  readonly loginHintTokenIssuers: ReadonlyArray<HintIssuer>
  readonly lifetime: Seconds
  readonly interval: Seconds
  readonly mostWaiting: number
  readonly mostPrompts: number
}

/** The longest time that a request may wait, even if the client asks for more. */
export const longestLife: Seconds = 3600

/** The period over which the prompts of one person are counted. */
export const promptWindow: Seconds = 600

const kinds: MemberKinds<CibaOptions> = {
  notify: "function?",
  checkUserCode: "function?",
  loginHintTokenIssuers: "own?",
  lifetime: "own?",
  interval: "own?",
  mostWaiting: "own?",
  mostPrompts: "own?",
}

const { acrValues: _acrValues, ...issuerKinds } = trustedIssuerKinds

const hintIssuerKinds: MemberKinds<HintIssuer> = { ...issuerKinds, subjectIds: "boolean?", reusable: "boolean?" }

const forms: Forms<CibaOptions> = {
  loginHintTokenIssuers: issuersForm({ kinds: hintIssuerKinds }),
  lifetime: whole(30, longestLife),
  interval: whole(1, 60),
  mostWaiting: whole(1, 20),
  mostPrompts: whole(1, 100),
}

/** Makes the settings from the options. Throws one `TypeError` that lists every fault. */
export const settingsOf = (options: CibaOptions): CibaSettings => {
  refuseMembers("ciba", options, kinds, forms)
  const { notify, checkUserCode, loginHintTokenIssuers = [], lifetime = 300, interval = 5, mostWaiting = 3, mostPrompts = 10 } = options
  return { notify, checkUserCode, loginHintTokenIssuers, lifetime, interval, mostWaiting, mostPrompts }
}

/**
 * Returns the faults of hint issuers at a provider, as text. Whoever received a `login_hint_token` could exchange it at an extension grant
 * that accepts the same issuer, because neither kind of JWT has a `typ` of its own (RFC 8725 §3.11, §3.12). Tokens of the provider itself
 * would be hints for the same reason.
 */
export const hintIssuerFaults = (
  { loginHintTokenIssuers }: Pick<CibaSettings, "loginHintTokenIssuers">,
  {
    issuer: own,
    extensionGrants,
  }: { readonly issuer?: string | undefined; readonly extensionGrants: ReadonlyArray<Pick<ExtensionGrant, "name" | "issuers">> },
): ReadonlyArray<string> =>
  loginHintTokenIssuers.flatMap(({ issuer }, at) => {
    const place = `ciba: loginHintTokenIssuers[${at}].issuer`
    if (issuer === own) return `${place}: is this provider itself, whose every token would be a hint; remove it (RFC 8725 §3.12)`
    const taker = extensionGrants.find(({ issuers }) => issuers?.includes(issuer) === true)
    return taker === undefined
      ? []
      : `${place}: ${issuer} issues login_hint_tokens, and the grant ${taker.name} takes its JWTs: a hint would be taken there; ` +
          "trust it for one of the two, or have it issue hints under another iss (RFC 8725 §3.12)"
  })
