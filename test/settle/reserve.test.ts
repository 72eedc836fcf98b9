import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import type { Command, Decision } from "../../packages/core/src/model/index.ts"
import { PortFailed } from "../../packages/core/src/ports/index.ts"
import { type Budget, type GuessSeen, budgetRule } from "../../packages/core/src/rules/budget.ts"
import { table } from "../../packages/core/src/rules/rule.ts"
import { judging, reserve, reserved, rightGuess, unlessRewarded } from "../../packages/core/src/settle/reserve.ts"
import { Decided } from "../../packages/core/src/settle/stage.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"
import { failureOf, inquiryOf, later, now, run } from "./inquiry.ts"

interface Spent {
  readonly reason: string
  readonly wait: number
}

const rules = table<GuessSeen, Spent>("guess").include(
  budgetRule("guess.account", "NIST SP 800-63B §3.2.2", "account", (wait, reason) => ({ wait, reason })),
)

const budget = (told: Partial<Budget> = {}): Budget => ({
  of: "account",
  key: "key",
  most: 3,
  countedFor: 900,
  dayKey: "day",
  forgets: true,
  ...told,
})

const count = async ({ ports }: Inquiry, key = "key") => (await run(ports.tokens.findAttempts(key)))?.count ?? 0

test("NIST SP 800-63B §3.2.2: a try is reserved before the guess is judged, and none is left after so many", async () => {
  const inquiry = inquiryOf()
  for (const before of [0, 1, 2]) {
    expect(await count(inquiry)).toBe(before)
    expect(await run(reserve(rules, [budget()], later(inquiry, { kept: { ...inquiry.kept } })))).toBeUndefined()
  }
  expect(await count(inquiry)).toBe(3)
  const last = later(inquiry, { kept: { ...inquiry.kept } })
  expect(await run(reserve(rules, [budget()], last))).toMatchObject({ reason: "3 tries of this account" })
  expect([await count(inquiry), await count(inquiry, "day"), last.kept.guess]).toEqual([3, 3, undefined])
})

test("a request that is decided again keeps its try: it reserves none, and is judged by what it was let through by", async () => {
  const inquiry = inquiryOf()
  expect(await run(reserve(rules, [budget()], inquiry))).toBeUndefined()
  expect(await run(reserve(rules, [budget()], inquiry))).toBeUndefined()
  expect([await count(inquiry), inquiry.kept.guess?.budgets.length, inquiry.kept.guess?.contended]).toEqual([1, 1, false])
})

test("no budget reserves nothing, and a rule that is off lets pass what is used up without reserving more", async () => {
  const commits: Array<ReadonlyArray<Command>> = []
  const inquiry = inquiryOf()
  const { tokens } = inquiry.ports
  const counting = {
    ...tokens,
    commit: (commands: ReadonlyArray<Command>) => {
      commits.push(commands)
      return tokens.commit(commands)
    },
  }
  const watched = inquiryOf({ tokens: counting })
  expect(await run(reserve(rules, [], watched))).toBeUndefined()
  expect([commits.length, watched.kept.guess?.budgets]).toEqual([0, []])
  const nobodyRefuses = table<GuessSeen, Spent>("none")
  for (let at = 0; at < 5; at++) {
    const each = later(watched, { kept: { guess: undefined, isRight: false, verification: undefined, upstream: undefined } })
    expect(await run(reserve(nobodyRefuses, [budget()], each))).toBeUndefined()
    expect(each.kept.guess?.budgets.length).toBe(at < 3 ? 1 : 0)
    expect(rightGuess(each).length, "what was not reserved is not forgotten either").toBe(at < 3 ? 2 : 0)
  }
  expect(commits.length).toBe(3)
})

test("RFC 8628 §5.1: who is in the way of others looks again, three times, and then waits a second", async () => {
  let commits = 0
  const { tokens } = inquiryOf().ports
  const busy = (conflicts: number) => ({
    ...tokens,
    commit: (commands: ReadonlyArray<Command>) => (commits++ < conflicts ? Effect.succeed("Conflict") : tokens.commit(commands)),
  })
  const inquiry = inquiryOf({ tokens: busy(2) })
  inquiry.trace.steps.push({ table: { name: "before" } } as never)
  expect(await run(reserve(rules, [budget()], inquiry))).toBeUndefined()
  expect([commits, await count(inquiry), inquiry.kept.guess?.contended]).toEqual([3, 1, false])
  expect(
    inquiry.trace.steps.map(({ table: { name } }) => name),
    "the trail tells of the last look alone",
  ).toEqual(["before", "guess"])
  commits = 0
  const held = inquiryOf({ tokens: busy(Number.POSITIVE_INFINITY) })
  expect(await run(reserve(rules, [budget()], held))).toMatchObject({ wait: 1 })
  expect([commits, held.kept.guess]).toEqual([3, undefined])
  expect(held.trace.steps.length).toBe(1)
})

