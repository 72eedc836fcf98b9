import { expect, test } from "vitest"
import { accountOf, accountOfIdentity, keyedHash } from "../../packages/core/src/settle/account.ts"
import { personCodeBudgets } from "../../packages/core/src/features/ciba/codeBudgets.ts"
import { userCodeBudgets } from "../../packages/core/src/features/device/codeBudgets.ts"
import { upstreamBudgets } from "../../packages/core/src/features/password/upstream.ts"
import { passwordBudgets } from "../../packages/core/src/settle/budgets.ts"
import { inquiryOf, run, sha256 } from "./inquiry.ts"

const inquiry = inquiryOf()
const nowhere = inquiryOf({}, { address: undefined })

test("NIST SP 800-63B §3.2.2: a password has five tries of its account, which a right one forgets and a day remembers, and fifty of its address", async () => {
  const account = sha256("alice")
  expect(await run(passwordBudgets("Alice", undefined, inquiry))).toEqual([
    {
      of: "account",
      key: `password account ${account}`,
      most: 5,
      countedFor: 900,
      dayKey: `password account day ${account}`,
      forgets: true,
    },
    { of: "address", key: `password address ${sha256("192.0.2.7")}`, most: 50, countedFor: 900, dayKey: undefined, forgets: false },
  ])
  expect(await run(passwordBudgets("alice", undefined, nowhere)), "no address is told").toMatchObject([{ of: "account" }])
})

test("a device that an account has signed in from has tries of its own in place of the account's and the address's, within those of all such devices", async () => {
  const [account, device] = [sha256("alice"), sha256("device")]
  expect(await run(passwordBudgets("alice", "device", inquiry))).toEqual([
    { of: "device", key: `password device ${device}`, most: 5, countedFor: 900, dayKey: `password device day ${device}`, forgets: true },
    { of: "account", key: `password devices ${account}`, most: 25, countedFor: 900, dayKey: undefined, forgets: false },
  ])
})

test("a password for another provider has ten tries of its account there and fifty of the address, counted apart from those of ours", async () => {
  const account = sha256(JSON.stringify(["corp", "alice"]))
  expect(await run(upstreamBudgets("corp", "ALICE", inquiry))).toEqual([
    { of: "account", key: `upstream account ${account}`, most: 10, countedFor: 900, dayKey: undefined, forgets: false },
    { of: "address", key: `upstream address ${sha256("192.0.2.7")}`, most: 50, countedFor: 900, dayKey: undefined, forgets: false },
  ])
  expect(await run(upstreamBudgets("corp", "alice", nowhere))).toMatchObject([{ of: "account" }])
})

test("CIBA Core §14: a person's code has five tries of a client, which a right one forgets and a day remembers, and twenty-five of all clients", async () => {
  const [client, person] = [sha256(JSON.stringify(["till", "sub-alice"])), sha256("sub-alice")]
  expect(await run(personCodeBudgets("till", "sub-alice", inquiry))).toEqual([
    {
      of: "client",
      key: `person code ${client}`,
      most: 5,
      countedFor: 900,
      dayKey: `person code day ${client}`,
      forgets: true,
    },
    { of: "account", key: `person code clients ${person}`, most: 25, countedFor: 900, dayKey: undefined, forgets: false },
  ])
})

test("RFC 8628 §5.1: a user code has ten tries of a browser and ten of an address", async () => {
  expect(await run(userCodeBudgets("digest", inquiry))).toEqual([
    { of: "browser", key: "device browser digest", most: 10, countedFor: 900, dayKey: undefined, forgets: false },
    { of: "address", key: `device address ${sha256("192.0.2.7")}`, most: 10, countedFor: 900, dayKey: undefined, forgets: false },
  ])
  expect(await run(userCodeBudgets("digest", nowhere))).toMatchObject([{ of: "browser" }])
})

test("RFC 9700 §4.16: IPv6 addresses of one network share their tries", async () => {
  const keyAt = async (address: string) => (await run(passwordBudgets("alice", undefined, inquiryOf({}, { address }))))[1]?.key
  expect(await keyAt("2001:db8:1:2::1")).toBe(await keyAt("2001:db8:1:2:ffff::9"))
  expect(await keyAt("2001:db8:1:2::1")).not.toBe(await keyAt("2001:db8:1:3::1"))
})

test("an account's name in audit events is 128 bits of a hash that needs the account key; names, providers and identities are told apart", async () => {
  const own = await run(accountOf("alice", inquiry))
  expect(own).toMatch(/^[\w-]{22}$/)
  const hash = (texts: ReadonlyArray<string>) =>
    sha256(JSON.stringify(["the account key", sha256(JSON.stringify(["the account key", ...texts]))]))
  expect(own).toBe(hash(["account", "", "alice"]).slice(0, 22))
  expect(await run(accountOf("Alice", inquiry))).toBe(own)
  const others = [
    await run(accountOf("bob", inquiry)),
    await run(accountOf("alice", inquiry, "corp")),
    await run(accountOf("alice", inquiryOf({ accountKey: () => ({ reveal: () => "another" }) }))),
    await run(accountOfIdentity({ issuer: "https://corp.example", subject: "alice" } as never, inquiry)),
    await run(accountOfIdentity({ issuer: "https://corp.example", subject: "bob" } as never, inquiry)),
    await run(accountOfIdentity({ issuer: "https://other.example", subject: "alice" } as never, inquiry)),
  ]
  expect(new Set([own, ...others]).size).toBe(7)
  expect(await run(keyedHash(["a", "b"], inquiry)), "the hash of a longer text is made of no shorter one").toBe(hash(["a", "b"]))
})
