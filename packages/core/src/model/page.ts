import type { ClientChange, ClientFace, ConsentFace, ConsentScope, Form, PersonFace, ProviderChoice, SessionFace } from "./faces.ts"
import type { ConsentDetail } from "./details.ts"
import type { FeaturePage } from "./pageKind.ts"
import type { Instant, Seconds } from "./time.ts"
import type { DeviceProblem, LoginProblem, Trouble } from "./trouble.ts"

/** A page for a person, as data. A `Pages` port turns it into HTML. */
export type Page =
  | FeaturePage
  | {
      /** Asks for a password, or for the choice of another provider. */
      readonly _tag: "Login"
      /** The form to sign in by. Posts `username` and `password`. */
      readonly form: Form
      /** Undefined when the person came to sign in to Postern itself. */
      readonly client?: ClientFace | undefined
      /** The username to fill in; empty when none is known. */
      readonly username: string
      /** True if a password of ours may be typed here. */
      readonly local: boolean
      /** Other providers at which the person may sign in, each by a form of its own. */
      readonly providers: ReadonlyArray<ProviderChoice>
      /** The reason the form is shown again. */
      readonly problem?: LoginProblem | undefined
      /** The display name of the provider that a problem is about. */
      readonly problemProvider?: string | undefined
      /** Seconds until another try makes sense. */
      readonly retryAfter?: Seconds | undefined
      /** The person signed in already, when the client asks for another sign-in. */
      readonly person?: PersonFace | undefined
      /** Path of the same page for another person; undefined when nobody is signed in. */
      readonly another?: string | undefined
      /** The tenant the request names. */
      readonly tenant?: string | undefined
    }
  | {
      /** Asks for consent. */
      readonly _tag: "Consent"
      /** Posts `decision` (`allow` or `deny`) and a `scope` for each scope that stays ticked. */
      readonly form: Form
      /** The client that asks. */
      readonly client: ClientFace
      /** The person who is asked. */
      readonly person: PersonFace
      /** The scopes to decide on. */
      readonly scopes: ReadonlyArray<ConsentScope>
      /** The authorization details to decide on; each that stays is posted as a `scope`. */
      readonly details?: ReadonlyArray<ConsentDetail> | undefined
      /** The place the browser will go to: its origin, or its scheme for a native client. */
      readonly destination: string
      /** Path of the sign-in page for another person. */
      readonly another: string
      /** The changes of the client since the person last allowed it; none when not given. */
      readonly changes?: ReadonlyArray<ClientChange> | undefined
    }
  | {
      /** Shows a person their sessions and consents. */
      readonly _tag: "Home"
      /** The person who is signed in. */
      readonly person: PersonFace
      /** The sessions, newest first. */
      readonly sessions: ReadonlyArray<SessionFace>
      /** The consents, newest first. */
      readonly consents: ReadonlyArray<ConsentFace>
      /** Posts `session`. */
      readonly endSession: Form
      /** Posts `client_id`. */
      readonly withdrawConsent: Form
      /** The form that signs out. */
      readonly logout: Form
      /** Path of the sign-in page for another person. */
      readonly another: string
      /** A change that was just made. */
      readonly notice?: "session_ended" | "consent_withdrawn" | undefined
    }
  /** Asks for the code a device shows; sent by GET, so that it can be a link too. Its field is `user_code`. */
  | {
      /** Asks for the code a device shows. */
      readonly _tag: "DeviceCode"
      /** The form to send by GET. */
      readonly form: Form
      /** The code to fill in; empty when none is known. */
      readonly userCode: string
      /** The reason the form is shown again. */
      readonly problem: DeviceProblem
    }
  /** Names the device's client, what it asks for and the code it shows. Posts `decision`, `allow` or `deny`. */
  | {
      /** Asks whether a device may sign in. */
      readonly _tag: "DeviceConfirm"
      /** The form that decides. */
      readonly form: Form
      /** The code the device shows. */
      readonly userCode: string
      /** The client on the device. */
      readonly client: ClientFace
      /** The person who decides. */
      readonly person: PersonFace
      /** The scopes the device asks for. */
      readonly scopes: ReadonlyArray<ConsentScope>
      /** The authorization details the device asks for. */
      readonly details?: ReadonlyArray<ConsentDetail> | undefined
      /** Path of the sign-in page for another person. */
      readonly another: string
    }
  /** For a screen that a phone's camera can see: the code, and the address that carries it as a QR code. Its form goes on in this browser. */
  | {
      /** Shows a code for a phone to take over. */
      readonly _tag: "DeviceQr"
      /** The form that goes on in this browser. */
      readonly form: Form
      /** The code. */
      readonly userCode: string
      /** The address to open. */
      readonly address: string
      /** The same address with the code in it. */
      readonly addressWithCode: string
    }
  | {
      /** Tells how it ended for a device. */
      readonly _tag: "DeviceDone"
      /** True if the device was let in. */
      readonly approved: boolean
      /** The client on the device. */
      readonly client: ClientFace
    }
  | {
      /** Asks whether to sign out. */
      readonly _tag: "Logout"
      /** The person who is signed in. */
      readonly person: PersonFace
      /** The form that signs out. */
      readonly form: Form
    }
  | { /** Tells that nobody is signed in any more. */ readonly _tag: "SignedOut" }
  | {
      /** Shows clients in hidden frames, so that they end their own sessions in this browser (OpenID Connect Front-Channel Logout §3), and goes on once they are loaded. */
      readonly _tag: "SigningOut"
      /** The address of each frame. */
      readonly frames: ReadonlyArray<string>
      /** The place to go on to; undefined where nobody is signed in any more and the page stays. */
      readonly onward?: string | undefined
    }
  | {
      /** Tells why a person cannot go on. */
      readonly _tag: "Error"
      /** The reason, in words for people. */
      readonly trouble: Trouble
      /** The protocol's error code, for whoever must mend it; undefined where there is none. */
      readonly error?: string | undefined
      /** Seconds until another try makes sense. */
      readonly retryAfter?: Seconds | undefined
    }
  /** Sends an authorization response by a form that submits itself (OAuth 2.0 Form Post Response Mode §2). */
  | {
      /** Carries an authorization response to the client. */
      readonly _tag: "FormPost"
      /** The redirect URI to post to. */
      readonly action: string
      /** The parameters to post. */
      readonly fields: ReadonlyArray<readonly [string, string]>
      /** The name of the client, for browsers without scripts. */
      readonly clientName: string
    }

