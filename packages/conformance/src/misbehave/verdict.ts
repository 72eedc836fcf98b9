import type { Misbehavior, Stage, Step } from "./misbehavior.ts"

/** Something that was seen of a client. */
export type Seen =
  /** It sent a request; `delivered` where the answer was changed. */
  | { readonly kind: "asked"; readonly step: Step; readonly delivered: Stage | undefined }
  /** An authorization response went to it; `delivered` where that was changed. */
  | { readonly kind: "sent back"; readonly delivered: Stage | undefined }
  /** It was heard of from the client itself, or from who drives it. */
  | { readonly kind: "told"; readonly signedIn: boolean }

/** What a client made of a misbehavior. */
export interface Observed {
  readonly verdict: "noticed" | "accepted" | "not reached"
  /** The facts that the verdict rests on. */
  readonly because: string
}

const steps = (seen: ReadonlyArray<Seen>): ReadonlyArray<Step> => seen.flatMap((each) => (each.kind === "asked" ? [each.step] : []))

/**
 * Judges what a client did after a changed answer. Silence counts as noticing only for a client that went on when everything was right
 * (`control`): nothing can be said of one whose next step is never seen.
 */
export const observed = ({ observe }: Misbehavior, seen: ReadonlyArray<Seen>, control: ReadonlyArray<Seen>): Observed => {
  const at = seen.findIndex((each) => each.kind !== "told" && each.delivered !== undefined)
  const first = seen[at]
  if (first === undefined || first.kind === "told" || first.delivered === undefined)
    return { verdict: "not reached", because: "the client never got the changed answer" }
  const after = seen.slice(at + 1)
  const wentOn = steps(after).find((step) => observe[first.delivered ?? "token"].includes(step))
  if (wentOn !== undefined) return { verdict: "accepted", because: `it went on with a request (${wentOn})` }
  const told = after.findLast((each) => each.kind === "told")
  if (told?.kind === "told")
    return told.signedIn
      ? { verdict: "accepted", because: "the person was signed in" }
      : { verdict: "noticed", because: "the person was not signed in" }
  const would = steps(control).find((step) => observe[first.delivered ?? "token"].includes(step))
  return would === undefined
    ? { verdict: "not reached", because: "nothing that this client does next can be seen from here, even when all is right" }
    : { verdict: "noticed", because: `it stopped, where it goes on when all is right (${would})` }
}

/** Reports whether the verdict is as it should be: faults are to be noticed, what is unusual and right is to be accepted. */
export const isRight = ({ positive }: Misbehavior, { verdict }: Observed): boolean => verdict === (positive ? "accepted" : "noticed")
