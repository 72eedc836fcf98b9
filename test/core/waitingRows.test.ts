import { interactionOf } from "@postern/core/model"
import { expect, test } from "vitest"

/** Rows as version 0.1 wrote them into both databases: JSON leaves undefined members out. */
const before = {
  locator: "0VgmOYqX00000000",
  digest: "A".repeat(43),
  browser: "B".repeat(43),
  clientId: "web",
  createdAt: 1_800_000_000,
  expiresAt: 1_800_000_900,
  denied: false,
  version: 0,
  keepUntil: 1_800_000_900,
}
const { clientId: _client, denied: _denied, ...pending } = before
const read = (row: Record<string, unknown>) => interactionOf({ ...before, params: [], ...row })

test("a waiting authorization request from before rows had kinds is one", () => {
  const params = [
    ["client_id", "web"],
    ["scope", "openid"],
  ] as const
  expect(read({ params, hint: "subject-alice", signedInAt: 1_800_000_010, subject: "subject-alice", consented: ["openid"] })).toEqual({
    ...before,
    kind: "authorization",
    params,
    hint: "subject-alice",
    signedInAt: 1_800_000_010,
    subject: "subject-alice",
    consented: ["openid"],
  })
})

test("a failure at another provider was a parameter, and is a member", () => {
  const params = [["client_id", "web"] as const, ["idp_failed", "corp"] as const]
  expect(read({ params })).toEqual({ ...before, kind: "authorization", params: [["client_id", "web"]], failedProvider: "corp" })
})

test("RFC 8628 §3.3: a device's code from before rows had kinds waits on", () => {
  const { denied: _, ...device } = before
  expect(read({ params: [["user_code", "WDJB-MJHT"]], signedInAt: 1_800_000_010 })).toEqual({
    ...device,
    kind: "device",
    userCode: "WDJB-MJHT",
    signedInAt: 1_800_000_010,
  })
})

test("a sign-in begun at another provider from before rows had kinds can be finished", () => {
  const params = [
    ["idp", "corp"],
    ["max_age", "0"],
    ["waiting", "0VgmOYqX00000001"],
    ["sealed", "S".repeat(43)],
  ]
  const waiting = { locator: "0VgmOYqX00000001", sealed: "S".repeat(43) }
  expect(read({ params, finishedAt: 1_800_000_020 })).toEqual({
    ...pending,
    kind: "upstream",
    provider: "corp",
    maxAge: 0,
    waiting,
    finishedAt: 1_800_000_020,
  })
  expect(read({ clientId: "", params: [["idp", "corp"]] })).toEqual({ ...pending, kind: "upstream", provider: "corp" })
})

test("a row that has a kind is read as it is", () => {
  const row = { ...pending, kind: "upstream", provider: "corp" } as const
  expect(interactionOf(row)).toBe(row)
})
