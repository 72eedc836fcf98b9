import { type Refusal, refuse } from "@postern/core/model"

/** Refuses with a temporary error, because something that the verdict depends on is unavailable. No request passes meanwhile. */
export const unavailable = (reason: string): Refusal => refuse("temporarily_unavailable", "The access token cannot be checked now.", reason)
