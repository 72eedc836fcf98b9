import fc from "fast-check"
import { corpus } from "./corpus.ts"
import { structured } from "./grammar.ts"
import { broken, fuzzedWorld } from "./laws.ts"
import type { World } from "../support/world.ts"
import { type Sent, type Shot, fired, shot } from "./mutations.ts"
import { everyRequest, messageOf, validRequests } from "./valid.ts"

/** The seed of a run: `POSTERN_FUZZ_SEED`, or the same one every time. */
export const seedOf = (): number => Number(process.env["POSTERN_FUZZ_SEED"] ?? 20_261_121)

/** Findings of a campaign, so that it can be told from one that never got past the door. */
export interface Seen {
  requests: number
  readonly rules: Set<string>
  readonly statuses: Set<number>
  readonly endpoints: Set<string>
}

/** Nothing seen yet. */
export const nothing = (): Seen => ({ requests: 0, rules: new Set(), statuses: new Set(), endpoints: new Set() })

/** Every request that once mattered, with the law it breaks now. */
export const replay = async (): Promise<ReadonlyArray<readonly [why: string, wrong: string]>> => {
  const wrong: Array<readonly [string, string]> = []
  for (const { why, ...sent } of corpus.messages) {
    const found = await broken(fuzzedWorld(), sent)
    if (found !== undefined) wrong.push([why, found])
  }
  return wrong
}

/** Valid requests that a fresh world does not take: mutations of such would be mutations of nothing. */
export const rejected = async (): Promise<ReadonlyArray<string>> => {
  const some = (await validRequests(fuzzedWorld())).length
  const wrong: Array<string> = []
  for (let at = 0; at < some; at++) {
    const w = fuzzedWorld()
    const parts = (await validRequests(w))[at]
    const answer = parts === undefined ? undefined : await w.send(messageOf(parts))
    const trail = w.trails.at(-1)?.steps.find(({ refused }) => refused !== undefined)?.refused
    if (answer === undefined || answer.status >= 400)
      wrong.push(`${parts?.method} ${parts?.path}: ${answer?.status} ${trail?.rule}: ${trail?.reason}`)
  }
  return wrong
}

/**
 * Fires so many salvos, each at a world of its own: valid requests that are spoilt, and requests built up from all parameters. Throws with
 * seed, path and the least salvo that breaks a law.
 */
export const campaign = async (seed: number, salvos: number, seen: Seen, longest = 24): Promise<void> => {
  const { length } = await everyRequest(fuzzedWorld())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(shot(length), structured), { minLength: 1, maxLength: longest, size: "max" }), async (salvo) => {
      const w = fuzzedWorld()
      const valid = await everyRequest(w)
      for (const each of salvo) {
        w.trails.length = 0
        const sent = fired(valid, each)
        const wrong = await broken(w, sent)
        if (wrong !== undefined) throw new Error(`${wrong}\n${told(each, sent)}`)
        note(seen, w.trails)
      }
    }),
    { seed, numRuns: salvos, interruptAfterTimeLimit: 600_000 },
  )
}

const note = (seen: Seen, trails: World["trails"]): void => {
  for (const { steps, status, endpoint } of trails) {
    seen.requests++
    seen.statuses.add(status)
    seen.endpoints.add(endpoint)
    for (const { refused } of steps) if (refused !== undefined) seen.rules.add(refused.rule)
  }
}

/** A shot as a person would read it, and as the corpus would keep it. */
const told = ({ mutations }: Shot, sent: Sent): string => `${mutations.map(({ name }) => name).join(", then ")}\n${JSON.stringify(sent)}`
