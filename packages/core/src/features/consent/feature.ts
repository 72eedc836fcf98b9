import { type Command, consents, interactions, rowPut } from "../../model/index.ts"
import { toldOf } from "../../rules/details/index.ts"
import type { AuditMeaning, Feature } from "../feature.ts"
import { consent } from "./index.ts"
import { clientMetadata, lifetimes } from "./metadata.ts"

const given = (command: Command): AuditMeaning | undefined => {
  const row = rowPut(consents, command)
  return row && ["consent_given", { subject: row.subject, clientId: row.clientId, ...toldOf(row.scope) }]
}

const denied = (command: Command): AuditMeaning | undefined => {
  const row = rowPut(interactions, command)
  return row?.kind === "authorization" && row.denied ? ["consent_denied", {}] : undefined
}

/** The consent page: OpenID Connect Core §3.1.2.4. */
export const feature: Feature = {
  name: "consent",
  clientMetadata,
  lifetimes,
  endpoints: () => [consent],
  audit: {
    SaveConsent: given,
    ReplaceConsent: given,
    NoteAnswer: denied,
    FinishRequest: denied,
  },
}
