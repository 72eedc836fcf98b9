import { type CommonPorts, type PlainPorts, type ProviderOptions, createProvider } from "@postern/core"
import { describe, expect, test } from "vitest"
import { type Case, check } from "../cases/case.ts"
import { cases } from "../cases/index.ts"

const orNull = (value: unknown): unknown => (value instanceof Promise ? value.then(orNull) : value === undefined ? null : value)

/** A port each of whose operations answers null where it would answer undefined, as queries of many database libraries do. */
const withNulls = <Port extends object>(port: Port): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? (...args: ReadonlyArray<unknown>) => orNull(Reflect.apply(member, target, args)) : member
    },
  })

const create = (options: ProviderOptions & PlainPorts & CommonPorts) =>
  createProvider({
    ...options,
    clients: withNulls(options.clients),
    tokens: withNulls(options.tokens),
    authenticator: withNulls(options.authenticator),
  })

// Of each rule that refuses what is not there: its first case.
const missing = /(?:known|found|exists|alive|live|present|person)$/
const byRule = new Map<string, Case>()
for (const one of Object.values(cases).flat())
  if (one.rule !== undefined && missing.test(one.rule) && !byRule.has(one.rule)) byRule.set(one.rule, one)

describe("a port that answers null for what there is not is taken to answer nothing", () => {
  test.each([...byRule])("%s refuses as ever", async (rule, one) => {
    const w = await check(one, { create })
    expect(w.trails.flatMap(({ steps }) => steps.flatMap(({ refused }) => refused?.rule ?? []))).toContain(rule)
    expect(w.reports).toEqual([])
  })
})
