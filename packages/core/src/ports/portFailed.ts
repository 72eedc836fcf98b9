import * as Data from "effect/Data"
import { readable } from "../model/index.ts"

/**
 * A port that threw, rejected, or did not answer in time. Nothing was consumed, unless {@link isUncertain}. The response is
 * `temporarily_unavailable`.
 */
export class PortFailed extends Data.TaggedError("PortFailed")<{
  readonly port: string
  readonly operation: string
  readonly cause: unknown
}> {
  constructor(failed: { readonly port: string; readonly operation: string; readonly cause: unknown }) {
    super({ ...failed, cause: readable(failed.cause) })
  }

  override get message(): string {
    return `${this.port}.${this.operation}: ${String(this.cause)}`
  }
}

/** Reports whether the outcome of a failed operation is unknown, as when a commit was never answered. */
export const isUncertain = ({ operation: name, cause }: PortFailed): boolean =>
  name === "commit" && typeof cause === "object" && cause !== null && "uncertain" in cause && cause.uncertain === true
