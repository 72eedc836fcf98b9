import type { AuditEvent, AuditEventName, Instant } from "@postern/core/model"
import type { AuditPort } from "@postern/core/ports"
import type { SigningKeyStore } from "@postern/core/jose"
import type { ClientRegistry } from "../clients/clientStore.ts"
import type { Declared } from "../declared.ts"
import type { People } from "../people/authenticator.ts"
import { usernameKey } from "../people/users.ts"

/** Records an operator's action. */
type Tell = (event: AuditEventName, about: Partial<Pick<AuditEvent, "clientId" | "subject" | "detail">>) => void

const teller =
  (audit: AuditPort, now: () => Instant): Tell =>
  (event, about) =>
    audit.record(() => [
      {
        event,
        at: now(),
        requestId: undefined,
        endpoint: undefined,
        address: undefined,
        clientId: undefined,
        subject: undefined,
        sessionId: undefined,
        grantId: undefined,
        scope: undefined,
        detail: undefined,
        ...about,
      },
    ])

/** The stores that operators change. */
export interface OperatedStores {
  readonly clients: ClientRegistry
  readonly people: People
  readonly keys: SigningKeyStore
}

/** Records the operator's changes to each store as audit events. */
export const auditedStores = ({ clients, people, keys }: OperatedStores, audit: AuditPort, now: () => Instant): OperatedStores => ({
  clients: auditedClients(clients, audit, now),
  people: auditedPeople(people, audit, now),
  keys: auditedKeys(keys, audit, now),
})

const declared = (outcome: Declared, tell: (name: "added" | "changed" | "removed", id: string) => void): Declared => {
  for (const name of ["added", "changed", "removed"] as const) for (const id of outcome[name]) tell(name, id)
  return outcome
}

/** Records the changes to a client store. */
export const auditedClients = (clients: ClientRegistry, audit: AuditPort, now: () => Instant): ClientRegistry => {
  const tell = teller(audit, now)
  return {
    ...clients,
    add: async (metadata) => {
      await clients.add(metadata)
      tell("client_added", { clientId: metadata.client_id })
    },
    put: async (metadata) => {
      const outcome = await clients.put(metadata)
      tell(outcome === "added" ? "client_added" : "client_changed", { clientId: metadata.client_id })
      return outcome
    },
    remove: async (clientId) => {
      const removed = await clients.remove(clientId)
      if (removed) tell("client_removed", { clientId })
      return removed
    },
    upsertFromConfig: async (all) =>
      declared(await clients.upsertFromConfig(all), (name, clientId) => tell(`client_${name}`, { clientId, detail: "configuration" })),
  }
}

/** Records the changes to people. Events contain the subject, never the username. */
export const auditedPeople = (people: People, audit: AuditPort, now: () => Instant): People => {
  const tell = teller(audit, now)
  const subjects = async () => new Map((await people.list()).map(({ username, subject }) => [usernameKey(username), subject]))
  const subjectOf = async (username: string) => (await people.show(username))?.subject
  return {
    ...people,
    add: async (user) => {
      const person = await people.add(user)
      tell("user_added", { subject: person.subject })
      return person
    },
    disable: async (username) => {
      await people.disable(username)
      tell("user_changed", { subject: await subjectOf(username), detail: "disabled" })
    },
    enable: async (username) => {
      await people.enable(username)
      tell("user_changed", { subject: await subjectOf(username), detail: "enabled" })
    },
    setPassword: async (username, password) => {
      await people.setPassword(username, password)
      tell("user_changed", { subject: await subjectOf(username), detail: "password" })
    },
    remove: async (username) => {
      const subject = await subjectOf(username)
      await people.remove(username)
      tell("user_removed", { subject })
    },
    upsertFromConfig: async (all) => {
      const before = await subjects()
      const outcome = await people.upsertFromConfig(all)
      const now = await subjects()
      return declared(outcome, (name, username) =>
        tell(`user_${name}`, { subject: now.get(usernameKey(username)) ?? before.get(usernameKey(username)), detail: "configuration" }),
      )
    },
  }
}

/** Records which keys are added to a store of signing keys. */
export const auditedKeys = (keys: SigningKeyStore, audit: AuditPort, now: () => Instant): SigningKeyStore => {
  const tell = teller(audit, now)
  return {
    ...keys,
    add: async (added, seen) => {
      const outcome = await keys.add(added, seen)
      if (outcome === "Committed") for (const { alg, kid } of added) tell("key_added", { detail: `${alg} ${kid}` })
      return outcome
    },
  }
}
