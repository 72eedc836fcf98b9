import type { Misbehavior } from "./misbehavior.ts"
import { type Observed, type Seen, isRight, observed } from "./verdict.ts"

/** The id under which correct responses are recorded. */
export const control = "none"

/** The verdict on a client, for scoreboards and reports. */
export interface Score extends Observed {
  readonly client: string
  readonly misbehavior: Misbehavior
  readonly right: boolean
}

/**
 * The maximum events of one misbehavior. Later ones are dropped, because the first ones decide. Only a reported outcome still replaces the
 * last event.
 */
const most = 10_000

interface Entry {
  readonly client: string | undefined
  readonly what: Seen
}

/** Everything that was observed, by misbehavior and client. */
export class Ledger {
  readonly #seen = new Map<string, Array<Entry>>()

  /** Records an observation. The client is undefined if the request does not identify it. */
  add(id: string, client: string | undefined, what: Seen): void {
    const seen = this.#seen.get(id) ?? []
    this.#seen.set(id, seen)
    if (seen.length < most) seen.push({ client, what })
    else if (what.kind === "told") seen[most - 1] = { client, what }
  }

  /** Lists the observations of a client with a misbehavior, including those without a client. */
  of(id: string, client: string): ReadonlyArray<Seen> {
    return (this.#seen.get(id) ?? []).filter((each) => (each.client ?? client) === client).map(({ what }) => what)
  }

  /** Judges each misbehavior that a client has met, or may have met. */
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
