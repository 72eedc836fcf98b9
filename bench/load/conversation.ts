import { hash } from "node:crypto"
import type { Answer } from "./wire.ts"

/** Requests of one operation: it yields each and is given its answer. It throws {@link WrongAnswer} when one is wrong. */
export type Conversation = Generator<string, void, Answer>

/** An answer that is not what a right server would have said: the scenario ends, since a wrong server must not look fast. */
export class WrongAnswer extends Error {
  constructor(what: string, { status, head, body }: Answer) {
    super(`${what}: ${status} ${(body === "" ? head : body).slice(0, 300)}`)
  }
}

/** Basic credentials of a client of the benchmark (RFC 6749 §2.3.1). */
export const basic = (clientId: string): string => `Basic ${Buffer.from(`${clientId}:${secretOf(clientId)}`).toString("base64")}`

/** The secret of a client of the benchmark; of one of many, as hard to guess as a generated one. */
export const secretOf = (clientId: string): string =>
  clientId.startsWith("many-") ? hash("sha256", `secret of ${clientId}`, "base64url") : `${clientId}-secret-of-the-benchmark`

/** A GET request as it goes over the wire. `target` is a path with its query. */
export const getting = (target: string, headers = ""): string => `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`

/** A form that is posted, as it goes over the wire. */
export const posting = (target: string, body: string, headers = ""): string =>
  `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`

/** A form that a client of the benchmark posts with its credentials. */
export const postingAs = (clientId: string, target: string, body: string): string =>
  posting(target, body, `authorization: ${basic(clientId)}\r\n`)

/** The members of an answer that must be 200 and JSON. */
export const membersOf = (answer: Answer, what: string, status = 200): Readonly<Record<string, unknown>> => {
  if (answer.status !== status || !answer.body.startsWith("{")) throw new WrongAnswer(what, answer)
  return JSON.parse(answer.body) as Record<string, unknown>
}
