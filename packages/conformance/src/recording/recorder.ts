import { randomBytes } from "node:crypto"
import {
  type AnyFeature,
  type Json,
  type JsonObject,
  type Message,
  type PageCall,
  type PortAnswer,
  type ProviderOptions,
  type ProviderPorts,
  type RecorderPort,
  type Trail,
  compose,
  secretOf,
} from "@postern/core"
import { argsKept, decide, ownSecrets, textKey } from "./decide.ts"
import type { Beginning, Call, Decided, Entry } from "./entry.ts"
import { sealedMessage } from "./message.ts"
import { publicWordsOf } from "./publicWords.ts"
import { type StandIns, standIns } from "./standIns.ts"
import { plain } from "./value.ts"

/** The settings to record of a provider. Functions and secrets are omitted. */
export const settingsOf = (options: ProviderOptions): Beginning["settings"] => {
  const { features: _features, grants: _grants, pairwiseSalt: _salt, accountKey: _key, ...settings } = optionsOnly(options)
  return plain(settings) as Beginning["settings"]
}

const settingNames = [
  "issuer",
  "scopes",
  "resources",
  "sessionLifetime",
  "interactionLifetime",
  "interactions",
  "upstream",
  "acr",
  "acrValues",
  "tenants",
  "pairwiseSalt",
  "features",
  "settings",
  "grants",
  "profile",
  "rulesOff",
] as const satisfies ReadonlyArray<keyof ProviderOptions>

/** Selects the settings from options that may also hold ports. */
const optionsOnly = (options: ProviderOptions): ProviderOptions => ({
  issuer: options.issuer,
  ...Object.fromEntries(settingNames.map((name) => [name, options[name]])),
})

/** The names of the features of a provider. */
export const featureNames = (features: ReadonlyArray<AnyFeature> | undefined, grants: ProviderOptions["grants"]): ReadonlyArray<string> =>
  compose({ features, grants }).features.map(({ name }) => name)

/** A recorded provider, with the records still in progress. */
export interface Recorder {
  /** Options and ports for `createProvider`. */
  readonly options: ProviderOptions & ProviderPorts
  /** Resolves when every completed request is recorded. */
  readonly settled: () => Promise<void>
}

interface Heard {
  readonly port: string
  readonly operation: string
  readonly args: ReadonlyArray<unknown>
  readonly answer: PortAnswer
}

/** Random values of up to this many bytes are not secret. They are ids of rows and of requests. */
const harmless = 8

/** Operations that are not recorded, because a replay performs them itself or they have no result. */
const left = new Set(["Signer.sign", "TokenStore.durable", "ClientResolvers.judged"])

/**
 * The steps of a trail without those in which resolvers judged a client. A record has the client that they found, and a replay does not
 * call them.
 */
const ownSteps = (steps: Trail["steps"], heard: ReadonlyArray<Heard>): Trail["steps"] => {
  const judged = heard.flatMap(({ port, args, answer }) =>
    port === "ClientResolvers" && answer._tag === "Answered" ? [{ from: Number(args[0]), count: Number(answer.value) }] : [],
  )
  return steps.filter((_, at) => !judged.some(({ from, count }) => at >= from && at < from + count))
}

const failureOf = (cause: unknown): NonNullable<Call["failed"]> => {
  const told = typeof cause === "object" && cause !== null ? cause : {}
  return {
    uncertain: "uncertain" in told && told.uncertain === true,
    ...("retryAfter" in told && typeof told.retryAfter === "number" ? { retryAfter: told.retryAfter } : {}),
  }
}

/** Ports whose operations receive a token as text. */
const ofTokens = new Set(["Signer", "Jwts"])

const callOf = ({ port, operation, args, answer }: Heard, { digested, token, value }: StandIns): Call => {
  const op = `${port}.${operation}`
  const written = (each: Json): Json => (ofTokens.has(port) && typeof each === "string" ? token(each) : value(each))
  const kept = port === "Digest" ? [textKey(digested(String(args[0])))] : argsKept(port, operation, args).map(written)
  if (answer._tag === "Failed") return { op, args: kept, failed: failureOf(answer.cause) }
  const answered = op === "Jwts.encrypt" && answer.value !== undefined ? "encrypted" : plain(answer.value)
  return answered === undefined ? { op, args: kept } : { op, args: kept, value: value(answered) }
}

