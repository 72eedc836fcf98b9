import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { type Decision, refuse } from "../../packages/core/src/model/index.ts"
import { together } from "../../packages/core/src/ports/steps.ts"
import { judge, pass, prove, rule, table, tracing } from "../../packages/core/src/rules/rule.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"
import { Decided, row } from "../../packages/core/src/settle/stage.ts"
import { told } from "../support/decisions.ts"

const refused = (description: string) => refuse("invalid_request", description)

const asked = (off: ReadonlyArray<string> = []) => {
  const inquiry = { trace: tracing(new Set(off)), about: {} }
  // A row looks at the trace and notes what its reads say of the request; nothing else of an inquiry.
  return inquiry as unknown as Inquiry
}

interface Sent {
  readonly code: string | undefined
  readonly amount: string
}

const numbers = table<Sent>("numbers")
  .present("numbers.code", "RFC 1", "code", () => refused("no code"))
  .establish("numbers.amount", "RFC 2", (s) => (/^\d+$/.test(s.amount) ? prove({ sum: Number(s.amount) }) : refused("no number")))
  .rule("numbers.small", "RFC 3", (s) => (s.sum + s.code.length < 100 ? pass : refused("too much")))

const answered = (text: string): Decision => ({ _tag: "Reply", body: { text }, cacheable: false, commands: [] })

const counting = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
  .judge(numbers)
  .read((s) => Effect.succeed({ twice: s.sum * 2, about: { clientId: s.code } }))
  .decide((s) => answered(`${s.code} ${s.twice}`))

const run = (sent: Sent, inquiry = asked()) => Effect.runPromise(Effect.map(counting.attempt(sent, inquiry), told))

test("a value that a rule established is there for every later rule, read and outcome", async () => {
  await expect(run({ code: "a", amount: "12" })).resolves.toEqual({ text: "a 24" })
  await expect(run({ code: undefined, amount: "12" })).resolves.toBe("no code")
  await expect(run({ code: "a", amount: "x" })).resolves.toBe("no number")
  await expect(run({ code: "a", amount: "99" })).resolves.toBe("too much")
})

test("the trace names the rules that passed and the one that objected", async () => {
  const inquiry = asked()
  await run({ code: "a", amount: "x" }, inquiry)
  expect(inquiry.trace.steps).toMatchObject([{ table: { name: "numbers" }, passed: 1, objection: { description: "no number" } }])
})

test("a rule that is left out still establishes where it would pass, and objects to nothing", async () => {
  await expect(run({ code: "a", amount: "12" }, asked(["numbers.amount"]))).resolves.toEqual({ text: "a 24" })
  await expect(run({ code: "a", amount: "99" }, asked(["numbers.small"]))).resolves.toEqual({ text: "a 198" })
})

test("a row does not change what it was given", async () => {
  const sent = Object.freeze({ code: "a", amount: "12" })
  await run(sent)
  expect(sent).toEqual({ code: "a", amount: "12" })
})

test("what a read says about the request is noted, and stays when a later rule objects", async () => {
  const late = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
    .read(() => ({ about: { clientId: "c" } }))
    .read(() => Effect.promise(async () => ({ about: { subject: "s" } })))
    .judge(numbers)
    .decide(() => answered(""))
  const inquiry = asked()
  await Effect.runPromise(late.attempt({ code: undefined, amount: "1" }, inquiry))
  expect(inquiry.about).toEqual({ clientId: "c", subject: "s" })
})

test("facts of several reads are noted beside each other, of one name the last; other notes leave them as they are", async () => {
  const facts = (given: object) => ({ about: { facts: given as Readonly<Record<string, string>> } })
  const noting = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
    .read(() => ({ about: { clientId: "c" } }))
    .read(() => facts({ alg: "none", typ: "jwt" }))
    .read(() => Effect.succeed(facts({ alg: "ES256", htm: "POST" })))
    .read(() => ({ about: { subject: "s" } }))
    .decide(() => answered(""))
  const inquiry = asked()
  await Effect.runPromise(noting.attempt({ code: "a", amount: "1" }, inquiry))
  expect(inquiry.about).toEqual({ clientId: "c", subject: "s", facts: { alg: "ES256", typ: "jwt", htm: "POST" } })
})

test("headers of reads are sent with the answer, in the order of the reads, and are told once where a row is part of another", async () => {
  const header = (name: string) => ({ headers: [[name, "1"] as const] })
  const part = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal })).read(() => header("dpop-nonce"))
  const whole = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
    .through(part)
    .read(() => Effect.succeed(header("x-later")))
    .decide(() => answered(""))
  const inquiry = { ...asked(), headers: [] }
  await Effect.runPromise(whole.attempt({ code: "a", amount: "1" }, inquiry))
  expect(inquiry.headers).toEqual([
    ["dpop-nonce", "1"],
    ["x-later", "1"],
  ])
})

