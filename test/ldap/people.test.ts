import { createServer, type AddressInfo } from "node:net"
import { secretOf } from "@postern/core"
import type { AuthenticatorPort } from "@postern/core/ports"
import { type LdapOptions, ldapAuthenticator } from "@postern/people-ldap"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { pem } from "../cli/pem.ts"
import { people as documented } from "../people/ldap.ts"
import { signedIn } from "../support/flows.ts"
import { type LdapServer, slapdThere, startSlapd } from "../support/ldapServer.ts"
import { world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

const entry = (dn: string, uid: ReadonlyArray<string>, more: ReadonlyArray<string> = []): string =>
  [
    `dn: ${dn}`,
    "objectClass: inetOrgPerson",
    "cn: Alice Ant",
    "sn: Ant",
    "givenName: Alice",
    ...uid.map((each) => `uid: ${each}`),
    ...more,
  ].join("\n")

const base = "ou=people,dc=example,dc=com"

const entries = [
  "dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example",
  `dn: ${base}\nobjectClass: organizationalUnit\nou: people`,
  "dn: cn=postern,dc=example,dc=com\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: postern\nuserPassword: the service's",
  entry(`uid=alice,${base}`, ["alice"], ["mail: alice@example.com", "userPassword: correct horse"]),
  entry(`uid=bob,${base}`, ["bob"], ["employeeType: gone", "userPassword: correct horse"]),
  entry(`uid=carol,${base}`, ["carol"]),
  // Characters that are syntax in a filter or in a name (RFC 4515 §3, RFC 4514 §2.4).
  entry(`uid=a\\2Ab\\28c\\29\\2Cd\\5Ce,${base}`, ["a*b(c),d\\e"], ["userPassword: correct horse"]),
  ...["one", "two", "three"].map((cn) => `${entry(`cn=${cn},${base}`, ["twins"], ["userPassword: correct horse"])}\ncn: ${cn}`),
  // Below the base, and no person.
  `dn: cn=thing,${base}\nobjectClass: device\nobjectClass: uidObject\ncn: thing\nuid: thing`,
].join("\n\n")

const credentials = (username: string, password: string) => ({ username, password: secretOf(password), acrValues: [] })

describe.skipIf(!slapdThere)("people of OpenLDAP", { timeout: 60_000 }, () => {
  let server: LdapServer
  let people: AuthenticatorPort
  const options = (more: Partial<LdapOptions> = {}): LdapOptions => ({
    url: server.ldaps,
    tls: { ca: pem.cert },
    bind: { dn: "cn=postern,dc=example,dc=com", password: secretOf("the service's") },
    base,
    filter: "(objectClass=inetOrgPerson)",
    ...more,
  })
  beforeAll(async () => {
    server = await startSlapd(`${entries}\n`, pem)
    vi.stubEnv("LDAP_PASSWORD", "the service's")
    people = documented(server.ldaps, pem.cert)
  }, 60_000)
  afterAll(async () => {
    vi.unstubAllEnvs()
    await server?.end()
  })

  test("RFC 4513 §5.1.3: a person signs in through the provider by a bind, and is found by entryUUID (RFC 4530)", async () => {
    const w = await world({ authenticator: people })
    const visitor = await signedIn(w)
    const { page } = await visitor.get("/")
    expect(page).toMatchObject({ _tag: "Home", person: { username: "alice", name: "Alice Ant" } })
    const { subject } = (page ?? {})["person"] as { readonly subject: string }
    expect(subject).toMatch(/^[0-9a-f-]{36}$/)
    expect(await people.find(subject)).toEqual({
      subject,
      username: "alice",
      active: true,
      tenant: null,
      claims: { name: "Alice Ant", given_name: "Alice", family_name: "Ant", email: "alice@example.com" },
    })
    expect(await people.find("00000000-0000-0000-0000-000000000000")).toBeUndefined()
    expect(await people.find("no UUID)(uid=*")).toBeUndefined()
  })

  test.each([
    ["ldaps://", () => options()],
    ["StartTLS (RFC 4511 §4.14)", () => options({ url: server.ldap, startTls: true })],
    ["ldap:// on this machine", () => options({ url: server.ldap })],
  ])("%s is a way to the directory", async (_, made) => {
    const own = ldapAuthenticator(made())
    expect(await own.verify(credentials("alice", "correct horse"))).toMatchObject({
      _tag: "Verified",
      amr: ["pwd"],
      person: { username: "alice" },
    })
    expect(await own.verify(credentials("alice", "wrong"))).toMatchObject({ _tag: "Rejected", reason: "wrong password" })
  })

  test.each([
    ["ldaps://", () => options({ tls: {} })],
    ["StartTLS", () => options({ url: server.ldap, startTls: true, tls: {} })],
  ])("RFC 4513 §3.1.3: by %s a certificate that nobody vouches for is refused, before a password is sent", async (_, made) => {
    await expect(ldapAuthenticator(made()).verify(credentials("alice", "correct horse"))).rejects.toThrow(/self-signed certificate/)
  })

  test.each([
    ["RFC 4513 §5.1.2: an empty password, with which a bind succeeds", "alice", "", /RFC 4513/],
    ["a wrong password", "alice", "wrong", /^wrong password$/],
    ["a person who is gone", "bob", "correct horse", /^the person is disabled$/],
    ["an entry without a password (RFC 4511 §4.2.2)", "carol", "anything", /^wrong password$/],
    ["a name that three entries have", "twins", "correct horse", /^several entries/],
    ["an entry that is no person", "thing", "anything", /^no such person$/],
    ["nobody", "mallory", "correct horse", /^no such person$/],
    ["RFC 4515 §3: a pattern", "ali*", "correct horse", /^no such person$/],
    ["RFC 4515 §3: a filter", "*)(uid=alice", "correct horse", /^no such person$/],
    ["RFC 4515 §3: an escape", "\\61lice", "correct horse", /^no such person$/],
    ["a NUL", "alice\u0000", "correct horse", /^no such person$/],
    [
      "RFC 4518 §2.6.1: spaces that the directory ignores, and by which guesses would not be counted together",
      " alice ",
      "correct horse",
      /^no such person$/,
    ],
    ["RFC 4518 §2.2: characters that the directory ignores", "ali\u00ADce", "correct horse", /^no such person$/],
    ["a name beyond the limit", "a".repeat(1025), "x", /1024/],
    ["a password beyond the limit", "alice", "x".repeat(1025), /1024/],
  ])("%s is rejected", async (_, username, password, reason) => {
    expect(await people.verify(credentials(username, password))).toEqual({ _tag: "Rejected", reason: expect.stringMatching(reason) })
  })

  test("RFC 4515 §3, RFC 4514 §2.4: a name made of their syntax is a name", async () => {
    expect(await people.verify(credentials("a*b(c),d\\e", "correct horse"))).toMatchObject({ _tag: "Verified" })
    expect(await people.verify(credentials("ALICE", "correct horse"))).toMatchObject({ _tag: "Verified", person: { username: "alice" } })
  })

  test("no name of any characters lets anybody in who is not of that name", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...Array.from("alice*()\\,=&|!# \u0000é")), minLength: 1, maxLength: 12 }),
        async (username) => {
          fc.pre(username.toLowerCase() !== "alice")
          expect(await people.verify(credentials(username, "correct horse"))).toMatchObject({ _tag: "Rejected" })
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test("a wrong service password is the directory's failure, not the person's", async () => {
    const own = ldapAuthenticator(options({ bind: { dn: "cn=postern,dc=example,dc=com", password: secretOf("wrong") } }))
    await expect(own.verify(credentials("alice", "correct horse"))).rejects.toThrow(
      "the directory refused the account that searches, cn=postern,dc=example,dc=com",
    )
    const anonymous = ldapAuthenticator(options({ bind: undefined }))
    await expect(anonymous.verify(credentials("alice", "correct horse"))).rejects.toThrow(/authentication required/i)
  })

  test("a directory that stands still is given up after the time limit, and the provider answers 503", async () => {
    const own = ldapAuthenticator(options({ timeout: 300 }))
    server.signal("SIGSTOP")
    try {
      await expect.poll(() => server.isStopped()).toBe(true)
      await expect(own.find("x")).rejects.toThrow(/300|time/i)
    } finally {
      server.signal("SIGCONT")
    }
  })
})

