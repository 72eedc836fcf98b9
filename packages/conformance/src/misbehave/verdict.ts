import type { Misbehavior, Stage, Step } from "./misbehavior.ts"

/** Something that was seen of a client. */
export type Seen =
  /** It sent a request at a time in milliseconds; `delivered` where the answer was changed. */
  | { readonly kind: "asked"; readonly step: Step; readonly delivered: Stage | undefined; readonly at?: number }
  /** An authorization response, or the way back after signing out, went to it; `delivered` where that was changed. */
  | { readonly kind: "sent back"; readonly delivered: Stage | undefined }
  /** A notice was sent to it; `delivered` where that was changed. */
  | { readonly kind: "notified"; readonly delivered: Stage | undefined }
  /** It answered a notice with this status. */
  | { readonly kind: "replied"; readonly status: number }
  /** It went away before it was answered. */
  | { readonly kind: "left" }
  /** It was sent a token, and answered with this status. */
  | { readonly kind: "answered"; readonly status: number }
  /** It was heard of from the client itself, or from who drives it. */
  | { readonly kind: "told"; readonly signedIn: boolean }

/** The verdict on a client. */
export interface Observed {
  readonly verdict: "noticed" | "accepted" | "not reached"
  /** The facts that the verdict rests on. */
  readonly because: string
}

const noticed = (because: string): Observed => ({ verdict: "noticed", because })
const accepted = (because: string): Observed => ({ verdict: "accepted", because })
const notReached = (because: string): Observed => ({ verdict: "not reached", because })

const steps = (seen: ReadonlyArray<Seen>): ReadonlyArray<Step> => seen.flatMap((each) => (each.kind === "asked" ? [each.step] : []))

const deliveredIn = (seen: Seen): Stage | undefined => ("delivered" in seen ? seen.delivered : undefined)

/** The first pair of requests that lie closer together than the pace allows; none where the client keeps it. */
const hurry = ({ pace }: Misbehavior, seen: ReadonlyArray<Seen>): string | undefined => {
  if (pace === undefined) return undefined
  const polls = seen.flatMap((each) => (each.kind === "asked" && each.step === "poll" ? [each] : []))
  let due = pace.first
  for (const [index, { delivered, at = 0 }] of polls.entries()) {
    if (delivered !== undefined) due += pace.more
    const next = polls[index + 1]
    // Timers of clients are no clocks: a tenth of a second less is the same second.
    if (next?.at !== undefined && next.at - at < due * 1000 - 100)
      return `it asked again after ${((next.at - at) / 1000).toFixed(1)} s instead of ${due} s`
  }
  return undefined
}

/** The verdict by everything that the client did after it, as far as that decides. */
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
  // A client that asks for the result by itself would have asked without a notice as well.
  const byItself = stage === "notice" && asksByItself(all.slice(0, all.length - after.length))
  const wentOn = shown.find((step) => observe[stage].includes(step) && !(byItself && step === "poll"))
  return wentOn === undefined ? undefined : accepted(`it went on with a request (${wentOn})`)
}

/** Reports whether a client has asked for the result of its latest CIBA request before it was told of one. */
const asksByItself = (before: ReadonlyArray<Seen>): boolean => {
  const asked = steps(before)
  return asked.slice(asked.lastIndexOf("ciba") + 1).includes("poll")
}

const byWord = ({ question }: Misbehavior, yes: boolean): Observed => {
  const asked = question === undefined ? `the person was ${yes ? "" : "not "}signed in` : `${question} ${yes ? "Yes" : "No"}`
  return yes ? accepted(asked) : noticed(asked)
}

/**
 * Judges what a client did after a changed answer. Silence counts as noticing only for a client that went on when everything was right
 * (`control`), or where silence is the duty: nothing can be said of one whose next step is never seen.
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
  // If something is to be left undone, it does not matter whether somebody is signed in.
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

/** Reports whether the verdict is as it should be: faults are to be noticed, what is unusual and right is to be accepted; where the duty is a MAY, both are right. */
export const isRight = ({ positive, level }: Misbehavior, { verdict }: Observed): boolean =>
  verdict !== "not reached" && (level === "MAY" || verdict === (positive ? "accepted" : "noticed"))
