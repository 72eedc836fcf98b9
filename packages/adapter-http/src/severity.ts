import type { Trail, TrailRefusal } from "@postern/core/model"
import type { Level } from "./log.ts"

/** A request's log level, by the first row that fits. */
const rows: ReadonlyArray<{ readonly level: Level; readonly fits: (trail: Trail, refused: TrailRefusal | undefined) => boolean }> = [
  // The server could not do its work.
  { level: "error", fits: ({ fault, status }) => fault !== undefined || status >= 500 },
  { level: "debug", fits: (_, refused) => refused === undefined },
  // A device asks every few seconds until the person has answered (RFC 8628 §3.4).
  { level: "debug", fits: (_, refused) => refused?.answer === "authorization_pending" },
  // Somebody guesses, or sends more than the limit.
  { level: "warn", fits: ({ status }) => status === 429 },
  // A client proved itself wrongly: a secret that was changed in one place alone, or a guess.
  { level: "warn", fits: (_, refused) => refused?.answer === "invalid_client" },
  // A code or refresh token was used twice: stolen, or a client has lost an answer (RFC 9700 §4.14.2).
  { level: "warn", fits: (_, refused) => refused !== undefined && replays.has(refused.rule) },
]

/** The rules that a spent code or refresh token meets; what came of it is revoked. */
const replays: ReadonlySet<string> = new Set(["code.unused", "refresh.unrotated"])

/** The level of a request's line: `info` where no row says otherwise. */
export const severityOf = (trail: Trail, refused: TrailRefusal | undefined): Level =>
  rows.find(({ fits }) => fits(trail, refused))?.level ?? "info"

/** Decisions that carry no error to anybody: the person is asked for something, or a page shows what to mend. */
const asking: ReadonlySet<string> = new Set(["Go", "Show"])

/** The step that stopped a request: with the `error` that was sent, or with what was `asked` of the person, such as `login`. */
export const refusalFields = ({ outcome }: Trail, { rule, cites, answer, reason }: TrailRefusal) => ({
  rule,
  cites,
  ...(asking.has(outcome) ? (answer.endsWith("_required") ? { asked: answer.replace(/_required$/, "") } : {}) : { error: answer }),
  reason,
})
