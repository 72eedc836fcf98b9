import * as Effect from "effect/Effect"
import type { Setup } from "../config/setup.ts"
import { systemCode } from "../config/file.ts"
import { type Failed, failed } from "../failure.ts"

/** A place to listen at, with the setting that names it and the advice for another port. */
interface Place {
  readonly setting: string
  readonly host: string
  readonly port: number
  readonly other: string
}

/**
 * Returns the place that an error of the system is about. The error has the port, or for a host without an address only the host's name.
 */
const placeOf = (cause: unknown, { listen, mutualTls }: Pick<Setup, "listen" | "mutualTls">): Place => {
  const own: Place = { setting: "listen", ...listen, other: "with --port N" }
  if (mutualTls === undefined || typeof cause !== "object" || cause === null) return own
  const { host = "127.0.0.1", port } = mutualTls.listen
  const isOther = "port" in cause ? cause.port === port && port !== listen.port : "hostname" in cause && cause.hostname === host
  return isOther ? { setting: "mutual_tls.listen", host, port, other: "in mutual_tls.listen.port" } : own
}

/** Translates the failure to listen, with the listener and the remedy. Anything but an error of the system is a defect. */
export const listenFailure = (cause: unknown, setup: Pick<Setup, "listen" | "mutualTls">): Effect.Effect<never, Failed> => {
  const { setting, host, port, other } = placeOf(cause, setup)
  const code = systemCode(cause)
  switch (code) {
    case "EADDRINUSE":
      return failed(`port ${port} of ${host} is in use`, `stop what uses it, or choose another ${other}`)
    case "EACCES":
      return failed(`this user cannot listen on port ${port}`, `choose a port from 1024 on ${other}, behind a proxy`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return failed(`${host} is not an address of this machine`, `name another in ${setting}.host`)
    default:
      return cause instanceof Error && "syscall" in cause
        ? failed(
            `nothing can listen on port ${port} of ${host}: ${code}`,
            `name another address in ${setting}.host, or another port ${other}`,
          )
        : Effect.die(cause)
  }
}
