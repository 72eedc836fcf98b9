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
export const againstRecording = async ({ entries }: Recording, before: DecidedBy, after: DecidedBy): Promise<AgainstRecording> => {
  const refused: Array<readonly [RefusedBy, string]> = []
  const admitted: Array<readonly [RefusedBy, string]> = []
  const otherwise: Array<string> = []
  const undecided: Array<string> = []
  for (const entry of entries) {
    const [was, is] = [await decide(entry, before), await decide(entry, after)]
    if (differenceOf(was, is) === undefined) continue
    const [old, fresh] = [last(was), last(is)]
    if (is.missing !== undefined) undecided.push(entry.request)
    else if (fresh !== undefined && fresh.rule !== old?.rule && (isRefusal(is) || !isRefusal(was))) refused.push([fresh, entry.request])
    else if (old !== undefined && old.rule !== fresh?.rule) admitted.push([old, entry.request])
    else otherwise.push(entry.request)
  }
  return { requests: entries.length, refused: counted(refused), admitted: counted(admitted), otherwise, undecided }
}