test("the data of a row begin with what earlier requests have added to them, each undefined", async () => {
  const begun: Array<object> = []
  const splitting = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
    .read((s) => {
      begun.push({ ...s })
      return s.code === undefined ? { first: 1 } : { first: 1, second: 2 }
    })
    .split({ only: (way) => way.read(() => ({ third: 3 })).decide(() => answered("")) }, () => "only")
  for (const code of [undefined, "a", undefined]) await Effect.runPromise(splitting.attempt({ code, amount: "1" }, asked()))
  const undefinedOf = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, undefined]))
  expect(begun).toStrictEqual([
    { code: undefined, amount: "1" },
    { ...undefinedOf("first", "third"), code: "a", amount: "1" },
    { ...undefinedOf("first", "third", "second"), code: undefined, amount: "1" },
  ])
})

test("a read may end the row, and a table may be answered in another way than its row", async () => {
  const ended = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
    .read((s) => (s.amount === "0" ? new Decided(answered("nothing")) : Effect.succeed({ more: 1 })))
    .judge(numbers, (objection, s) => answered(`${objection.description} ${s.more}`))
    .decide((s) => answered(String(s.sum + s.more)))
  const text = (sent: Sent) => Effect.runPromise(Effect.map(ended.attempt(sent, asked()), told))
  await expect(text({ code: undefined, amount: "0" })).resolves.toEqual({ text: "nothing" })
  await expect(text({ code: undefined, amount: "1" })).resolves.toEqual({ text: "no code 1" })
  await expect(text({ code: "a", amount: "1" })).resolves.toEqual({ text: "2" })
})

test("a row that splits goes one way, and names the tables of all", async () => {
  const begun = row<Sent>((refusal) => ({ _tag: "RefuseJson", refusal }))
  const other = table<Sent>("other").include(rule("other.shared", "RFC 4", (s: Sent) => (s.amount === "" ? refused("empty") : pass)))
  const ways = { counted: () => counting, other: (way: typeof begun) => way.judge(other).decide(() => answered("other")) }
  const split = begun.split(ways, (s) => (s.code === undefined ? "other" : "counted"))
  expect(split.tables.map(({ name }) => name)).toEqual(["numbers", "other"])
  const text = (sent: Sent) => Effect.runPromise(Effect.map(split.attempt(sent, asked()), told))
  await expect(text({ code: "a", amount: "1" })).resolves.toEqual({ text: "a 2" })
  await expect(text({ code: undefined, amount: "1" })).resolves.toEqual({ text: "other" })
  await expect(text({ code: undefined, amount: "" })).resolves.toBe("empty")
})

test("a row tried again begins with what it was given", async () => {
  const inquiry = asked()
  await run({ code: "a", amount: "12" }, inquiry)
  await expect(run({ code: "b", amount: "13" }, inquiry)).resolves.toEqual({ text: "b 26" })
})

test("reads that do not depend on each other go out together, and are there at once where all are", async () => {
  const order: Array<string> = []
  const later = (name: string) =>
    Effect.promise(() => {
      order.push(name)
      return Promise.resolve().then(() => {
        order.push(`${name} read`)
        return name
      })
    })
  const both = together({ first: later("first"), second: later("second"), third: Effect.succeed(3), fourth: "4" })
  await expect(Effect.runPromise(both)).resolves.toEqual({ first: "first", second: "second", third: 3, fourth: "4" })
  expect(order).toEqual(["first", "second", "first read", "second read"])
  expect(Effect.runSync(together({ one: Effect.succeed(1), two: undefined }))).toEqual({ one: 1, two: undefined })
})

test("a read that fails at once fails the others' with it", async () => {
  const failing = together({ one: Effect.fail("no"), two: Effect.never })
  await expect(Effect.runPromise(Effect.flip(failing))).resolves.toBe("no")
})

test("a table of the short form judges two values, as before", () => {
  const trace = tracing(new Set())
  const short = table("short", [rule<number, string>("short.equal", "RFC 5", (q, s) => (String(q) === s ? pass : refused("differs")))])
  expect(judge(trace, short, 1, "1")).toBeUndefined()
  expect(judge(trace, short, 1, "2")).toMatchObject({ description: "differs" })
})

test("what no rule or read has established is in no type", () => {
  // @ts-expect-error: no rule before has established a sum
  const early = table<Sent>("early").rule("early.sum", "RFC 6", (s) => (s.sum > 0 ? pass : refused("")))
  // @ts-expect-error: nothing was read that the table needs
  const unread = row<{ readonly amount: string }>((refusal) => ({ _tag: "RefuseJson", refusal })).judge(numbers)
  expect([early.rules, unread.tables.length]).toHaveLength(2)
})