test("a server that takes a connection and says nothing is given up (RFC 4511 §4.14, TLS and plain)", async () => {
  const silent = createServer((socket) => void socket.on("error", () => undefined))
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done))
  const { port } = silent.address() as AddressInfo
  const sockets = new Set<{ destroy: () => void }>()
  silent.on("connection", (socket) => sockets.add(socket))
  for (const more of [
    { url: `ldap://127.0.0.1:${port}` },
    { url: `ldap://127.0.0.1:${port}`, startTls: true },
    { url: `ldaps://127.0.0.1:${port}` },
  ])
    await expect(ldapAuthenticator({ base, timeout: 100, ...more }).verify(credentials("alice", "x"))).rejects.toThrow(/100 ?ms|time/i)
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test("ldapAuthenticator refuses what would send passwords in the clear, and every other fault, at once", () => {
  const make = (more: Partial<LdapOptions>) => () => ldapAuthenticator({ url: "ldaps://ldap.example.com", base, ...more })
  expect(make({})).not.toThrow()
  expect(make({ url: "ldap://ldap.example.com", startTls: true })).not.toThrow()
  expect(make({ url: "ldap://ldap.example.com" })).toThrow(
    "ldap:// sends passwords in the clear; use ldaps:// or startTls (RFC 4513 §6.3.1)",
  )
  expect(make({ url: "ldap://127.0.0.1.example.com" })).toThrow("in the clear")
  expect(make({ url: "https://ldap.example.com", base: "", filter: "(((", timeout: 0 })).toThrow(
    new TypeError(
      "ldapAuthenticator: \n- url: must be ldaps://HOST or ldap://HOST, with a port if need be and nothing else\n- base: must name the entry below which people are\n- timeout: must be a number of milliseconds up to 60000\n- filter: is no filter (RFC 4515 §3)",
    ),
  )
  expect(make({ startTls: true })).toThrow("startTls: ldaps:// has TLS already")
})
