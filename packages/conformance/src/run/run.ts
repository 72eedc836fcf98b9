import { messageOf } from "@postern/core/model"
import { kindFault, type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
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

/** Options of a run. */
export interface RunOptions {
  /** The name of the set, for the report. */
  readonly set?: string
  /** Called with each result. */
  readonly onResult?: (result: Result, done: number, all: number) => void
  /** The maximum milliseconds of a requirement; 30,000 by default. */
  readonly patience?: number
  /** True to try requirements that leave something irreversible behind; false by default. */
  readonly write?: boolean
  /**
   * True to register clients for the roles that the target lacks, if it supports dynamic registration; false by default. They are deleted
   * at the end.
   */
  readonly register?: boolean
  /** Called with the registered and the refused clients. */
  readonly onRegistered?: (registered: Registered) => void
  /** A person who passes the target's pages. The recipe is then not used. */
  readonly hand?: Hand | undefined
  /** Ends the run: the requirement that is being tried is left out of the report. */
  readonly signal?: AbortSignal
}

const kinds: MemberKinds<RunOptions> = {
  set: "text?",
  onResult: "function?",
  patience: "number?",
  write: "boolean?",
  register: "boolean?",
  onRegistered: "function?",
  hand: "object?",
  signal: "object?",
}

/** The maximum exchanges of a requirement in a report. */
const mostShown = 4

/** Fetches the metadata of a target. Rejects with `Unreachable` if there is none. */
export const discovered = async (target: Target): Promise<Readonly<Record<string, unknown>>> => {
  const url = `${target.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const received = await target.send({ method: "GET", url, headers: { accept: "application/json" } })
  const metadata = json(received)
  if (received.status !== 200) throw new Unreachable(`GET ${url}: status ${received.status} where 200 is needed`)
  if (metadata === undefined) throw new Unreachable(`GET ${url}: ${mediaType(received) || "no media type"} where a JSON object is needed`)
  return metadata
}

/** The result of a requirement that an ended run did not reach. */
const untried = ({ id, paragraph, level, title }: Requirement): Result => ({
  requirement: { id, paragraph, level, title },
  verdict: "skip",
  reason: "the run was interrupted before it",
  exchanges: [],
  trail: undefined,
  duration: 0,
})

const failing: Readonly<Record<Requirement["level"], Verdict>> = { MUST: "fail", SHOULD: "warn", MAY: "fail" }

/** Tries one requirement on a target. Never rejects: a missing response makes the requirement inconclusive. */
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
    const seen = await inTime(requirement.steps(steps), options.patience ?? 30_000 + 4 * (target.hand?.wait ?? 0), options.signal)
    const finding = requirement.oracle(seen)
    if (finding === undefined) return result("pass")
    // The answers of a provider that limits attempts say nothing of the requirement.
    const isLimited = steps.exchanges.some(({ status }) => status === 429)
    return isLimited
      ? result("inconclusive", `${finding}; the provider limits attempts (status 429): try again later`, steps.exchanges)
      : result(failing[level], finding, steps.exchanges)
  } catch (error) {
    if (error instanceof Inconclusive)
      return result("inconclusive", error.message, error.exchanges.length > 0 ? error.exchanges : steps.exchanges)
    if (error instanceof Untried) return result("skip", error.message)
    if (error instanceof Unreachable) return result("inconclusive", error.message, steps.exchanges)
    return result("inconclusive", `its steps failed: ${messageOf(error)}`, steps.exchanges)
  }
}

const secretsOf = ({ clients, person }: Target): ReadonlyArray<string> =>
  [...Object.values(clients).map(({ client_secret }) => client_secret), person?.password].filter((each) => each !== undefined)

const inTime = async <A>(promise: Promise<A>, millis: number, signal?: AbortSignal): Promise<A> => {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Inconclusive(`it took more than ${millis} ms`)), millis)
  const stop = (): void => reject(new Inconclusive("the run was ended"))
  signal?.addEventListener("abort", stop, { once: true })
  try {
    return await Promise.race([promise, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
}

/**
 * Tries requirements on a target, one after the other. Rejects with `Unreachable` if the target does not answer, with `GoneAway` if
 * it does not any more, and with `NoChromium` if its pages need JavaScript and Chromium is not installed.
 */
export const run = async (opening: Opening, requirements: ReadonlyArray<Requirement>, options: RunOptions = {}): Promise<Report> => {
  refuseFaults(
    "run",
    partFaults("opening", opening, { name: "text", open: "function" }, "Opening"),
    kindFault("requirements", requirements, "objects"),
    memberFaults(options, kinds),
  )
  const began = performance.now()
  const startedAt = new Date().toISOString()
  const results: Array<Result> = []
  const report = (): Report => ({
    target: opening.name,
    set: options.set ?? "all",
    startedAt,
    duration: performance.now() - began,
    results,
  })
  let renderer: Promise<Renderer> | undefined
  const ready = async () => {
    const { target, metadata } = await opened(opening)
    const needs = options.hand === undefined && target.renderer === undefined && target.recipe.pages.some(({ javascript }) => javascript)
    return { metadata, target: { ...target, hand: options.hand, renderer: needs ? await (renderer ??= openChromium()) : target.renderer } }
  }
  let registered: Registered | undefined
  const isEnded = (): boolean => options.signal?.aborted === true
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
      if (isEnded()) break
      const { target, metadata } = once ?? (await ready())
      const result = await tried(requirement, target, metadata, options)
      if (isEnded()) break
      results.push(result)
      options.onResult?.(result, results.length, requirements.length)
      // The run ends if the target has become unreachable, but not after a single missing response.
      if (result.verdict === "inconclusive") await stillThere(target, requirement.id, report)
    }
    // The report of a run that was ended must not look like that of a whole one.
    results.push(...requirements.slice(results.length).map(untried))
  } finally {
    await registered?.remove()
    await (await renderer?.catch(() => undefined))?.close()
  }
  return report()
}

/** The target answered at first, and does not any more. */
export class GoneAway extends Unreachable {
  /** The report until then; its last result is that of the requirement during which the target went away. */
  readonly found: Report
  constructor(message: string, found: Report) {
    super(message)
    this.found = found
  }
}

/** Rejects with `GoneAway` if a target does not answer any more. */
const stillThere = async (target: Target, id: string, report: () => Report): Promise<void> => {
  try {
    await discovered(target)
  } catch (error) {
    throw error instanceof Unreachable ? new GoneAway(`since ${id} was tried, ${error.message}`, report()) : error
  }
}

const opened = async (opening: Opening) => {
  const target = await opening.open()
  return { target, metadata: await discovered(target) }
}
