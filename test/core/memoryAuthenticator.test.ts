import { defineClient, secretOf } from "@postern/core"
import { memoryAuthenticator, memoryClientStore } from "@postern/core/memory"
import type { UpstreamIdentity } from "@postern/core/model"
import type { Credentials } from "@postern/core/ports"
import { expect, test } from "vitest"

const person = { subject: "sub-carol", username: "carol", active: true, claims: { name: "Carol" }, tenant: "labs" }
const anywhere = { subject: "sub-dan", username: "Dan", active: true, claims: {} }
const people = memoryAuthenticator([
  { person, password: "correct horse" },
  { person: anywhere, password: "battery" },
  { person: { ...anywhere, subject: "sub-eve", username: "eve", active: false }, password: "staple" },
])
const attempt = (username: string, password: string, tenant?: string): Credentials => ({
  username,
  password: secretOf(password),
  tenant,
  acrValues: [],
  address: undefined,
})
const identity = (subject: string, told: Partial<UpstreamIdentity> = {}): UpstreamIdentity => ({
  provider: "corp",
  issuer: "https://corp.example",
  subject,
  claims: { name: subject },
  amr: ["hwk"],
  acr: "urn:corp",
  ...told,
})

test("specification §2.1 acr_values: the authenticator in memory refuses a person of another tenant, as the stores do", async () => {
  const verify = async (tenant: string | undefined) => (await people.verify(attempt("carol", "correct horse", tenant)))._tag
  expect([await verify("labs"), await verify(undefined), await verify("other")]).toEqual(["Verified", "Verified", "Rejected"])
})

test("RFC 8176 §2: who knows the password is signed in by it; usernames have no case, passwords do", async () => {
  expect(await people.verify(attempt("CAROL", "correct horse"))).toEqual({ _tag: "Verified", person, amr: ["pwd"], acr: undefined })
  const dan = await people.verify(attempt("dan", "battery", "labs"))
  expect(dan).toMatchObject({ _tag: "Verified", person: { ...anywhere, tenant: null } })
})

test("an unknown name, another password and a disabled person are rejected", async () => {
  const rejected = [attempt("nobody", "battery"), attempt("carol", "battery"), attempt("carol", "CORRECT HORSE"), attempt("eve", "staple")]
  for (const each of rejected) expect(await people.verify(each)).toEqual({ _tag: "Rejected", reason: expect.any(String) })
})

test("people are found by their subject, disabled ones too", async () => {
  expect(await people.find("sub-carol")).toEqual(person)
  expect(await people.find("sub-eve")).toMatchObject({ active: false })
  expect(await people.find("carol")).toBeUndefined()
})

test("OpenID Connect Core §5.7: who comes from another provider is known by its issuer and their subject there", async () => {
  const own = memoryAuthenticator([])
  const admit = async (each: UpstreamIdentity, tenant?: string) => own.admit(each, tenant)
  const first = await admit(identity("1"))
  expect(first).toEqual({
    _tag: "Verified",
    person: { subject: "linked-1", username: "corp-linked-1", active: true, claims: { name: "1" }, tenant: null },
    amr: ["hwk"],
    acr: "urn:corp",
  })
  expect(await own.find("linked-1")).toEqual("person" in first ? first.person : undefined)
  expect(await admit(identity("2"))).toMatchObject({ person: { subject: "linked-2" } })
  expect(await admit(identity("1", { issuer: "https://other.example" }))).toMatchObject({ person: { subject: "linked-3" } })
  // Known again, with the claims of today and the name of then.
  expect(await admit(identity("1", { provider: "renamed", claims: { name: "One" } }), "labs")).toMatchObject({
    person: { subject: "linked-1", username: "corp-linked-1", claims: { name: "One" } },
  })
})

test("a linked person who is disabled, or of another tenant, is rejected as one with a password is", async () => {
  const linked = { subject: "linked-1", username: "erin", claims: {}, active: true, tenant: "labs" }
  const admit = async (told: Partial<typeof linked>, tenant?: string) =>
    memoryAuthenticator([{ person: { ...linked, ...told }, password: "" }]).admit(identity("1"), tenant)
  expect(await admit({}, "labs")).toMatchObject({ _tag: "Verified", person: { username: "erin", tenant: "labs", claims: { name: "1" } } })
  expect(await admit({})).toMatchObject({ _tag: "Verified" })
  for (const rejected of [await admit({}, "other"), await admit({ active: false })])
    expect(rejected).toEqual({ _tag: "Rejected", reason: expect.any(String) })
})

test("RFC 6749 §2.2, OpenID Connect Core §2: ids in memory are unique, since only the last of two would be found", () => {
  const eve = { person: { ...anywhere, subject: "sub-eve", username: "EVE" }, password: "staple" }
  const client = defineClient({ client_id: "app", redirect_uris: ["https://app.example/cb"] })
  expect(() => memoryClientStore([client, defineClient({ client_id: "other", redirect_uris: client.redirectUris }), client])).toThrow(
    new TypeError("memoryClientStore: client_id: given more than once: app"),
  )
  expect(() => memoryAuthenticator([eve, { ...eve, person: { ...eve.person, subject: "2", username: "eve" } }])).toThrow(
    new TypeError("memoryAuthenticator: username: given more than once: eve"),
  )
  expect(() => memoryAuthenticator([eve, { ...eve, person: { ...eve.person, username: "carol" } }])).toThrow(
    new TypeError("memoryAuthenticator: subject: given more than once: sub-eve"),
  )
})

test("callers without types are told at creation what is no client and no person, by its place", () => {
  const metadata = { client_id: "app", redirect_uris: ["https://app.example/cb"] }
  const clientsOf = memoryClientStore as (clients: unknown) => unknown
  const peopleOf = memoryAuthenticator as (people: unknown) => unknown
  for (const wrong of [metadata, undefined, null, "app"])
    expect(() => clientsOf([defineClient({ ...metadata, client_id: "right" }), wrong])).toThrow(
      new TypeError("memoryClientStore: clients[1]: is no client; make it with defineClient"),
    )
  for (const none of [undefined, metadata])
    expect(() => clientsOf(none)).toThrow(new TypeError("memoryClientStore: clients: must be a list"))
  for (const wrong of [anywhere, { person: anywhere }, { person: metadata, password: "staple" }, null])
    expect(() => peopleOf([wrong])).toThrow(
      new TypeError("memoryAuthenticator: people[0]: must have a person, with username and subject, and a password"),
    )
  expect(() => peopleOf({})).toThrow(new TypeError("memoryAuthenticator: people: must be a list"))
})
