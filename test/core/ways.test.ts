import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { type Decision, refuse } from "../../packages/core/src/model/index.ts"
import { pass, table, tracing } from "../../packages/core/src/rules/rule.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"
import { row } from "../../packages/core/src/settle/stage.ts"
import { from, ways } from "../../packages/core/src/settle/ways.ts"
import { told } from "../support/decisions.ts"

interface Sent {
  readonly text: string
}

const refuseJson = (refusal: ReturnType<typeof refuse>): Decision => ({ _tag: "RefuseJson", refusal })
const answered = (text: string): Decision => ({ _tag: "Reply", body: { text }, cacheable: false, commands: [] })

const short = row<Sent>(refuseJson).judge(
  table<Sent>("short").rule("short.length", "RFC 1", ({ text }) => (text.length < 5 ? pass : refuse("invalid_request", "too long"))),
)
const doubled = row<Sent>(refuseJson).read(({ text }) => ({ result: text + text }))
const stored = row<{ readonly id: number }>(refuseJson).read(({ id }) => Effect.promise(async () => ({ result: `row ${id}` })))
const shouted = row<{ readonly result: string }>(refuseJson).read(({ result }) => ({ result: result.toUpperCase() }))

const matrix = ways({ form: from<Sent>(), query: from<Sent>(), stored: from<{ readonly id: number }>() })
  .meet(short, "query")
  .meet(doubled, "form", "query")
  .meet(stored, "stored")
  .meet(shouted, "form", "query", "stored")
const decided = matrix.decide(({ result }) => answered(result))

// A row looks at the trace and notes what its reads say of the request; nothing else of an inquiry.
const inquiry = () => ({ trace: tracing(new Set()), about: {} }) as unknown as Inquiry

test("a way in meets the stages that name it, in their order, and no others", async () => {
  const run = (attempt: Effect.Effect<Decision, unknown>) => Effect.runPromise(Effect.map(attempt, told))
  await expect(run(decided.form.attempt({ text: "abcdef" }, inquiry()))).resolves.toEqual({ text: "ABCDEFABCDEF" })
  await expect(run(decided.query.attempt({ text: "abcdef" }, inquiry()))).resolves.toBe("too long")
  await expect(run(decided.query.attempt({ text: "abc" }, inquiry()))).resolves.toEqual({ text: "ABCABC" })
  await expect(run(decided.stored.attempt({ id: 7 }, inquiry()))).resolves.toEqual({ text: "ROW 7" })
})

test("a matrix names the tables of all its ways", () => {
  expect(matrix.tables.map(({ name }) => name)).toEqual(["short"])
  expect(decided.query.tables.map(({ name }) => name)).toEqual(["short"])
  expect(decided.form.tables).toEqual([])
})

test("a way is refused a stage whose needs it does not bring", () => {
  // @ts-expect-error: the way `form` brings no id.
  ways({ form: from<Sent>() }).meet(stored, "form")
  // @ts-expect-error: the way `query` has no result.
  ways({ form: from<Sent>(), query: from<Sent>() }).meet(doubled, "form").meet(shouted, "form", "query")
})
