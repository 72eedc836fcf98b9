import type { ClientChange, ClientFace, ConsentFace, ConsentScope, Form, PersonFace, ProviderChoice, SessionFace } from "./faces.ts"
import type { ConsentDetail } from "./details.ts"
import type { FeaturePage } from "./pageKind.ts"
import type { Instant, Seconds } from "./time.ts"
import type { DeviceProblem, LoginProblem, Trouble } from "./trouble.ts"

/** A page for a person, as data, which a `Pages` port renders as HTML. */
export type Page =
  | FeaturePage
  | {
      /** Asks for a password, or for the choice of another provider. */
      readonly _tag: "Login"
      /** The sign-in form. It posts `username` and `password`. */
      readonly form: Form
      /** The client; undefined if the person signs in to Postern itself. */
      readonly client?: ClientFace | undefined
      /** The username to prefill; empty if unknown. */
      readonly username: string
      /** True if the person may sign in with a password of this provider. */
      readonly local: boolean
      /** Other providers at which the person may sign in, each with a form of its own. */
      readonly providers: ReadonlyArray<ProviderChoice>
      /** The reason why the form is shown again. */
      readonly problem?: LoginProblem | undefined
      /** The display name of the other provider that the problem concerns. */
      readonly problemProvider?: string | undefined
      /** Seconds until a retry makes sense. */
      readonly retryAfter?: Seconds | undefined
      /** The person who is already signed in, if the client requests another sign-in. */
      readonly person?: PersonFace | undefined
      /** Path of the same page for another person; undefined if nobody is signed in. */
      readonly another?: string | undefined
      /** The tenant that the request names. */
      readonly tenant?: string | undefined
    }
  | {
      /** Asks for consent. */
      readonly _tag: "Consent"
      /** The form, which posts `decision` (`allow` or `deny`) and a `scope` for each scope that stays checked. */
      readonly form: Form
      /** The client that requests access. */
      readonly client: ClientFace
      /** The person who decides. */
      readonly person: PersonFace
      /** The scopes to decide on. */
      readonly scopes: ReadonlyArray<ConsentScope>
      /** The authorization details to decide on; each that stays checked is posted as a `scope`. */
      readonly details?: ReadonlyArray<ConsentDetail> | undefined
      /** The origin to which the browser will be redirected, or the scheme for a native client. */
      readonly destination: string
      /** Path of the sign-in page for another person. */
      readonly another: string
      /** The changes of the client since the person's last consent; none by default. */
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
      /** The form that ends a session; it posts `session`. */
      readonly endSession: Form
      /** The form that withdraws a consent; it posts `client_id`. */
      readonly withdrawConsent: Form
      /** The form that signs out. */
      readonly logout: Form
      /** Path of the sign-in page for another person. */
      readonly another: string
      /** The change that was just made. */
      readonly notice?: "session_ended" | "consent_withdrawn" | undefined
    }
  /** Asks for the code that a device shows, in the field `user_code`. The form is sent by GET, so that it can also be a link. */
  | {
      /** Asks for the code a device shows. */
      readonly _tag: "DeviceCode"
      /** The form to send by GET. */
      readonly form: Form
      /** The code to prefill; empty if unknown. */
      readonly userCode: string
      /** The reason why the form is shown again. */
      readonly problem: DeviceProblem
    }
  /** Shows the device's client, its requested access and its code. The form posts `decision`: `allow` or `deny`. */
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
  /**
   * Shows the code and, as a QR code, the address that contains it, on a screen that a phone's camera can see. The form continues in this
   * browser.
   */
  | {
      /** Shows a code so that a phone can take over. */
      readonly _tag: "DeviceQr"
      /** The form that continues in this browser. */
      readonly form: Form
      /** The code. */
      readonly userCode: string
      /** The address to open. */
      readonly address: string
      /** The same address with the code in it. */
      readonly addressWithCode: string
    }
  | {
      /** Shows the outcome of a device authorization. */
      readonly _tag: "DeviceDone"
      /** True if the device was approved. */
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
  | { /** Shows that the person is signed out. */ readonly _tag: "SignedOut" }
  | {
      /**
       * Loads clients in hidden frames, so that they end their own sessions in this browser (OpenID Connect Front-Channel Logout §3), and
       * continues once they are loaded.
       */
      readonly _tag: "SigningOut"
      /** The address of each frame. */
      readonly frames: ReadonlyArray<string>
      /** The URL to continue at; undefined if nobody is signed in anymore and the page stays. */
      readonly onward?: string | undefined
    }
  | {
      /** Shows why a person cannot continue. */
      readonly _tag: "Error"
      /** The reason, for the person. */
      readonly trouble: Trouble
      /** The error code of the protocol, for whoever must fix the cause; undefined if there is none. */
      readonly error?: string | undefined
      /** Seconds until a retry makes sense. */
      readonly retryAfter?: Seconds | undefined
    }
  /** Sends an authorization response in a form that submits itself (OAuth 2.0 Form Post Response Mode §2). */
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

/** Sources that the Content-Security-Policy of a page allows in addition to those of every page (CSP Level 3 §6), by directive. */
export interface PagePolicy {
  /** Scripts that a page loads: hosts over https, `'self'`, hashes, `'strict-dynamic'`. */
  readonly "script-src"?: ReadonlyArray<string> | undefined
  /** Stylesheets that a page loads, in addition to the issuer's own. */
  readonly "style-src"?: ReadonlyArray<string> | undefined
  /** Images that are not loaded over https: `blob:`. */
  readonly "img-src"?: ReadonlyArray<string> | undefined
  /** Fonts, in addition to the issuer's own. */
  readonly "font-src"?: ReadonlyArray<string> | undefined
  /** Addresses that scripts may fetch; none by default. */
  readonly "connect-src"?: ReadonlyArray<string> | undefined
  /** Documents that a page may show in frames; none by default. */
  readonly "frame-src"?: ReadonlyArray<string> | undefined
  /** Audio and video; none by default. */
  readonly "media-src"?: ReadonlyArray<string> | undefined
  /** Workers; none by default. */
  readonly "worker-src"?: ReadonlyArray<string> | undefined
}

/** The values that every page is rendered with. */
export interface PageContext {
  /**
   * Requested languages, in order of preference: the one chosen on the page, `ui_locales`, the one chosen before, Accept-Language. The BCP
   * 47 tags are not validated.
   */
  readonly locales: ReadonlyArray<string>
  /** The address of this page in another language, to which the language tag is appended; undefined if there is none. */
  readonly languageAddress?: string | undefined
  /** The id that a person can quote to the operator, and that identifies the trail. */
  readonly requestId: string
  /** The nonce of the page's Content-Security-Policy. Only `<style>` and `<script>` elements with this nonce are applied. */
  readonly nonce: string
  /** The issuer identifier. */
  readonly issuer: string
  /** Prefix of every path of the provider: the issuer's path without a trailing slash. */
  readonly basePath: string
  /** The tenant whose theme the page uses, if a known one was requested. */
  readonly tenant?: string | undefined
  /** The time of the request. */
  readonly now: Instant
}
