import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Composition } from "../features/feature.ts"
import type { AnsweredCall } from "../features/ownPages.ts"
import { type PageCall, type PortFailed, type Ports, type RecorderPort, type RequestRecord, resolvingClients } from "../ports/index.ts"
import { recorded, safely as safeRecord } from "../ports/recorded.ts"
import { ending, mapped, onward } from "../ports/steps.ts"
import { type Tracing, tracing } from "../rules/rule.ts"
import { type RemoteDocuments, documentsNoted, noDocuments } from "../settle/documents.ts"
import { type Guesses, noGuesses } from "../settle/guesses.ts"
import { type Inquiry, freshLocator } from "../settle/request.ts"
import { type Contended, settle } from "../settle/settle.ts"
import { type Answer, type Message, encodeBase64Url } from "../wire/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import { onceFor } from "./composition.ts"
import { type Cors, corsOf } from "./cors.ts"
import { attemptLimited } from "./limited.ts"
import { type Auditing, auditing } from "./audit.ts"
import { type Ending, type Writing, broken, failedSafely, wrong } from "./failed.ts"
import { type Addressed, type ServedEndpoint, addressed, reach } from "./reach.ts"
import { audit, leave, report } from "./record.ts"
import type { Written } from "./pageAnswer.ts"
import { render, stamped } from "./render.ts"

