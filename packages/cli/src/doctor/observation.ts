/** The result of one check. */
export interface Observation {
  /** The subject, such as `database.integrity`. */
  readonly check: string
  /** A fault keeps something from working, now or at the next start; a warning will, or may. */
  readonly state: "ok" | "warning" | "fault"
  readonly message: string
  /** The remedy; undefined if there is nothing to do. */
  readonly hint: string | undefined
}

/** All is well. */
export const ok = (check: string, message: string): Observation => ({ check, state: "ok", message, hint: undefined })

/** Something that will go wrong, or may. */
export const warning = (check: string, message: string, hint: string): Observation => ({ check, state: "warning", message, hint })

/** Something that is wrong. */
export const fault = (check: string, message: string, hint: string): Observation => ({ check, state: "fault", message, hint })
