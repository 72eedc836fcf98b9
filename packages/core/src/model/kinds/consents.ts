import { type Command, happening, putting } from "../command.ts"
import type { Consent } from "../rows.ts"
import { insertion, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Consents that people have given clients, one for each person and client. */
export const consents = rowKind<Consent>(
  "consents",
  { subject: "text", clientId: "text", scope: "json", grantedAt: "integer", expiresAt: "integer", terms: "json?" },
  {
    called: "a consent",
    key: ["subject", "clientId"],
    keptUntil: "expiresAt",
    endless: true,
    restored: { when: [], change: "remove", isConsent: true },
    // A consent is saved together with a grant, and removed together with all grants.
    absenceCounts: true,
    events: {
      SaveConsent: insertion,
      ReplaceConsent: oneWay([["grantedAt", "equal", ":replaces"]], "replace"),
      RequireConsent: oneWay(
        [
          ["grantedAt", "equal", ":grantedAt"],
          ["scope", "equal", ":scope"],
        ],
        "nothing",
      ),
      RemoveConsent: { ...oneWay([], "remove"), otherwise: "nothing" },
    },
    lists: {
      consents: {
        all: [["subject", "equal", ":subject"]],
        order: [
          ["grantedAt", "down"],
          ["clientId", "up"],
        ],
      },
    },
  },
)

/** Saves a consent. It replaces the one granted at `replaces`; if that is undefined, there must be none. */
export const saveConsent = (consent: Consent, replaces: Instant | undefined): Command => {
  const { subject, clientId } = consent
  return replaces === undefined
    ? putting(consents, "SaveConsent", consent)
    : putting(consents, "ReplaceConsent", consent, { subject, clientId, replaces })
}

/** Requires that a consent is unchanged since it was read. */
export const requireConsent = ({ subject, clientId, grantedAt, scope }: Consent): Command =>
  happening(consents, "RequireConsent", { subject, clientId, grantedAt, scope })

/** Removes the consent that a person gave a client. */
export const removeConsent = (subject: string, clientId: string): Command => happening(consents, "RemoveConsent", { subject, clientId })