test("a budget without a day counts none, and every budget of a guess is counted or none", async () => {
  const inquiry = inquiryOf()
  const address = budget({ of: "address", key: "address", dayKey: undefined, most: 1 })
  await run(reserve(rules, [budget(), address], inquiry))
  expect([await count(inquiry), await count(inquiry, "day"), await count(inquiry, "address")]).toEqual([1, 1, 1])
  const next = later(inquiry, { kept: { ...inquiry.kept, guess: undefined } })
  expect(await run(reserve(rules, [budget(), address], next)), "no rule here looks at addresses").toBeUndefined()
  expect([await count(inquiry), next.kept.guess?.budgets]).toEqual([1, []])
})

test("a try is taken back where its guess could not be judged, once", async () => {
  const inquiry = inquiryOf()
  const failed = new PortFailed({ port: "Authenticator", operation: "verify", cause: "down" })
  await run(reserve(rules, [budget()], inquiry))
  expect(await run(judging(Effect.succeed("judged"), inquiry))).toBe("judged")
  expect(await count(inquiry)).toBe(1)
  inquiry.kept.isRight = true
  expect(await failureOf(judging(Effect.fail(failed), inquiry))).toBe(failed)
  expect([await count(inquiry), await count(inquiry, "day"), inquiry.kept.guess, inquiry.kept.isRight]).toEqual([0, 0, undefined, false])
  await run(reserve(rules, [budget()], later(inquiry, { kept: { ...inquiry.kept } })))
  expect(await failureOf(judging(Effect.fail(failed), inquiry)), "it has none any more").toBe(failed)
  expect(await count(inquiry)).toBe(1)
})

test("the failure that a try cannot be taken back for is not answered in place of the request's own", async () => {
  const inquiry = inquiryOf()
  await run(reserve(rules, [budget()], inquiry))
  const failed = new PortFailed({ port: "Authenticator", operation: "verify", cause: "down" })
  const down = { ...inquiry.ports, tokens: { ...inquiry.ports.tokens, commit: () => Effect.fail("also down") } } as never
  expect(await failureOf(judging(Effect.fail(failed), { ...inquiry, ports: down }))).toBe(failed)
})

test("a right guess whose request comes to nothing gets its try back; a wrong one does not, nor one whose commit is uncertain", async () => {
  const port = (cause: unknown) => new PortFailed({ port: "TokenStore", operation: "commit", cause })
  const uncertain = port(Object.assign(new Error("no answer"), { uncertain: true }))
  const countAfter = async (error: unknown, kept: Partial<Inquiry["kept"]>) => {
    const inquiry = inquiryOf()
    await run(reserve(rules, [budget()], inquiry))
    Object.assign(inquiry.kept, kept)
    const ended = error === undefined ? Effect.succeed("settled") : Effect.suspend(() => Effect.fail(error))
    await run(Effect.exit(unlessRewarded(ended, inquiry)))
    return count(inquiry)
  }
  const verified = { _tag: "Verified" } as never
  expect([
    await countAfter(port("down"), { isRight: true }),
    await countAfter(port("down"), { verification: verified }),
    await countAfter("contended", { isRight: true }),
    await countAfter(port("down"), { verification: { _tag: "Rejected" } as never }),
    await countAfter(port("down"), {}),
    await countAfter(uncertain, { isRight: true }),
    await countAfter(undefined, { isRight: true }),
  ]).toEqual([0, 0, 0, 1, 1, 1, 1])
  const failedAtOnce = inquiryOf()
  await run(reserve(rules, [budget()], failedAtOnce))
  failedAtOnce.kept.isRight = true
  await run(Effect.exit(unlessRewarded(Effect.fail("at once"), failedAtOnce)))
  expect(await count(failedAtOnce)).toBe(0)
})

test("a right guess forgets the tries of a budget of its own, and takes back its own alone where others share the budget", async () => {
  const inquiry = inquiryOf()
  expect(rightGuess(inquiry), "nothing was guessed").toEqual([])
  expect(inquiry.kept.isRight).toBe(false)
  const address = budget({ of: "address", key: "address", dayKey: undefined, forgets: false })
  for (let at = 0; at < 2; at++)
    await run(reserve(rules, [budget(), address], later(inquiry, { kept: { ...inquiry.kept, guess: undefined } })))
  const last = later(inquiry, { kept: { ...inquiry.kept, guess: undefined }, now: now + 1 })
  await run(reserve(rules, [budget(), address], last))
  await run(inquiry.ports.tokens.commit(rightGuess(last)))
  expect([await count(inquiry), await count(inquiry, "day"), await count(inquiry, "address"), last.kept.isRight]).toEqual([0, 0, 2, true])
})

test("a stage that reserves goes on where a try is left, and answers as it is told where none is", async () => {
  const inquiry = inquiryOf()
  const refusal = (spent: Spent): Decision => ({ _tag: "Reply", body: { ...spent }, cacheable: false, commands: [] })
  const stage = reserved(rules, () => Effect.succeed([budget({ most: 1 })]), refusal)
  const seen = { who: "alice" }
  expect(await run(stage.run(seen, inquiry))).toBe(seen)
  const end = await run(stage.run(seen, later(inquiry, { kept: { ...inquiry.kept, guess: undefined } })))
  expect(end).toBeInstanceOf(Decided)
  expect((end as Decided).decision).toMatchObject({ body: { reason: "1 tries of this account" } })
  expect(stage.tables).toEqual([rules])
})
