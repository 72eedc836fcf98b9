import { type Received, json, mediaType } from "../exchange/exchange.ts"
import { redacted } from "../exchange/redact.ts"
import type { Requirement } from "../requirement/requirement.ts"
import { openChromium } from "../browser/chromium.ts"
import { Steps } from "../steps/steps.ts"
import { type Registered, registerMissing } from "../target/dynamic.ts"
import { Inconclusive, type Opening, type Target, Unreachable, Untried } from "../target/target.ts"
import type { Hand, Renderer } from "../target/visiting.ts"
import { unmet } from "./needs.ts"
import type { Report, Result, Verdict } from "./result.ts"

/** Choices of a run. */
export interface RunOptions {
  /** The name of the set, for the report. */
  readonly set?: string
  /** Told of each result as it comes. */
  readonly onResult?: (result: Result, done: number, all: number) => void
  /** Milliseconds for a requirement; 30,000 when not given. */
  readonly patience?: number
  /** True where requirements may be tried that leave something behind; not when not given. */
  readonly write?: boolean
  /** True where clients are registered for the roles that the target lacks, where it offers dynamic registration; not when not given. They are deleted at the end. */
  readonly register?: boolean
  /** Told of the clients that were registered, and of those that were refused. */
  readonly onRegistered?: (registered: Registered) => void
  /** A person who goes through the target's pages; its recipe is not used then. */
  readonly hand?: Hand | undefined
  /** Ends the run before its next requirement. */
  readonly signal?: AbortSignal
}

/** Number of exchanges that a report shows of a requirement. */
const mostShown = 4

/** Reads the metadata of a target. Rejects with `Unreachable` where there is none. */
export const discovered = async (target: Target): Promise<Readonly<Record<string, unknown>>> => {
  const url = `${target.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const received = await target.send({ method: "GET", url, headers: { accept: "application/json" } })
  const metadata = json(received)
  if (received.status !== 200) throw new Unreachable(`GET ${url}: status ${received.status} where 200 is needed`)
  if (metadata === undefined) throw new Unreachable(`GET ${url}: ${mediaType(received) || "no media type"} where a JSON object is needed`)
  return metadata
}

const failing: Readonly<Record<Requirement["level"], Verdict>> = { MUST: "fail", SHOULD: "warn", MAY: "fail" }

/** Tries one requirement with a target. Never rejects: an answer that does not come makes it inconclusive. */
export const tried = async (
  requirement: Requirement,
  target: Target,
  metadata: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
): Promise<Result> => {
  const began = performance.now()
  const steps = new Steps(target, metadata)
  const { id, paragraph, level, title } = requirement
  const result = (verdict: Verdict, reason?: string, exchanges: ReadonlyArray<Received> = []): Result => ({
    requirement: { id, paragraph, level, title },
    verdict,
    reason,
    exchanges: exchanges.slice(-mostShown).map((each) => redacted(each, secretsOf(target))),
    trail: exchanges.length === 0 ? undefined : target.trail?.(exchanges[exchanges.length - 1] as Received),
    duration: performance.now() - began,
  })
  const reason = unmet(requirement.needs, target, metadata, options.write ?? false)
  if (reason !== undefined) return result(reason.verdict, reason.why)
  try {
    const seen = await inTime(requirement.steps(steps), options.patience ?? 30_000 + 4 * (target.hand?.wait ?? 0))
    const finding = requirement.oracle(seen)
    return finding === undefined ? result("pass") : result(failing[level], finding, steps.exchanges)
  } catch (error) {
    if (error instanceof Inconclusive)
      return result("inconclusive", error.message, error.exchanges.length > 0 ? error.exchanges : steps.exchanges)
    if (error instanceof Untried) return result("skip", error.message)
    if (error instanceof Unreachable) return result("inconclusive", error.message, steps.exchanges)
    return result("inconclusive", `its steps failed: ${error instanceof Error ? error.message : String(error)}`, steps.exchanges)
  }
}

const secretsOf = ({ clients, person }: Target): ReadonlyArray<string> =>
  [...Object.values(clients).map(({ client_secret }) => client_secret), person?.password].filter((each) => each !== undefined)

const inTime = async <A>(promise: Promise<A>, millis: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Inconclusive(`it took more than ${millis} ms`)), millis)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Tries requirements with a target, one after the other. Rejects with `Unreachable` where the target does not answer, and with `NoChromium` where its pages
 * need JavaScript and nothing here runs it.
 */
export const run = async (opening: Opening, requirements: ReadonlyArray<Requirement>, options: RunOptions = {}): Promise<Report> => {
  const began = performance.now()
  const startedAt = new Date().toISOString()
  const results: Array<Result> = []
  let renderer: Promise<Renderer> | undefined
  const ready = async () => {
    const { target, metadata } = await opened(opening)
    const needs = options.hand === undefined && target.renderer === undefined && target.recipe.pages.some(({ javascript }) => javascript)
    return { metadata, target: { ...target, hand: options.hand, renderer: needs ? await (renderer ??= openChromium()) : target.renderer } }
  }
  let registered: Registered | undefined
  try {
    const plain = opening.fresh ? undefined : await ready()
    if (plain !== undefined && options.register === true) {
      registered = await registerMissing(plain.target, plain.metadata)
      options.onRegistered?.(registered)
    }
    const once =
      plain === undefined
        ? undefined
        : { ...plain, target: { ...plain.target, clients: { ...plain.target.clients, ...registered?.clients } } }
    for (const requirement of requirements) {
      if (options.signal?.aborted === true) break
      const { target, metadata } = once ?? (await ready())
      const result = await tried(requirement, target, metadata, options)
      // A target that is gone ends the run; one that only failed to answer once does not.
      if (result.verdict === "inconclusive") await discovered(target)
      results.push(result)
      options.onResult?.(result, results.length, requirements.length)
    }
  } finally {
    await registered?.remove()
    await (await renderer?.catch(() => undefined))?.close()
  }
  return { target: opening.name, set: options.set ?? "all", startedAt, duration: performance.now() - began, results }
}

const opened = async (opening: Opening) => {
  const target = await opening.open()
  return { target, metadata: await discovered(target) }
}
