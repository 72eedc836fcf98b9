import type { Misbehavior, Stage, Step } from "./misbehavior.ts"

/** An observation of a client. */
export type Seen =
  /** The client sent a request at a time in milliseconds. `delivered` is set if the response was changed. */
  | { readonly kind: "asked"; readonly step: Step; readonly delivered: Stage | undefined; readonly at?: number }
  /** The client received an authorization response, or the redirect after sign-out. `delivered` is set if it was changed. */
  | { readonly kind: "sent back"; readonly delivered: Stage | undefined }
  /** The client received a notice. `delivered` is set if it was changed. */
  | { readonly kind: "notified"; readonly delivered: Stage | undefined }
  /** The client answered a notice with this status. */
  | { readonly kind: "replied"; readonly status: number }
  /** The client disconnected before the response. */
  | { readonly kind: "left" }
  /** The client received a logout token and answered with this status. */
  | { readonly kind: "answered"; readonly status: number }
  /** The client, or the person or script that operates it, reported the outcome. */
  | { readonly kind: "told"; readonly signedIn: boolean }

/** The verdict on a client. */
export interface Observed {
  readonly verdict: "noticed" | "accepted" | "not reached"
  /** The facts that support the verdict. */
  readonly because: string
}

const noticed = (because: string): Observed => ({ verdict: "noticed", because })
const accepted = (because: string): Observed => ({ verdict: "accepted", because })
const notReached = (because: string): Observed => ({ verdict: "not reached", because })

const steps = (seen: ReadonlyArray<Seen>): ReadonlyArray<Step> => seen.flatMap((each) => (each.kind === "asked" ? [each.step] : []))

const deliveredIn = (seen: Seen): Stage | undefined => ("delivered" in seen ? seen.delivered : undefined)

/** The first poll that came sooner than the pace allows; undefined if the client keeps the pace. */
const hurry = ({ pace }: Misbehavior, seen: ReadonlyArray<Seen>): string | undefined => {
  if (pace === undefined) return undefined
  const polls = seen.flatMap((each) => (each.kind === "asked" && each.step === "poll" ? [each] : []))
  let due = pace.first
  for (const [index, { delivered, at = 0 }] of polls.entries()) {
    if (delivered !== undefined) due += pace.more
    const next = polls[index + 1]
    // Clients' timers are imprecise, so a tenth of a second is tolerated.
    if (next?.at !== undefined && next.at - at < due * 1000 - 100)
      return `it asked again after ${((next.at - at) / 1000).toFixed(1)} s instead of ${due} s`
  }
  return undefined
}

/** The verdict by the client's requests after the changed response; undefined if they do not decide. */
const byRequests = (misbehavior: Misbehavior, stage: Stage, after: ReadonlyArray<Seen>, all: ReadonlyArray<Seen>): Observed | undefined => {
  const { observe, most } = misbehavior
  const asked = steps(after)
  if (misbehavior.leads === true && asked.includes("planted")) return noticed("it asked at the address that it should")
  if (asked.includes("planted") && stage !== "signed-out")
    return accepted("it asked at an address, or with a token, that only the fault names")
  const tooSoon = hurry(misbehavior, all)
  if (tooSoon !== undefined) return accepted(tooSoon)
  const times = most === undefined ? 0 : asked.filter((step) => step === most[0]).length
  if (most !== undefined && times > most[1]) return accepted(`it asked ${times} times more (${most[0]})`)
  const shown = misbehavior.settled === true ? steps(after.filter((each) => deliveredIn(each) === undefined)) : asked
  // A client that polls without waiting for a notice would have polled in any case.
  const byItself = stage === "notice" && asksByItself(all.slice(0, all.length - after.length))
  const wentOn = shown.find((step) => observe[stage].includes(step) && !(byItself && step === "poll"))
  return wentOn === undefined ? undefined : accepted(`it went on with a request (${wentOn})`)
}

/** Reports whether a client polled for the result of its latest CIBA request before any notice. */
const asksByItself = (before: ReadonlyArray<Seen>): boolean => {
  const asked = steps(before)
  return asked.slice(asked.lastIndexOf("ciba") + 1).includes("poll")
}

const byWord = ({ question }: Misbehavior, yes: boolean): Observed => {
  const asked = question === undefined ? `the person was ${yes ? "" : "not "}signed in` : `${question} ${yes ? "Yes" : "No"}`
  return yes ? accepted(asked) : noticed(asked)
}

/**
 * Judges a client's reaction to a changed response. Silence counts as noticing only if the client continued after correct responses
 * (`control`), or if silence is the duty. Otherwise the client's next step may never be visible here.
 */
export const observed = (misbehavior: Misbehavior, seen: ReadonlyArray<Seen>, control: ReadonlyArray<Seen>): Observed => {
  const answered = seen.findLast((each) => each.kind === "answered")
  if (answered?.kind === "answered") {
    const { status } = answered
    return status >= 200 && status < 300 ? accepted(`it answered ${status}`) : noticed(`it answered ${status}`)
  }
  const at = seen.findIndex((each) => deliveredIn(each) !== undefined)
  const first = seen[at]
  const stage = first === undefined ? undefined : deliveredIn(first)
  if (stage === undefined) return notReached("the client never got the changed answer")
  const after = seen.slice(at + 1)
  const decided = byRequests(misbehavior, stage, after, seen)
  if (decided !== undefined) return decided
  // A client with the duty to refrain from something may still sign the person in, so the reported outcome does not count.
  const told = misbehavior.calm && misbehavior.question === undefined ? undefined : after.findLast((each) => each.kind === "told")
  if (told?.kind === "told") return byWord(misbehavior, told.signedIn)
  if (after.some(({ kind }) => kind === "left")) return noticed("it went away before the answer came")
  const replied = after.findLast((each) => each.kind === "replied")
  if (replied?.kind === "replied" && replied.status >= 400) return noticed(`it answered ${replied.status}`)
  if (misbehavior.calm) return noticed("it asked for nothing more")
  const would = steps(control).find((step) => misbehavior.observe[stage].includes(step))
  return would === undefined
    ? notReached("nothing that this client does next can be seen from here, even when all is right")
    : noticed(`it stopped, where it goes on when all is right (${would})`)
}

/**
 * Reports whether the verdict is the desired one. Faults must be noticed, and unusual but correct behavior must be accepted. If the duty is
 * a MAY, both are right.
 */
export const isRight = ({ positive, level }: Misbehavior, { verdict }: Observed): boolean =>
  verdict !== "not reached" && (level === "MAY" || verdict === (positive ? "accepted" : "noticed"))
