import type { Trail, TrailRefusal } from "@postern/core/model"
import type { Level } from "./log.ts"

/** Log levels of requests; the first matching row applies. */
const rows: ReadonlyArray<{ readonly level: Level; readonly fits: (trail: Trail, refused: TrailRefusal | undefined) => boolean }> = [
  // A server-side failure. A method or transfer coding that is not implemented (501) is the caller's choice, who could raise alerts by it.
  { level: "error", fits: ({ fault, status }) => fault !== undefined || (status >= 500 && status !== 501) },
  { level: "debug", fits: (_, refused) => refused === undefined },
  // A device polls every few seconds until the user has answered (RFC 8628 §3.4).
  { level: "debug", fits: (_, refused) => refused?.answer === "authorization_pending" },
  // The caller is guessing, or exceeds a rate limit.
  { level: "warn", fits: ({ status }) => status === 429 },
  // Client authentication failed: a secret was changed on one side only, or the caller is guessing.
  { level: "warn", fits: (_, refused) => refused?.answer === "invalid_client" },
  // A code or refresh token was used twice: it was stolen, or a client has lost an answer (RFC 9700 §4.14.2).
  { level: "warn", fits: (_, refused) => refused !== undefined && replays.has(refused.rule) },
]

/** The rules that a reused code or refresh token violates. The tokens issued from it are revoked. */
const replays: ReadonlySet<string> = new Set(["code.unused", "refresh.unrotated"])

/** Returns the log level of a request's line; `info` if no row matches. */
export const severityOf = (trail: Trail, refused: TrailRefusal | undefined): Level =>
  rows.find(({ fits }) => fits(trail, refused))?.level ?? "info"

/** Outcomes that are not errors for anyone: the user is prompted, or a page shows a correction to make. */
const asking: ReadonlySet<string> = new Set(["Go", "Show"])

/**
 * Returns the log fields of the step that stopped a request, with the `error` that was sent, or with the action `asked` of the user, such
 * as `login`.
 */
export const refusalFields = ({ outcome }: Trail, { rule, cites, answer, reason }: TrailRefusal) => ({
  rule,
  cites,
  ...(asking.has(outcome) ? (answer.endsWith("_required") ? { asked: answer.replace(/_required$/, "") } : {}) : { error: answer }),
  reason,
})
