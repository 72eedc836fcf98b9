import { type Decided, type RefusedBy, type Recording, decide, differenceOf } from "@postern/conformance/recording"
import type { DecidedBy } from "@postern/conformance/recording"

/** Requests that one rule would refuse, or no longer refuse. */
export interface RuleCount {
  readonly rule: string
  readonly cites: string
  readonly requests: ReadonlyArray<string>
}

/** The consequences of another configuration for recorded requests. */
export interface AgainstRecording {
  readonly requests: number
  /** Requests that would be refused and are not, by the rule that refuses them. */
  readonly refused: ReadonlyArray<RuleCount>
  /** Requests that are refused and would not be. */
  readonly admitted: ReadonlyArray<RuleCount>
  /** Requests that are answered otherwise, while the same rules refuse them or none does. */
  readonly otherwise: ReadonlyArray<string>
  /** Requests that ask ports for what was not recorded: nobody knows how they would be decided. */
  readonly undecided: ReadonlyArray<string>
  /** Requests that met other rules than their records lead to. */
  readonly unlike: ReadonlyArray<string>
  /** The number of requests that the recording left out; undefined where it was cut off. */
  readonly left_out: number | undefined
}

const last = ({ steps }: Decided): RefusedBy | undefined => steps.findLast(({ refused }) => refused !== undefined)?.refused

const isRefusal = ({ status }: Decided): boolean => status >= 400

const counted = (all: ReadonlyArray<readonly [RefusedBy, request: string]>): ReadonlyArray<RuleCount> =>
  [...Map.groupBy(all, ([{ rule }]) => rule)].map(([rule, each]) => ({
    rule,
    cites: each[0]?.[0].cites ?? "",
    requests: each.map(([, request]) => request),
  }))

/** Decides every request of a recording by two configurations. */
export const againstRecording = async ({ entries, ending }: Recording, before: DecidedBy, after: DecidedBy): Promise<AgainstRecording> => {
  const refused: Array<readonly [RefusedBy, string]> = []
  const admitted: Array<readonly [RefusedBy, string]> = []
  const otherwise: Array<string> = []
  const undecided: Array<string> = []
  const unlike: Array<string> = []
  for (const entry of entries) {
    if (entry.unlike !== undefined) {
      unlike.push(entry.request)
      continue
    }
    const [was, is] = [await decide(entry, before), await decide(entry, after)]
    // Two decisions that lack the same answer are equal, and say nothing.
    if ((was.missing ?? is.missing) !== undefined) {
      undecided.push(entry.request)
      continue
    }
    if (differenceOf(was, is) === undefined) continue
    const [old, fresh] = [last(was), last(is)]
    if (fresh !== undefined && fresh.rule !== old?.rule && (isRefusal(is) || !isRefusal(was))) refused.push([fresh, entry.request])
    else if (old !== undefined && old.rule !== fresh?.rule) admitted.push([old, entry.request])
    else otherwise.push(entry.request)
  }
  const left_out = ending?.left_out
  return { requests: entries.length, refused: counted(refused), admitted: counted(admitted), otherwise, undecided, unlike, left_out }
}