/** The call of a page without its secrets. The CSRF token may have any form, so it is learned wherever it comes from. */
const pageOf = (call: PageCall, made: StandIns): NonNullable<Entry["page"]> => {
  if (call._tag === "Interaction") return { call: "interaction" }
  const { csrf } = call.answer
  if (typeof csrf === "string") made.learn(csrf)
  return { call: "resume", answer: made.value(plain(call.answer) ?? {}) as JsonObject }
}

const rulesOf = (steps: Trail["steps"] | Decided["steps"]): string =>
  JSON.stringify(steps.map(({ table, passed, refused }) => [table, passed, refused?.rule]))

/**
 * Records every request of a provider with these options. Each record is decided again before it is passed to `noted`, to check that its
 * stand-ins lead to the same rules as the secrets did. `noted` receives the records in the order of completion. `missed` is told of a
 * request whose record failed, or for which `noted` threw. The provider continues.
 */
export const recorder = (
  given: ProviderOptions & ProviderPorts,
  noted: (entry: Entry) => void,
  missed: (cause: unknown) => void = () => undefined,
): Recorder => {
  const key = randomBytes(32)
  const options = { ...given, accountKey: given.accountKey ?? secretOf(randomBytes(32).toString("base64url")) }
  const by = { options: optionsOnly(options), isLimited: options.limiter !== undefined }
  const provider = compose(options)
  const also = new Set(provider.features.flatMap(({ allowedHeaders = [] }) => allowedHeaders))
  const words = publicWordsOf(provider, options)
  const underway = new Set<Promise<void>>()
  const own: ReadonlyArray<readonly [string | undefined, string]> = [
    [options.accountKey?.reveal(), ownSecrets.accountKey],
    [options.pairwiseSalt?.reveal(), ownSecrets.pairwiseSalt],
  ]

  const record = async (
    message: Message,
    at: number,
    call: PageCall | undefined,
    heard: ReadonlyArray<Heard>,
    drawn: ReadonlyArray<Uint8Array>,
    told: () => Trail,
  ): Promise<void> => {
    const trail = told()
    const made = standIns(key, `${words}\n${message.address ?? ""}`)
    for (const [secret, other] of own) if (secret !== undefined) made.name(secret, other)
    // A digest may be as secret as its input, such as the seal of a cookie or a challenge.
    for (const { port, answer } of heard)
      if (port === "Digest" && answer._tag === "Answered" && typeof answer.value === "string") made.learn(answer.value)
    const { peerCertificate, ...sealed } = sealedMessage(message, { also, issuer: options.issuer, standIns: made })
    const page = call && pageOf(call, made)
    // The address is undefined if it is unknown, which JSON cannot represent.
    const { address, ...known } = sealed
    const chance = drawn.map((bytes) => Buffer.from(bytes).toString("base64url"))
    const entry = {
      request: trail.requestId,
      at,
      message: {
        ...(plain(known) as Omit<Entry["message"], "address" | "certificate">),
        ...(address === undefined ? {} : { address }),
        ...(peerCertificate === undefined
          ? {}
          : { certificate: { der: Buffer.from(peerCertificate.der).toString("base64url"), verified: peerCertificate.verified } }),
      },
      ...(page === undefined ? {} : { page }),
      chance: chance.map((text, index) => ((drawn[index]?.length ?? 0) <= harmless ? text : made.learn(text))),
      calls: heard.filter(({ port, operation }) => !left.has(`${port}.${operation}`)).map((each) => callOf(each, made)),
    }
    const decided = await decide(entry, by)
    const steps = ownSteps(trail.steps, heard)
    const isLike = rulesOf(decided.steps) === rulesOf(steps) && decided.outcome === trail.outcome && decided.status === trail.status
    const rule = steps.findLast(({ refused }) => refused !== undefined)?.refused?.rule
    const was = { outcome: trail.outcome, status: trail.status, ...(rule === undefined ? {} : { rule }) }
    noted({ ...entry, decided, ...(isLike ? {} : { unlike: was }) })
  }

  const port: RecorderPort = {
    begin: (message, at, call) => {
      const heard: Array<Heard> = []
      const drawn: Array<Uint8Array> = []
      return {
        asked: (port, operation, args, answer) => void heard.push({ port, operation, args, answer }),
        drew: (bytes) => void drawn.push(new Uint8Array(bytes)),
        ended: (_answer, trail) => {
          // An unhandled rejection ends the process.
          const making = record(message, at, call, heard, drawn, trail)
            .catch(missed)
            .finally(() => underway.delete(making))
          underway.add(making)
        },
      }
    },
  }
  return {
    options: { ...options, recorder: port },
    settled: async () => {
      while (underway.size > 0) await Promise.allSettled(underway)
    },
  }
}
