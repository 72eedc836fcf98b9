import { type Decided, type Entry, type RefusedBy, type Recording, differenceOf } from "@postern/conformance/recording"

/** The requests that a rule would refuse, or would no longer refuse. */
export interface RuleCount {
  readonly rule: string
  readonly cites: string
  readonly requests: ReadonlyArray<string>
}

/** The consequences of a configuration change for recorded requests. */
export interface AgainstRecording {
  readonly requests: number
  /** Requests that would newly be refused, by the refusing rule. */
  readonly refused: ReadonlyArray<RuleCount>
  /** Requests that would no longer be refused, by the rule that refused them. */
  readonly admitted: ReadonlyArray<RuleCount>
  /** Requests with a different response, although the refusing rule is the same or none refuses them. */
  readonly otherwise: ReadonlyArray<string>
  /** Requests that need data which was not recorded, so their decision is unknown. */
  readonly undecided: ReadonlyArray<string>
  /** Requests whose recording evaluates other rules than the original request did. */
  readonly unlike: ReadonlyArray<string>
  /** The number of requests omitted from the recording; undefined if it was cut off. */
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

/** Decides a recorded request with a configuration. */
export type Deciding = (entry: Entry) => Promise<Decided>

/** Decides every recorded request with both configurations. */
export const againstRecording = async ({ entries, ending }: Recording, before: Deciding, after: Deciding): Promise<AgainstRecording> => {
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
    const [was, is] = [await before(entry), await after(entry)]
    // Two decisions that lack the same data may be equal, but prove nothing.
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