/** Sources that the Content-Security-Policy of a page has beside those of every page (CSP Level 3 §6), by directive. */
export interface PagePolicy {
  /** Scripts that a page loads: hosts over https, `'self'`, hashes, `'strict-dynamic'`. */
  readonly "script-src"?: ReadonlyArray<string> | undefined
  /** Stylesheets that a page loads, beside the issuer's own. */
  readonly "style-src"?: ReadonlyArray<string> | undefined
  /** Pictures that are not loaded over https: `blob:`. */
  readonly "img-src"?: ReadonlyArray<string> | undefined
  /** Fonts, beside the issuer's own. */
  readonly "font-src"?: ReadonlyArray<string> | undefined
  /** Addresses that scripts may fetch: none when not given. */
  readonly "connect-src"?: ReadonlyArray<string> | undefined
  /** Documents that a page may show in frames: none when not given. */
  readonly "frame-src"?: ReadonlyArray<string> | undefined
  /** Sound and video: none when not given. */
  readonly "media-src"?: ReadonlyArray<string> | undefined
  /** Workers: none when not given. */
  readonly "worker-src"?: ReadonlyArray<string> | undefined
}

/** The values that every page is rendered with. */
export interface PageContext {
  /** Languages wanted, best first: one chosen on the page, `ui_locales`, one chosen before, Accept-Language. Unchecked BCP 47 tags. */
  readonly locales: ReadonlyArray<string>
  /** The address of this page in another language, to which the language's tag is appended; undefined where there is none. */
  readonly languageAddress?: string | undefined
  /** The id a person quotes to the operator; the key of the trail. */
  readonly requestId: string
  /** The nonce of the page's Content-Security-Policy: `<style>` and `<script>` elements that carry it are let run, and no others. */
  readonly nonce: string
  /** The issuer identifier. */
  readonly issuer: string
  /** Prefix of every path of the provider: the issuer's path without a trailing slash. */
  readonly basePath: string
  /** The tenant whose looks the page bears, where one was asked for and is known. */
  readonly tenant?: string | undefined
  /** The time of the request. */
  readonly now: Instant
}
