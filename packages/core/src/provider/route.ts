import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Composition } from "../features/feature.ts"
import type { Settings, Trouble } from "../model/index.ts"
import { refuse } from "../model/index.ts"
import { OutwardRefused, type PortFailed, type Ports, type RecorderPort, type RequestRecord, isUncertain } from "../ports/index.ts"
import { recorded, safely as safeRecord } from "../ports/recorded.ts"
import { ending, mapped, onward } from "../ports/steps.ts"
import { tracing } from "../rules/rule.ts"
import { type RemoteDocuments, documentsNoted, noDocuments } from "../settle/documents.ts"
import { noGuesses } from "../settle/guesses.ts"
import { type Inquiry, freshLocator } from "../settle/request.ts"
import { type Contended, settle, sign } from "../settle/settle.ts"
import { type Answer, type Message, encodeBase64Url, requestIdHeader } from "../wire/index.ts"
import { authorizationServerPath } from "../features/discovery/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import { endpointsOf } from "./compose.ts"
import { attemptLimited } from "./limited.ts"
import { type Auditing, auditing } from "./audit.ts"
import { audit, leave, report } from "./record.ts"
import { basePathOf, errorJson, pageAnswer, render, stamped } from "./render.ts"

/** Seconds before another try makes sense, where the failed port names none. */
const retryAfter = 2

/** Seconds that a failed port names for another try. */
const retryAfterOf = (error: PortFailed | Contended): number =>
  error._tag === "PortFailed" && error.cause instanceof OutwardRefused ? error.cause.retryAfter : retryAfter

/** Headers for scripts of other origins (Fetch §3.2). */
interface Cors {
  /** Of every answer of an endpoint whose answers they may read. */
  readonly answer: ReadonlyArray<readonly [string, string]>
  /** The names of the request headers that they may send. */
  readonly allowed: string
}

const corsOf = ({ features }: Composition): Cors => ({
  answer: [
    ["access-control-allow-origin", "*"],
    [
      "access-control-expose-headers",
      [requestIdHeader, "www-authenticate", "retry-after", ...features.flatMap((each) => each.exposedHeaders ?? [])].join(", "),
    ],
  ],
  allowed: ["authorization", "content-type", ...features.flatMap((each) => each.allowedHeaders ?? [])].join(", "),
})

