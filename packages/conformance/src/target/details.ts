/** An authorization detail (RFC 9396 §2). */
export type Detail = Readonly<Record<string, unknown>>

/** Authorization details of a type that a client may use: one to request, a narrower one, and a wider one. */
export interface RoleDetails {
  readonly asked: Detail
  readonly narrower?: Detail | undefined
  readonly wider?: Detail | undefined
}

/** The authorization details type of our own clients. */
export const ownDetailType = "conformance_report"

/** The declaration of that type, in the form of Postern's configuration under `authorization_details_types`. */
export const ownDetailDeclaration = {
  resources: ["https://api.conformance.test"],
  schema: {
    required: ["station"],
    properties: {
      station: { type: "string" },
      actions: { items: { type: "string", enum: ["read", "print"] } },
      pages: { type: "integer", minimum: 1, maximum: 100, narrows: "at-most" },
    },
  },
  words: { en: { title: "Report", summary: "Make {pages} pages about {station}" } },
} as const

/** Authorization details of that type. */
export const ownDetails: RoleDetails = {
  asked: { type: ownDetailType, actions: ["read", "print"], station: "Hohe Warte", pages: 10 },
  narrower: { type: ownDetailType, actions: ["read"], station: "Hohe Warte", pages: 3 },
  wider: { type: ownDetailType, actions: ["read", "print"], station: "Hohe Warte", pages: 11 },
}
