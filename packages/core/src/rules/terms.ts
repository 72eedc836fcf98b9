import type { Client, ClientChange, ClientTerms, Consent } from "../model/index.ts"
import { destinationOf } from "./faces.ts"
import { firstBy } from "./firstBy.ts"

const missing = (values: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.filter((value) => !known.includes(value))

/** Returns the changes between the terms that a person accepted and the current ones. */
export const changesOf = (before: ClientTerms, now: ClientTerms): ReadonlyArray<ClientChange> => {
  const added = missing(now.redirectUris, before.redirectUris)
  const removed = missing(before.redirectUris, now.redirectUris)
  const changes: Array<ClientChange> = added.map((value) => ({ part: "redirect", value }))
  if (added.length === 0 && removed.length > 0) changes.push({ part: "redirect" })
  if (before.keys !== now.keys) changes.push({ part: "keys" })
  if (before.method !== now.method) changes.push({ part: "method" })
  if (before.scope !== now.scope) changes.push({ part: "scope", value: now.scope ?? undefined })
  if (before.name !== now.name) changes.push({ part: "name", value: before.name ?? undefined })
  return changes
}

/**
 * Returns the changes of a client since a person's last consent, with destinations as shown to people; none for a client without an earlier
 * consent.
 */
export const changesSince = (consent: Consent | undefined, { document }: Pick<Client, "document">): ReadonlyArray<ClientChange> => {
  if (consent?.terms === undefined || document === undefined) return []
  const shown = changesOf(consent.terms, document.terms).map((change) =>
    change.part === "redirect" && change.value !== undefined ? { ...change, value: destinationOf(change.value) } : change,
  )
  return firstBy(shown, ({ part, value }) => JSON.stringify([part, value]))
}

/** Reports whether a consent is still valid for its client: if the client publishes its own metadata, only its name may have changed. */
export const stillAsAgreed = ({ terms }: Pick<Consent, "terms">, { document }: Pick<Client, "document">): boolean =>
  document === undefined || (terms !== undefined && changesOf(terms, document.terms).every(({ part }) => part === "name"))
