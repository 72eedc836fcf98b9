import type { Feature } from "../feature.ts"
import { formPost, fragment, query, responseModes } from "./index.ts"

/**
 * The response modes of OAuth 2.0 Multiple Response Types §2.1 and of Form Post Response Mode. To add one, add a file here or a feature of
 * its own.
 */
export const feature: Feature = {
  name: "response-modes",
  responseModes: [query, fragment, formPost],
  clientMetadata: [responseModes],
  registration: "response-modes",
}