const allow = ({ methods }: Endpoint): string => [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")

const plain = (status: number, headers: ReadonlyArray<readonly [string, string]>): Answer => ({ status, headers, body: "" })

const descriptions = {
  server_error: "The provider failed. Quote the request id to its operator.",
  temporarily_unavailable: "The provider cannot answer now; nothing was changed. Try again.",
} as const

/** Of a commit that nobody answered for. */
const uncertain = "The provider cannot answer now; whether the request was carried out is not known. Try again."

const wrong = (
  endpoint: Endpoint | undefined,
  trouble: Trouble,
  status: number,
  message: Message,
  inquiry: Inquiry,
  fault?: "server_error" | "temporarily_unavailable",
  description = fault === undefined ? "" : descriptions[fault],
  wait?: number,
): Answer => {
  if (endpoint?.audience === "programs" && fault !== undefined) {
    return errorJson({ ...refuse(fault, description), retryAfter: wait })
  }
  return pageAnswer(
    { _tag: "Error", trouble, error: fault, retryAfter: wait },
    status,
    message,
    inquiry,
    [],
    wait === undefined ? [] : [["retry-after", String(wait)]],
  )
}

/** The endpoint of a path, exactly; nothing is folded or trimmed. */
const table = (settings: Settings, provider: Composition): ReadonlyMap<string, Endpoint> => {
  const base = basePathOf(settings.issuer)
  return new Map(
    endpointsOf(provider).map((endpoint) => [
      endpoint.path === authorizationServerPath ? endpoint.path + base : base + endpoint.path,
      endpoint,
    ]),
  )
}

interface Ending {
  readonly answer: Answer
  readonly outcome: string
  readonly fault: string | undefined
}

/** The parts of a provider that every answer of it is made with. */
interface Means {
  readonly cors: Cors
  readonly auditing: Auditing
}

/** Answers in the endpoint's place: with the methods it allows, or that it does not know the method; undefined when it is to be asked. */
const unasked = (endpoint: Endpoint, message: Message, inquiry: Inquiry, { allowed }: Cors): Ending | undefined => {
  if (message.method === "OPTIONS") {
    const preflight = endpoint.cors
      ? [
          ["access-control-allow-methods", endpoint.methods.join(", ")] as const,
          ["access-control-allow-headers", allowed] as const,
          ["access-control-max-age", "600"] as const,
        ]
      : []
    return { answer: plain(204, [["allow", allow(endpoint)], ...preflight]), outcome: "Options", fault: undefined }
  }
  // HEAD is answered as GET is; whoever sends the answer leaves its body out.
  const method = message.method === "HEAD" ? "GET" : message.method
  if (endpoint.methods.some((each) => each === method)) return undefined
  const page =
    endpoint.audience === "programs"
      ? plain(405, [["cache-control", "no-store"]])
      : wrong(endpoint, "method_not_allowed", 405, message, inquiry)
  return {
    answer: { ...page, headers: [...page.headers, ["allow", allow(endpoint)] as const] },
    outcome: "MethodNotAllowed",
    fault: undefined,
  }
}

const answered = (
  endpoint: Endpoint | undefined,
  message: Message,
  inquiry: Inquiry,
  { cors, auditing }: Means,
): Effect.Effect<Ending, PortFailed | Contended> => {
  if (endpoint === undefined)
    return Effect.succeed({ answer: wrong(undefined, "not_found", 404, message, inquiry), outcome: "NotFound", fault: undefined })
  const ending = unasked(endpoint, message, inquiry, cors)
  if (ending !== undefined) return Effect.succeed(ending)
  const asked = message.method === "HEAD" ? { ...message, method: "GET" } : message
  return mapped(
    settle(inquiry, () => attemptLimited(endpoint)(asked, inquiry)),
    (settled) => {
      audit(auditing, settled.decision, endpoint.name, inquiry)
      return { answer: render(settled, message, inquiry), outcome: settled.decision._tag, fault: undefined }
    },
  )
}

/** A failure as it is answered: to the client, once it is known to be one (RFC 6749 §4.1.2.1), else where it was asked. */
const faulty = (
  endpoint: Endpoint | undefined,
  trouble: Trouble,
  status: number,
  message: Message,
  inquiry: Inquiry,
  error: "server_error" | "temporarily_unavailable",
  description: string = descriptions[error],
  wait?: number,
): Effect.Effect<Answer> => {
  const { callback } = inquiry.about
  const here = (): Answer => wrong(endpoint, trouble, status, message, inquiry, error, description, wait)
  if (callback === undefined) return Effect.succeed(here())
  const params = [["error", error] as const, ["error_description", description] as const]
  const told = ending(() => sign({ _tag: "SendBack", callback, params, tokens: undefined, cookies: [], commands: [] }, inquiry))
  return mapped(told, (exit) => (Exit.isSuccess(exit) ? render(exit.value, message, inquiry) : here()))
}

/** The failure of an attempt as it is answered, and as the operator reads it. */
const failed = (
  endpoint: Endpoint | undefined,
  cause: Cause.Cause<PortFailed | Contended>,
  message: Message,
  inquiry: Inquiry,
): Effect.Effect<Ending> => {
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some") {
    const fault = error.value.message
    const [trouble, said] =
      error.value._tag === "PortFailed" && isUncertain(error.value)
        ? (["uncertain", uncertain] as const)
        : (["unavailable", descriptions.temporarily_unavailable] as const)
    const wait = retryAfterOf(error.value)
    const outcome = error.value._tag
    return mapped(faulty(endpoint, trouble, 503, message, inquiry, "temporarily_unavailable", said, wait), (answer) => ({
      answer,
      outcome,
      fault,
    }))
  }
  return mapped(faulty(endpoint, "failed", 500, message, inquiry, "server_error"), (answer) => ({
    answer,
    outcome: Cause.hasInterruptsOnly(cause) ? "Interrupted" : "Defect",
    fault: Cause.pretty(cause),
  }))
}

