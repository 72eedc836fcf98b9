import * as Data from "effect/Data"

/** A port that threw or rejected, or did not answer in time. Nothing was consumed, unless {@link isUncertain}; the request is answered `temporarily_unavailable`. */
export class PortFailed extends Data.TaggedError("PortFailed")<{
  readonly port: string
  readonly operation: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.port}.${this.operation}: ${String(this.cause)}`
  }
}

/** Reports whether a port failed without anybody knowing if it did what it was asked: a commit whose answer never came. */
export const isUncertain = ({ operation: name, cause }: PortFailed): boolean =>
  name === "commit" && typeof cause === "object" && cause !== null && "uncertain" in cause && cause.uncertain === true
