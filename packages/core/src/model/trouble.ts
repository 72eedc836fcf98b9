/** The reason a person cannot go on; each has words of its own in every language. */
export type Trouble =
  /** The application that sent the person made a mistake they cannot mend. */
  | "client_unknown"
  | "redirect_uri_invalid"
  | "request_invalid"
  /** It asked to sign the person out, and to send them to a place that is not registered; with an ID token that we did not issue; with another application's. */
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

/** The reason a sign-in form is shown again. */
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
  /** The other provider vouched for the person, and this one refuses them. */
  | "upstream_rejected"

/** The reason the form for a device's code is shown (again); `none` the first time. */
export type DeviceProblem = "none" | "unknown" | "expired" | "used"
