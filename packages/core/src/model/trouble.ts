/** The reason why a person cannot continue. Each has its own text in every language. */
export type Trouble =
  /** The application that sent the person made an error that the person cannot fix. */
  | "client_unknown"
  | "redirect_uri_invalid"
  | "request_invalid"
  /**
   * The sign-out request of the application was wrong: it named an unregistered redirect URI, an ID token of another issuer, or an ID token
   * of another application.
   */
  | "logout_redirect_uri_invalid"
  | "logout_hint_invalid"
  | "logout_hint_foreign"
  /** The waiting request has expired or never existed. */
  | "interaction_expired"
  | "interaction_finished"
  | "interaction_elsewhere"
  /** The form was outdated or came from another site. */
  | "form_stale"
  | "too_many_attempts"
  | "not_found"
  | "method_not_allowed"
  | "unavailable"
  /** As `unavailable`, but the request may have been carried out. */
  | "uncertain"
  | "failed"

/** The reason why a sign-in form is shown again. */
export type LoginProblem =
  | "credentials"
  | "throttled"
  | "form_stale"
  /** A password was sent, but the client does not accept passwords of this provider. */
  | "local_forbidden"
  /** The person canceled the sign-in at the other provider. */
  | "upstream_denied"
  /** The other provider's response could not be verified, or was no sign-in. */
  | "upstream_failed"
  /** A new sign-in was requested, but the other provider did not ask the person again. */
  | "upstream_stale"
  /** The other provider authenticated the person, but this one refuses them. */
  | "upstream_rejected"

/** The reason why the form for a device's code is shown; `none` the first time. */
export type DeviceProblem = "none" | "unknown" | "expired" | "used"