/** The last resort, when even the page that says so cannot be made. */
const broken: Answer = { status: 500, headers: [["cache-control", "no-store"]], body: "" }

/** A failure, even of the page that tells it. */
const failedSafely: typeof failed = (endpoint, cause, message, inquiry) =>
  mapped(
    ending(() => failed(endpoint, cause, message, inquiry)),
    (exit) => (Exit.isSuccess(exit) ? exit.value : { answer: broken, outcome: "Defect", fault: Cause.pretty(exit.cause) }),
  )

const recordOf = ({ begin }: RecorderPort, message: Message, millis: number): RequestRecord | undefined => {
  try {
    const record = begin(message, millis)
    return record && safeRecord(record)
  } catch {
    // As every failure of a record, it costs no answer.
    return undefined
  }
}

/** The endpoints of a provider, ready to answer. */
export interface Routes {
  readonly answer: (message: Message) => Effect.Effect<Answer>
  /** Finds the endpoint of a path, whatever the method. */
  readonly endpointAt: (path: string) => ServedEndpoint | undefined
}

/** An endpoint as the shell around a provider has to know it. */
export interface ServedEndpoint {
  /** Its name in trails and audit events. */
  readonly name: string
  /** The path below the issuer's that metrics count it under. */
  readonly countedAs: string
  /** The reader of its answers: a person gets a page, a program JSON. */
  readonly audience: "people" | "programs"
}

/** Answers every message, at once: finds its endpoint, settles it, renders it, and leaves its trail. */
export const route = (ports: Ports, provider: Composition): Routes => {
  const paths = table(ports.settings, provider)
  const served = new Map(
    [...paths].map(([path, { name, path: below, countedAs = below, audience }]) => [path, { name, countedAs, audience }]),
  )
  const cors = corsOf(provider)
  const means = { cors, auditing: auditing(provider) }
  const remote = noDocuments()
  const guesses = noGuesses(ports.settings.processes)
  const begun = (message: Message, millis: number, ports: Ports, remote: RemoteDocuments): Inquiry => ({
    ports,
    requestId: freshLocator({ ports, millis }),
    address: message.address,
    millis,
    now: Math.floor(millis / 1000),
    trace: tracing(ports.settings.rulesOff),
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
    },
    changes: [],
    kept: { guess: undefined, isRight: false, verification: undefined, upstream: undefined },
  })
  const answer = (message: Message): Effect.Effect<Answer> =>
    onward(ports.clock(), (millis) => {
      const record = ports.recorder === undefined ? undefined : recordOf(ports.recorder, message, millis)
      const inquiry =
        record === undefined
          ? begun(message, millis, ports, remote)
          : begun(message, millis, recorded(ports, record), documentsNoted(remote, record))
      const endpoint = paths.get(message.path)
      const attempt = ending(() => answered(endpoint, message, inquiry, means))
      const left = ({ answer, outcome, fault }: Ending): Answer => {
        const trail = leave(inquiry, endpoint, outcome, fault, answer.status)
        const full = stamped(answer, endpoint?.cors === true ? cors.answer : [], inquiry.requestId)
        record?.ended(full, trail)
        return full
      }
      return onward(attempt, (exit) => {
        if (Exit.isSuccess(exit)) return Effect.succeed(left(exit.value))
        return mapped(failedSafely(endpoint, exit.cause, message, inquiry), (ended) => {
          report(ports, exit.cause, inquiry, endpoint)
          return left(ended)
        })
      })
    })
  // A clock or a source of chance that fails leaves nothing to answer with but this.
  const safely = (message: Message): Effect.Effect<Answer> => {
    const attempt = ending(() => answer(message))
    return mapped(attempt, (exit) => {
      if (Exit.isSuccess(exit)) return exit.value
      report(ports, exit.cause, undefined, undefined)
      return broken
    })
  }
  return { answer: safely, endpointAt: (path) => served.get(path) }
}
