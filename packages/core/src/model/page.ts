import type { Instant, Seconds } from "./time.ts"

/** What a page may show of a client. */
export interface ClientFace {
  readonly clientId: string
  readonly name: string
  readonly uri?: string | undefined
  readonly logoUri?: string | undefined
  readonly policyUri?: string | undefined
  readonly tosUri?: string | undefined
}

/** What a page may show of the person who is signed in. */
export interface PersonFace {
  readonly subject: string
  readonly username: string
  /** The `name` claim, or the username when there is none. */
  readonly name: string
  /** The `zoneinfo` claim: the time zone that times are shown in. */
  readonly zone?: string | undefined
}

/** A form that changes something: where it posts to, and the hidden fields it must carry. */
export interface Form {
  /** Path below the issuer's; a page puts `basePath` before it. */
  readonly action: string
  /** `csrf`, and `interaction` where one waits. */
  readonly hidden: ReadonlyArray<readonly [string, string]>
}

/** A scope, or a claim asked for by name, on the consent page. */
export interface ConsentScope {
  readonly name: string
  readonly kind: "identity" | "claim" | "resource" | "offline_access"
  readonly required: boolean
  /** As configured, or the claim's name; undefined for the standard scopes, whose words are the page's own. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Titles, or else identifiers, of the resources that own it. */
  readonly resources: ReadonlyArray<string>
}

/** A session on the home page. */
export interface SessionFace {
  readonly id: string
  readonly agent: string
  /** The network it was signed in from, as a session keeps it. */
  readonly address?: string | undefined
  readonly signedInAt: Instant
  readonly seenAt: Instant
  readonly current: boolean
}

/** A consent on the home page. */
export interface ConsentFace {
  readonly client: ClientFace
  readonly scopes: ReadonlyArray<ConsentScope>
  readonly grantedAt: Instant
}

/** Why a person cannot go on; each has words of its own in every language. */
export type Trouble =
  /** The application that sent the person made a mistake they cannot mend. */
  | "client_unknown"
  | "redirect_uri_invalid"
  | "request_invalid"
  /** It asked to sign the person out, and to send them where it may not; with an ID token that is none of ours; with another application's. */
  | "logout_redirect_uri_invalid"
  | "logout_hint_invalid"
  | "logout_hint_foreign"
  /** The waiting request is gone: its time ran out, or it never was. */
  | "interaction_expired"
  | "interaction_finished"
  | "interaction_elsewhere"
  /** The form was too old or came from somewhere else. */
  | "form_stale"
  | "too_many_attempts"
  | "not_found"
  | "method_not_allowed"
  | "unavailable"
  /** As unavailable, and nobody knows whether the request was carried out. */
  | "uncertain"
  | "failed"

/** Why a sign-in form is shown again. */
export type LoginProblem =
  | "credentials"
  | "throttled"
  | "form_stale"
  /** A password where the client wants none of ours. */
  | "local_forbidden"
  /** The person turned back at the other provider. */
  | "upstream_denied"
  /** Its answer could not be believed, or was no sign-in. */
  | "upstream_failed"
  /** A fresh sign-in was asked for, and it did not ask the person again. */
  | "upstream_stale"
  /** It knows the person, and we do not let them in. */
  | "upstream_rejected"

/** Another provider on the sign-in page. */
export interface ProviderChoice {
  readonly name: string
  readonly displayName: string
  readonly form: Form
}

/** Why the form for a device's code is shown (again); `none` the first time. */
export type DeviceProblem = "none" | "unknown" | "expired" | "used"

