import { withBody } from "./change.ts"
import { type Misbehavior, type Transform, misbehavior } from "./misbehavior.ts"

/** A grant whose clients poll until a person has answered. */
interface Polled {
  readonly name: "device" | "ciba"
  readonly paragraph: string
  /** The noun for one poll, in titles. */
  readonly question: string
  /** The verb for polling, in titles. */
  readonly ask: string
  /** Sets a polling interval of one second, so that the client's reaction is seen soon. */
  readonly soon: Transform
}

/** Answers a poll with an error. */
export const error =
  (name: string): Transform =>
  ({ answer }) => ({ ...withBody(answer, JSON.stringify({ error: name }), "application/json"), status: 400 })

/** Every poll is answered with slow_down. */
export const slowDown = ({ name, paragraph, question, soon }: Polled): Misbehavior =>
  misbehavior(
    `${name}.slow-down`,
    `each ${question} is answered slow_down: five seconds more must lie before the next one, each time`,
    paragraph,
    { [name]: soon, poll: error("slow_down") },
    { calm: true, pace: { first: 1, more: 5 }, observe: { [name]: [] } },
  )

/** Every poll is answered with authorization_pending. */
export const pending = ({ name, paragraph, question, soon }: Polled): Misbehavior =>
  misbehavior(
    `${name}.pending`,
    `each ${question} is answered authorization_pending: a second must lie before the next one`,
    paragraph,
    { [name]: soon, poll: error("authorization_pending") },
    { calm: true, pace: { first: 1, more: 0 }, observe: { [name]: [] } },
  )

/** The first poll is answered with a final error. */
export const over = ({ name, paragraph, question, ask }: Polled, id: string, code: string): Misbehavior =>
  misbehavior(
    `${name}.${id}`,
    `the first ${question} is answered ${code}: the client must not ${ask} on`,
    paragraph,
    { poll: error(code) },
    { calm: true, observe: { poll: ["poll"] } },
  )
