import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Ports, ServiceAsked } from "./ports.ts"
import type { PortAnswer, RequestRecord } from "./recorder.ts"
import { PortFailed } from "./portFailed.ts"
import { isThere } from "./steps.ts"

/** Wraps a record so that it is dropped at its first failure, which does not affect the request. */
export const safely = (record: RequestRecord): RequestRecord => {
  let broken = false
  const guarded =
    <Args extends ReadonlyArray<unknown>>(tell: (...args: Args) => void) =>
    (...args: Args): void => {
      if (broken) return
      try {
        tell(...args)
      } catch {
        broken = true
      }
    }
  return { ...record, asked: guarded(record.asked), drew: guarded(record.drew), ended: guarded(record.ended) }
}

type Operation = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

/** Returns the error that a port threw. */
const thrown = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "cause" in error ? error.cause : error
}

const answerOf = (exit: Exit.Exit<unknown, unknown>): PortAnswer =>
  Exit.isSuccess(exit) ? { _tag: "Answered", value: exit.value } : { _tag: "Failed", cause: thrown(exit.cause) }

/** Wraps a lifted port so that each operation is recorded. The operations of a store's part are created on access. */
const noted = <Lifted extends object>(port: string, lifted: Lifted, { asked }: RequestRecord): Lifted => {
  const told = (operation: string, run: Operation): Operation => {
    return (...args) => {
      const effect = run(...args)
      const ended = (exit: Exit.Exit<unknown, unknown>): void => asked(port, operation, args, answerOf(exit))
      if (!isThere(effect)) return Effect.onExit(effect, (exit) => Effect.sync(() => ended(exit)))
      ended(effect)
      return effect
    }
  }
  return new Proxy(lifted, {
    get: (_, name) => {
      const member: unknown = Reflect.get(lifted, name)
      // Each function of a lifted port is an operation.
      return typeof member === "function" && typeof name === "string" ? told(name, member as Operation) : member
    },
  })
}

/** Calls a service of the operator and records its answer, or returns the recorded answer. */
const serviceAsked =
  ({ asked, recalled }: RequestRecord): ServiceAsked =>
  <A>(service: string, operation: string, args: ReadonlyArray<unknown>, ask: Effect.Effect<A, PortFailed>) => {
    if (recalled === undefined) return Effect.onExit(ask, (exit) => Effect.sync(() => asked(service, operation, args, answerOf(exit))))
    const answer = recalled(service, operation, args)
    if (answer._tag === "Failed") return Effect.fail(new PortFailed({ port: service, operation, cause: answer.cause }))
    // The service returned this value when it was recorded.
    return Effect.succeed(answer.value as A)
  }

/** Wraps the ports so that all their calls are recorded. */
export const recorded = (ports: Ports, record: RequestRecord): Ports => ({
  ...ports,
  clients: noted("ClientStore", ports.clients, record),
  knownClients: noted("ClientStore", ports.knownClients, record),
  tokens: noted("TokenStore", ports.tokens, record),
  signer: noted("Signer", ports.signer, record),
  authenticator: noted("Authenticator", ports.authenticator, record),
  identityProviders: noted("IdentityProviders", ports.identityProviders, record),
  outbound: noted("Outbound", ports.outbound, record),
  jwts: noted("Jwts", ports.jwts, record),
  digest: noted("Digest", ports.digest, record),
  serviceAsked: serviceAsked(record),
  entropy: {
    bytes: (count) => {
      const bytes = ports.entropy.bytes(count)
      record.drew(bytes)
      return bytes
    },
  },
  limiter: ports.limiter && {
    take: (...asked) => {
      const wait = ports.limiter?.take(...asked) ?? 0
      record.asked("Limiter", "take", asked, { _tag: "Answered", value: wait })
      return wait
    },
  },
})
