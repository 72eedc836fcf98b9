/** The result of one check. */
export interface Observation {
  /** The subject of the check, such as `database.integrity`. */
  readonly check: string
  /** A fault prevents something from working, now or at the next start. A warning will or may do so later. */
  readonly state: "ok" | "warning" | "fault"
  readonly message: string
  /** The remedy; undefined if there is nothing to do. */
  readonly hint: string | undefined
}

/** Creates a result without findings. */
export const ok = (check: string, message: string): Observation => ({ check, state: "ok", message, hint: undefined })

/** Creates a warning about a future or possible problem. */
export const warning = (check: string, message: string, hint: string): Observation => ({ check, state: "warning", message, hint })

/** Creates a fault. */
export const fault = (check: string, message: string, hint: string): Observation => ({ check, state: "fault", message, hint })
