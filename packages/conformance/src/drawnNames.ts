/** Names of parameters whose values were drawn by chance, at the provider or at a client. */
export const drawnNames: ReadonlySet<string> = new Set([
  "access_token",
  "actor_token",
  "assertion",
  "client_assertion",
  "client_notification_token",
  "code",
  "code_verifier",
  "device_code",
  "id_token",
  "id_token_hint",
  "logout_token",
  "refresh_token",
  "registration_access_token",
  "subject_token",
  "token",
  "user_code",
])