const allow = ({ methods }: Endpoint): string => [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")

const plain = (status: number, headers: ReadonlyArray<readonly [string, string]>): Answer => ({ status, headers, body: "" })

/** The parts of a provider that all its answers need. */
interface Means extends Writing {
  readonly cors: Cors
  readonly auditing: Auditing
  /** The call of an embedder's page, if the request comes from one. */
  readonly call?: PageCall
}

/** Answers OPTIONS and unsupported methods instead of the endpoint; undefined if the endpoint must be called. */
const unasked = (endpoint: Endpoint, message: Message, inquiry: Inquiry, { allowed }: Cors): Effect.Effect<Ending> | undefined => {
  if (message.method === "OPTIONS") {
    const preflight = endpoint.cors
      ? [
          ["access-control-allow-methods", endpoint.methods.join(", ")] as const,
          ["access-control-allow-headers", allowed] as const,
          ["access-control-max-age", "600"] as const,
        ]
      : []
    return Effect.succeed({ answer: plain(204, [["allow", allow(endpoint)], ...preflight]), outcome: "Options", fault: undefined })
  }
  // HEAD is handled as GET; the server that sends the answer omits its body.
  const method = message.method === "HEAD" ? "GET" : message.method
  if (endpoint.methods.some((each) => each === method)) return undefined
  const page =
    endpoint.audience === "programs"
      ? Effect.succeed({ answer: plain(405, [["cache-control", "no-store"]]) })
      : wrong(endpoint, "method_not_allowed", 405, message, inquiry)
  return mapped<Written, never, Ending>(page, ({ answer, failed }) =>
    endingOf({ answer: { ...answer, headers: [...answer.headers, ["allow", allow(endpoint)]] }, failed }, "MethodNotAllowed"),
  )
}

const answered = (
  endpoint: Endpoint | undefined,
  message: Message,
  inquiry: Inquiry,
  { cors, auditing, write }: Means,
): Effect.Effect<Ending, PortFailed | Contended> => {
  if (endpoint === undefined)
    return mapped(wrong(undefined, "not_found", 404, message, inquiry), (written) => endingOf(written, "NotFound"))
  const ending = unasked(endpoint, message, inquiry, cors)
  if (ending !== undefined) return ending
  const asked = message.method === "HEAD" ? { ...message, method: "GET", sentMethod: "HEAD" } : message
  return onward(
    settle(inquiry, () => attemptLimited(endpoint)(asked, inquiry)),
    (settled) => {
      audit(auditing, settled.decision, endpoint.name, inquiry)
      return mapped(write(settled, message, inquiry), (written) => endingOf(written, settled.decision._tag))
    },
  )
}

/** Returns the ending of a request whose page may have been replaced. */
const endingOf = ({ answer, failed }: Written, outcome: string): Ending => ({
  answer,
  outcome: failed === undefined ? outcome : failed._tag,
  fault: failed?.message,
  failed,
})

const recordOf = (recorder: RecorderPort, message: Message, millis: number, { call }: Means): RequestRecord | undefined => {
  try {
    const record = recorder.begin(message, millis, call)
    return record ? safeRecord(record) : undefined
  } catch {
    // A failure to record does not affect the answer.
    return undefined
  }
}

/**
 * The state of a provider that its requests use. It consists of values only, so that a thousand issuers of one process share every
 * function.
 */
export interface Serving extends Addressed {
  readonly ports: Ports
  readonly provider: Composition
  readonly means: Means
  readonly remote: RemoteDocuments
  readonly guesses: Guesses
}

const meansOf = onceFor((provider): Means => ({ cors: corsOf(provider), auditing: auditing(provider), write: render }))

/** Adds the clients as they are known without a fetch, so that no client's host can delay or prevent what asks for them. */
const withKnownClients = (ports: Ports, { clientResolvers }: Composition): Ports => {
  const { clients, tokens, clock, digest } = ports
  return { ...ports, knownClients: resolvingClients(clients, clientResolvers, { tokens, clock, digest, judging: ports }) }
}

/** Creates the state that the requests of a provider use. */
export const servingOf = (ports: Ports, provider: Composition): Serving => ({
  ports: withKnownClients(ports, provider),
  provider,
  means: meansOf(provider),
  ...addressed(provider, ports.settings.issuer),
  remote: noDocuments(),
  guesses: noGuesses(ports.settings.processes),
})

/** Returns the ports of one request. Its trail records the rules by which clients were judged. */
const resolving = (
  { ports, provider: { clientResolvers } }: Serving,
  trace: Tracing,
  address: string | undefined,
  record: RequestRecord | undefined,
): Ports => {
  if (clientResolvers.length === 0) return ports
  const { clients, tokens, clock, digest } = ports
  return {
    ...ports,
    clients: resolvingClients(clients, clientResolvers, {
      tokens,
      clock,
      digest,
      // Few requests need it, because most clients are in the store.
      get asking() {
        return { ...ports, address }
      },
      noted: (steps) => {
        record?.asked("ClientResolvers", "judged", [trace.steps.length], { _tag: "Answered", value: steps.length })
        trace.steps.push(...steps)
      },
    }),
  }
}

const begun = (
  { provider, guesses }: Serving,
  message: Message,
  millis: number,
  ports: Ports,
  remote: RemoteDocuments,
  trace: Tracing,
): Inquiry => ({
  ports,
  requestId: freshLocator({ ports, millis }),
  address: message.address,
  millis,
  now: Math.floor(millis / 1000),
  trace,
  nonce: () => encodeBase64Url(ports.entropy.bytes(16)),
  remote,
  guesses,
  parts: provider,
  about: {
    clientId: undefined,
    subject: undefined,
    profile: undefined,
    uiLocales: undefined,
    askedAt: undefined,
    tenant: undefined,
    callback: undefined,
    account: undefined,
    confirmation: undefined,
    proved: undefined,
    binding: undefined,
    facts: undefined,
  },
  changes: [],
  spent: [],
  headers: [],
  kept: { guess: undefined, isRight: false, verification: undefined, upstream: undefined },
})

/** Returns what the caller of a request receives: the answer, or also the inquiry, which is undefined if it could not be started. */
type Returned<A> = (answer: Answer, inquiry: Inquiry | undefined) => A

type Answers = <A>(serving: Serving, message: Message, endpoint: Endpoint | undefined, by: Means, returned: Returned<A>) => Effect.Effect<A>

const answer: Answers = (serving, message, endpoint, by, returned) => {
  const { ports, remote } = serving
  return onward(ports.clock(), (millis) => {
    const record = ports.recorder === undefined ? undefined : recordOf(ports.recorder, message, millis, by)
    const trace = tracing(ports.settings.rulesOff)
    const own = resolving(serving, trace, message.address, record)
    const inquiry =
      record === undefined
        ? begun(serving, message, millis, own, remote, trace)
        : begun(serving, message, millis, recorded(own, record), documentsNoted(remote, record), trace)
    const attempt = ending(() => answered(endpoint, message, inquiry, by))
    const left = ({ answer, outcome, fault, failed }: Ending) => {
      if (failed !== undefined) report(ports, Cause.fail(failed), inquiry, endpoint)
      const trail = leave(inquiry, endpoint, outcome, fault, answer.status)
      const full = stamped(answer, [...inquiry.headers, ...(endpoint?.cors === true ? by.cors.answer : [])], inquiry.requestId)
      record?.ended(full, trail)
      return returned(full, inquiry)
    }
    return onward(attempt, (exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(left(exit.value))
      return mapped(failedSafely(endpoint, exit.cause, message, inquiry, by), (ended) => {
        report(ports, exit.cause, inquiry, endpoint)
        return left(ended)
      })
    })
  })
}

/** If the clock or the source of randomness fails, this is the only possible answer. */
const safely: Answers = (serving, message, endpoint, by, returned) => {
  const attempt = ending(() => answer(serving, message, endpoint, by, returned))
  return mapped(attempt, (exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    report(serving.ports, exit.cause, undefined, undefined)
    return returned(broken, undefined)
  })
}

const alone: Returned<Answer> = (answer) => answer

/** Answers a message: finds its endpoint, settles it, renders it, and records its trail. */
export const answerTo = (serving: Serving, message: Message): Effect.Effect<Answer> => {
  try {
    return safely(serving, message, reach(serving, message.path)?.endpoint, serving.means, alone)
  } catch (cause) {
    // Untyped code may pass a message without a path.
    report(serving.ports, Cause.die(cause), undefined, undefined)
    return Effect.succeed(broken)
  }
}

/** Answers the call of an embedder's page with an endpoint that has no path. `write` may render the decision in another form. */
export const answerBy = (
  serving: Serving,
  endpoint: Endpoint,
  message: Message,
  call: PageCall,
  write: typeof render = render,
): Effect.Effect<AnsweredCall> =>
  safely(serving, message, endpoint, { ...serving.means, write, call }, (answer, inquiry) => ({ answer, inquiry }))

/** Finds the endpoint of a path, whatever the method. */
export const endpointAt = (serving: Serving, path: string): ServedEndpoint | undefined => reach(serving, path)?.served
