import type { AuthenticatorPort, ClientStorePort } from "@postern/core/ports"
import { secretOf } from "@postern/core/model"
import { expect, it } from "vitest"
import { agreementOf } from "../../packages/cli/src/serve/agreement.ts"

const stored = (): { asked: Array<string>; clients: ClientStorePort; people: AuthenticatorPort } => {
  const asked: Array<string> = []
  const told =
    (name: string) =>
    (what: unknown): undefined =>
      void asked.push(`${name} ${JSON.stringify(what)}`)
  return {
    asked,
    clients: { find: told("client"), verifySecret: (id) => told("secret")(id) ?? false, secretOf: told("kept") },
    people: {
      verify: (credentials) => told("verify")(credentials) ?? { _tag: "Rejected", reason: "unknown" },
      find: told("person"),
      admit: (identity) => told("admit")(identity) ?? { _tag: "Rejected", reason: "unknown" },
    },
  }
}

it("nobody is told of a client or a person before they agree with the configuration", async () => {
  const { asked, clients, people } = stored()
  const agreement = agreementOf(clients, people)
  const waiting = Promise.all([agreement.clients.find("web"), agreement.people.find("alice")])
  const agreed = agreement.reach(async () => {
    await Promise.resolve()
    asked.push("agreed")
    return "with the file"
  })
  expect([agreement.isReached(), asked]).toEqual([false, []])
  expect(await agreed).toBe("with the file")
  await waiting
  expect(asked).toEqual(["agreed", 'client "web"', 'person "alice"'])
})

it("what is asked after that is answered at once, without a promise around it", async () => {
  const { clients, people } = stored()
  const agreement = agreementOf(clients, people)
  await agreement.reach(() => Promise.resolve())
  expect([agreement.isReached(), agreement.clients.find("web"), agreement.people.find("alice")]).toEqual([true, undefined, undefined])
})

it("a client that is found to agree already is answered at once; another, and every person, waits for all of them", async () => {
  const { asked, clients, people } = stored()
  const found: Readonly<Record<string, boolean | Promise<boolean>>> = { same: true, later: Promise.resolve(true), changed: false }
  const agreement = agreementOf(clients, people, (clientId) => found[clientId] ?? false)
  expect(agreement.clients.find("same"), "without a promise around it").toBeUndefined()
  expect(agreement.clients.verifySecret("same", secretOf("s"), undefined)).toBe(false)
  await agreement.clients.secretOf("later")
  expect([agreement.isReached(), asked]).toEqual([false, ['client "same"', 'secret "same"', 'kept "later"']])
  const waiting = Promise.all([
    agreement.clients.find("changed"),
    agreement.clients.verifySecret("changed", secretOf("s"), undefined),
    agreement.clients.secretOf("changed"),
    agreement.people.find("same"),
  ])
  await agreement.reach(async () => void asked.push("agreed"))
  await waiting
  expect(asked.slice(3)).toEqual(["agreed", 'client "changed"', 'secret "changed"', 'kept "changed"', 'person "same"'])
})

it("a client of whom it cannot be found out fails as a read of it does", async () => {
  const { clients, people } = stored()
  const failure = new Error("the disk is gone")
  const agreement = agreementOf(clients, people, () => Promise.reject(failure))
  await expect(agreement.clients.find("web")).rejects.toBe(failure)
})

it("when they cannot be made to agree, who waits is refused, and nothing is asked of the stores", async () => {
  const { asked, clients, people } = stored()
  const agreement = agreementOf(clients, people)
  const waiting = agreement.clients.find("web")
  const failure = new Error("the disk is full")
  await expect(agreement.reach(() => Promise.reject(failure))).rejects.toBe(failure)
  await expect(waiting).rejects.toBe(failure)
  expect([agreement.isReached(), asked]).toEqual([false, []])
})