/** A page for a person, as data. A `Pages` port turns it into HTML. */
export type Page =
  | {
      readonly _tag: "Login"
      readonly form: Form
      /** Undefined when the person came to sign in to Postern itself. */
      readonly client?: ClientFace | undefined
      readonly username: string
      /** Whether a password of ours may be typed here. */
      readonly local: boolean
      /** Where else the person may sign in, each by a form of its own. */
      readonly providers: ReadonlyArray<ProviderChoice>
      readonly problem?: LoginProblem | undefined
      /** The display name of the provider that a problem is about. */
      readonly problemProvider?: string | undefined
      readonly retryAfter?: Seconds | undefined
      /** Who is signed in already, when the client asks for another sign-in. */
      readonly person?: PersonFace | undefined
      /** Path of the same page for another person; undefined when nobody is signed in. */
      readonly another?: string | undefined
      readonly tenant?: string | undefined
    }
  | {
      readonly _tag: "Consent"
      /** Posts `decision` (`allow` or `deny`) and a `scope` for each scope that stays ticked. */
      readonly form: Form
      readonly client: ClientFace
      readonly person: PersonFace
      readonly scopes: ReadonlyArray<ConsentScope>
      /** Where the browser will go; its origin, or its scheme for a native client. */
      readonly destination: string
      /** Path of the sign-in page for another person. */
      readonly another: string
    }
  | {
      readonly _tag: "Home"
      readonly person: PersonFace
      readonly sessions: ReadonlyArray<SessionFace>
      readonly consents: ReadonlyArray<ConsentFace>
      /** Posts `session`. */
      readonly endSession: Form
      /** Posts `client_id`. */
      readonly withdrawConsent: Form
      readonly logout: Form
      /** Path of the sign-in page for another person. */
      readonly another: string
      readonly notice?: "session_ended" | "consent_withdrawn" | undefined
    }
  /** Asks for the code a device shows; sent by GET, so that it can be a link too. Its field is `user_code`. */
  | { readonly _tag: "DeviceCode"; readonly form: Form; readonly userCode: string; readonly problem: DeviceProblem }
  /** Names the device's client, what it asks for and the code it shows. Posts `decision`, `allow` or `deny`. */
  | {
      readonly _tag: "DeviceConfirm"
      readonly form: Form
      readonly userCode: string
      readonly client: ClientFace
      readonly person: PersonFace
      readonly scopes: ReadonlyArray<ConsentScope>
      /** Path of the sign-in page for another person. */
      readonly another: string
    }
  /** For a screen that a phone's camera can see: the code, and the address that carries it as a QR code. Its form goes on in this browser. */
  | {
      readonly _tag: "DeviceQr"
      readonly form: Form
      readonly userCode: string
      readonly address: string
      readonly addressWithCode: string
    }
  | { readonly _tag: "DeviceDone"; readonly approved: boolean; readonly client: ClientFace }
  | { readonly _tag: "Logout"; readonly person: PersonFace; readonly form: Form }
  | { readonly _tag: "SignedOut" }
  | {
      readonly _tag: "Error"
      readonly trouble: Trouble
      /** The protocol's error code, for whoever must mend it; undefined where there is none. */
      readonly error?: string | undefined
      readonly retryAfter?: Seconds | undefined
    }
  /** Sends an authorization response by a form that submits itself (OAuth 2.0 Form Post Response Mode §2). */
  | {
      readonly _tag: "FormPost"
      readonly action: string
      readonly fields: ReadonlyArray<readonly [string, string]>
      readonly clientName: string
    }

/** What every page is rendered with. */
export interface PageContext {
  /** Languages wanted, best first: one chosen on the page, `ui_locales`, one chosen before, Accept-Language. Unchecked BCP 47 tags. */
  readonly locales: ReadonlyArray<string>
  /** The address of this page in another language, to which the language's tag is appended; undefined where there is none. */
  readonly languageAddress?: string | undefined
  /** The id a person quotes to the operator; the key of the trail. */
  readonly requestId: string
  /** The nonce of the page's Content-Security-Policy: `<style>` and `<script>` elements that carry it are let run, and no others. */
  readonly nonce: string
  readonly issuer: string
  /** Prefix of every path of the provider: the issuer's path without a trailing slash. */
  readonly basePath: string
  /** The tenant whose looks the page bears, where one was asked for and is known. */
  readonly tenant?: string | undefined
  readonly now: Instant
}
