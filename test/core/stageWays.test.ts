import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { type Decision, refuse, useOnce } from "../../packages/core/src/model/index.ts"
import { prove, table, tracing } from "../../packages/core/src/rules/rule.ts"
import { type Inquiry, once } from "../../packages/core/src/settle/request.ts"
import { aside, row, where } from "../../packages/core/src/settle/stage.ts"
import { told } from "../support/decisions.ts"

const refused = (description: string) => refuse("invalid_request", description)

const asked = (off: ReadonlyArray<string> = []) => {
  const inquiry = {
    trace: tracing(new Set(off)),
    about: {},
    changes: [],
    spent: [],
    headers: [],
    kept: { guess: undefined, isRight: false, verification: undefined, upstream: undefined },
  }
  // A row and what it asks for once look at no other member of an inquiry.
  return inquiry as unknown as Inquiry
}

interface Sent {
  readonly word: string
}

interface Seen extends Sent {
  readonly length: number
}

const answered = (text: string): Decision => ({ _tag: "Reply", body: text, cacheable: false, commands: [] })

const begun = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
const short = table<Sent>("short").establish("short.word", "RFC 1", ({ word }) =>
  word.length < 4 ? prove({ length: word.length }) : refused("too long"),
)
const lower = table<Sent>("lower").establish("lower.word", "RFC 2", ({ word }) =>
  word === word.toLowerCase() ? prove({ letters: word.split("") }) : refused("upper case"),
)

const run = (attempt: ReturnType<typeof begun.decide>, word: string, inquiry = asked()) =>
  Effect.runPromise(Effect.map(attempt.attempt({ word }, inquiry), told))

test("a row forks as a table has it: what passed sees the proof, what was objected to sees the objection", async () => {
  const forked = begun.fork(short, {
    passed: (way) => way.judge(lower).decide(({ length, letters }) => answered(`${length} ${letters.join("-")}`)),
    objected: (way) => way.decide(({ objection, word }) => Effect.promise(async () => answered(`${word}: ${objection.description}`))),
  })
  expect(forked.tables.map(({ name }) => name)).toEqual(["short", "lower"])
  await expect(run(forked, "abc")).resolves.toBe("3 a-b-c")
  await expect(run(forked, "ABC")).resolves.toBe("upper case")
  await expect(run(forked, "abcd")).resolves.toBe("abcd: too long")
})

test("an objection may be answered by something that waits", async () => {
  const waiting = begun
    .judge(short, ({ description }) => Effect.promise(async () => answered(`at last: ${description}`)))
    .decide(({ length }) => answered(String(length)))
  await expect(run(waiting, "abc")).resolves.toBe("3")
  await expect(run(waiting, "abcd")).resolves.toBe("at last: too long")
})

test("a stage that concerns some requests judges those alone, and names its table all the same", async () => {
  const shouted = begun.through(where(({ word }: Sent) => word.endsWith("!"), begun.judge(short))).decide(({ word }) => answered(word))
  expect(shouted.tables).toEqual([short])
  await expect(run(shouted, "abcdef")).resolves.toBe("abcdef")
  await expect(run(shouted, "abcdef!")).resolves.toBe("too long")
})

test("a row beside the row adds what is kept of it, and ends the row where it objects", async () => {
  const stage = begun.read(() => ({ hidden: true })).judge(short)
  const beside = begun.through(aside(stage, ({ length }) => ({ counted: length }))).decide((seen) => answered(Object.keys(seen).join(" ")))
  await expect(run(beside, "abc")).resolves.toBe("word counted")
  await expect(run(beside, "abcd")).resolves.toBe("too long")
})

test("the changes of a read go with the attempt once, through however many rows it is handed on", async () => {
  const use = useOnce("key", 1, 2)
  const inner = row<Seen>((refusal) => ({ _tag: "RefuseJson", refusal })).read(() => ({ changes: [use], about: { clientId: "c" } }))
  const outer = begun
    .judge(short)
    .through({ tables: inner.tables, run: (seen, inquiry) => inner.run({ ...seen }, inquiry) })
    .decide(() => answered("done"))
  const inquiry = asked()
  await expect(run(outer, "abc", inquiry)).resolves.toBe("done")
  expect(inquiry.changes).toEqual([use])
  expect(inquiry.about).toEqual({ clientId: "c" })
})

test("a result is asked for once, however often the request is decided; a failure is none", async () => {
  const inquiry = asked()
  let times = 0
  const ask = () => {
    times++
    return times === 1 ? Effect.fail("away") : Effect.succeed({ _tag: "Rejected", reason: String(times) } as const)
  }
  await expect(Effect.runPromise(Effect.flip(once(inquiry, "verification", ask)))).resolves.toBe("away")
  await expect(Effect.runPromise(once(inquiry, "verification", ask))).resolves.toMatchObject({ reason: "2" })
  await expect(Effect.runPromise(once(inquiry, "verification", ask))).resolves.toMatchObject({ reason: "2" })
  expect(times).toBe(2)
})
