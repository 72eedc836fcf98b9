import type { Report, Verdict } from "../run/result.ts"
import type { Score } from "./ledger.ts"

const verdictOf = ({ verdict, right, misbehavior }: Score): Verdict => {
  if (verdict === "not reached") return "skip"
  if (right) return "pass"
  return misbehavior.level === "MUST" ? "fail" : "warn"
}

/** The report on the clients' reactions to misbehavior, for all report formats. */
export const reportOf = (scores: ReadonlyArray<Score>, startedAt: Date): Report => {
  const clients = [...new Set(scores.map(({ client }) => client))]
  return {
    target: clients.join(", "),
    set: "misbehave",
    startedAt: startedAt.toISOString(),
    duration: Date.now() - startedAt.getTime(),
    results: scores.map((score) => {
      const { misbehavior, client, verdict, because } = score
      const judged = verdictOf(score)
      const { id, paragraph, level, title } = misbehavior
      return {
        requirement: {
          id: clients.length === 1 ? id : `${client}.${id}`,
          paragraph,
          level,
          title: `a client ${misbehavior.positive ? "accepts" : "notices"}: ${title}`,
        },
        verdict: judged,
        reason: judged === "pass" ? undefined : `${verdict}: ${because}`,
        exchanges: [],
        trail: undefined,
        duration: 0,
      }
    }),
  }
}
