import type { Feature } from "../feature.ts"
import { endSessionOfMine, home, withdrawConsent } from "./index.ts"

/** The home page of a person, with their sessions and consents. */
export const feature: Feature = {
  name: "home",
  endpoints: () => [home, endSessionOfMine, withdrawConsent],
  audit: {
    RemoveConsent: ({ given: { subject, clientId } }) =>
      typeof subject === "string" && typeof clientId === "string" ? ["consent_withdrawn", { subject, clientId }] : undefined,
  },
}
