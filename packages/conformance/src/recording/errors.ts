import { messageOf } from "@postern/core/model"

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

/** A recorded request that a provider with these settings cannot decide at all, such as a call of a page that it does not have. */
export class RequestUndecided extends Error {
  override readonly name = "RequestUndecided"
  /** The request id. */
  readonly request: string
  constructor(request: string, cause: unknown) {
    super(`request ${request} cannot be decided: ${messageOf(cause)}`, { cause })
    this.request = request
  }
}
