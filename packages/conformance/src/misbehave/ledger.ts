import type { Misbehavior } from "./misbehavior.ts"
import { type Observed, type Seen, isRight, observed } from "./verdict.ts"

/** The name under which right answers are recorded. */
export const control = "none"

/** A verdict on a client, for scoreboards and reports. */
export interface Score extends Observed {
  readonly client: string
  readonly misbehavior: Misbehavior
  readonly right: boolean
}

/** The most events that are kept of one misbehavior; later ones are dropped, since the first decide. */
const most = 10_000

interface Entry {
  readonly client: string | undefined
  readonly what: Seen
}

/** Everything that was seen, by misbehavior and client. */
export class Ledger {
  readonly #seen = new Map<string, Array<Entry>>()

  /** Writes down what was seen; without a client where a request does not say whose it is. */
  add(id: string, client: string | undefined, what: Seen): void {
    const seen = this.#seen.get(id) ?? []
    this.#seen.set(id, seen)
    if (seen.length < most) seen.push({ client, what })
    else if (what.kind === "told") seen[most - 1] = { client, what }
  }

  /** Lists what was seen of a client with a misbehavior, and of nobody in particular. */
  of(id: string, client: string): ReadonlyArray<Seen> {
    return (this.#seen.get(id) ?? []).filter((each) => (each.client ?? client) === client).map(({ what }) => what)
  }

  /** Judges each misbehavior that a client has met, or might have. */
  scores(misbehaviors: ReadonlyArray<Misbehavior>, clients: ReadonlyArray<string>): ReadonlyArray<Score> {
    return clients.flatMap((client) => {
      const right = this.of(control, client)
      return misbehaviors.map((misbehavior) => {
        const verdict = observed(misbehavior, this.of(misbehavior.id, client), right)
        return { ...verdict, client, misbehavior, right: isRight(misbehavior, verdict) }
      })
    })
  }
}
