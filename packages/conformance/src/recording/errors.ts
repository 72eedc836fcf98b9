/** A call to a port that was not made when the request was recorded. */
export class NotRecorded extends Error {
  override readonly name = "NotRecorded"
}

/** The settings do not define a valid provider. */
export class SettingsRefused extends Error {
  override readonly name = "SettingsRefused"
}

/** A port that failed when the request was recorded. */
export class Recorded extends Error {
  override readonly name = "Recorded"
  /** True if the outcome was unknown. */
  readonly uncertain: boolean
  constructor(uncertain: boolean) {
    super("failed when it was recorded")
    this.uncertain = uncertain
  }
}
