import { requirementsOf } from "@postern/conformance"
import { ruleTables } from "@postern/core"
import { resourceTables } from "@postern/verify"
import { describe, expect, test } from "vitest"
import { cases } from "../cases/index.ts"
import { registrationCases } from "../cases/registration.ts"
import { cases as resourceCases } from "../verify/cases.ts"
import type { Clause } from "./constraint/clause.ts"
import { clauses } from "./constraint/index.ts"
import { exists } from "./titles.ts"

const rules = new Set([...ruleTables, ...resourceTables].flatMap((table) => table.rules.map(({ id }) => id)))
const refusing = new Set([...Object.values(cases).flat(), ...registrationCases, ...resourceCases].map(({ rule }) => rule))
/** The requirements of the sets that a running provider of ours breaks nothing of: `test/conformance/overTls.test.ts` and `overHttp.test.ts` ask them. */
const asked = new Set(
  ["fapi2-2025-02", "fapi2-ms", "ciba", "mutual-tls", "mcp-2026-07-28"].flatMap((name) => requirementsOf(name) ?? []).map(({ id }) => id),
)
const saidOf = (wrong: (clause: Clause) => ReadonlyArray<string>): ReadonlyArray<string> =>
  clauses.flatMap((clause) => wrong(clause).map((what) => `${clause.id}: ${what}`))

describe("each clause of the standards of bound tokens and of FAPI", () => {
  test("has a name of its own, a paragraph and a demand, and all groups are there", () => {
    const ids = clauses.map(({ id }) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    expect(saidOf(({ cites, text }) => (cites === "" || text === "" ? ["says nothing"] : []))).toEqual([])
    const counted = (pattern: RegExp) => ids.filter((id) => pattern.test(id)).length
    const groups = {
      PAR: 14,
      D: 17,
      DA: 12,
      DR: 4,
      MT: 15,
      J: 8,
      R: 10,
      S: 5,
      I: 4,
      F: 12,
      G: 11,
      H: 1,
      K: 6,
      M: 5,
      A: 6,
      C: 10,
      X: 18,
      V: 4,
      P: 5,
    }
    for (const [group, count] of Object.entries(groups)) expect([group, counted(new RegExp(`^${group}-\\d+$`))]).toEqual([group, count])
    expect(counted(/^(?![A-Z]+-\d+$)/)).toBe(59)
  })

  test("names rules that there are, each with a case that shows it refusing", () => {
    expect(saidOf((clause) => clause.rules.filter((rule) => !rules.has(rule)))).toEqual([])
    expect(saidOf((clause) => clause.rules.filter((rule) => !refusing.has(rule)))).toEqual([])
  })

  test("names requirements that a running provider is asked for", () => {
    expect(saidOf((clause) => clause.asked.filter((id) => !asked.has(id)))).toEqual([])
  })

  test("names tests that exist", () => {
    expect(saidOf(({ tests }) => tests.filter((each) => !exists(each)).map(({ file, title }) => `${file}: ${title}`))).toEqual([])
  })

  test("is decided by a rule or says where, and is shown by something", () => {
    expect(saidOf((clause) => (clause.rules.length === 0 && clause.reason === undefined ? ["no rule and no reason"] : []))).toEqual([])
    expect(saidOf((clause) => (clause.rules.length + clause.asked.length + clause.tests.length === 0 ? ["nothing shows it"] : []))).toEqual(
      [],
    )
  })

  test("a rule, a requirement and a test that there are not are noticed", () => {
    expect([rules.has("dpop.none"), refusing.has("dpop.none"), asked.has("dpop.nothing")]).toEqual([false, false, false])
    expect(exists({ file: "test/cases/dpop.ts", title: "RFC 9449 §4.3 (1): three DPoP headers" })).toBe(false)
  })
})
