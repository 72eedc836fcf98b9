import type { Decision } from "@postern/core/model"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { Contended, settle } from "../../packages/core/src/settle/settle.ts"
import { failureOf, inquiryOf, run } from "./inquiry.ts"

describe("settling", () => {
  const reply = (told: object = {}): Decision => ({ _tag: "Reply", body: {}, cacheable: false, commands: [], ...told })
  const command = { table: "x" } as never

  /** A store that answers commits as told, and notes the order of everything. */
  const noting = (results: ReadonlyArray<string>, durable?: () => unknown) => {
    const noted: Array<string> = []
    const commit = (commands: ReadonlyArray<unknown>) =>
      Effect.sync(() => (noted.push(`commit ${commands.length}`), results[noted.filter((each) => each.startsWith("commit")).length - 1]))
    const signer = { sign: () => Effect.sync(() => (noted.push("sign"), "jwt")) }
    const inquiry = inquiryOf({
      tokens: { commit, ...(durable && { durable: () => Effect.sync(() => (noted.push("durable"), durable())) }) },
      signer,
    })
    return { inquiry, noted }
  }

  test("what changes nothing is answered when what it shows is durable, and is not committed", async () => {
    const { inquiry, noted } = noting([], () => undefined)
    expect((await run(settle(inquiry, () => Effect.succeed(reply())))).decision).toEqual(reply())
    expect(noted).toEqual(["durable"])
    const jwt = { _tag: "ReplyJwt", jwt: { alg: "RS256", typ: "JWT", claims: {} }, commands: [] } as never
    expect(await run(settle(inquiry, () => Effect.succeed(jwt)))).toMatchObject({ jwt: "jwt" })
    expect(noted).toEqual(["durable", "sign", "durable"])
    const plain = noting([])
    expect((await run(settle(plain.inquiry, () => Effect.succeed(reply())))).signed).toBeUndefined()
    expect(plain.noted, "a store that shows only what is durable has nothing to wait for").toEqual([])
  })

  test("tokens are signed before their changes are committed, and what was noted of the request goes with them", async () => {
    const { inquiry, noted } = noting(["Committed"])
    inquiry.changes.push(command)
    const tokens = { accessToken: { _tag: "Jwt", alg: "RS256", typ: "at+jwt", claims: {} } }
    const { signed } = await run(settle(inquiry, () => Effect.succeed(reply({ tokens, commands: [command] }))))
    expect([signed?.accessToken, noted]).toEqual(["jwt", ["sign", "commit 2"]])
    const changes = noting(["Committed"])
    changes.inquiry.changes.push(command)
    await run(settle(changes.inquiry, () => Effect.succeed(reply())))
    expect(changes.noted).toEqual(["commit 1"])
  })

  test("a conflict is decided again from nothing, three times in all", async () => {
    const { inquiry, noted } = noting(["Conflict", "Conflict", "Committed"])
    let attempts = 0
    const attempt = () =>
      Effect.sync(() => {
        expect([inquiry.changes.length, inquiry.trace.steps.length, inquiry.trace.off.size]).toEqual([0, 0, 0])
        inquiry.changes.push(command)
        inquiry.trace.steps.push({} as never)
        inquiry.trace.off = new Set(["a rule of the client's profile"])
        return reply({ body: { attempt: ++attempts } })
      })
    expect((await run(settle(inquiry, attempt))).decision).toMatchObject({ body: { attempt: 3 } })
    expect(noted).toEqual(["commit 1", "commit 1", "commit 1"])
    const busy = noting(["Conflict", "Conflict", "Conflict"])
    expect(await failureOf(settle(busy.inquiry, () => Effect.succeed(reply({ commands: [command] }))))).toEqual(
      new Contended({ attempts: 3 }),
    )
    expect(busy.noted.length).toBe(3)
  })
})
