import { descriptions as authorize } from "./authorize/metadata.ts"
import { descriptions as clientAuthentication } from "./client-authentication/metadata.ts"
import { descriptions as consent } from "./consent/metadata.ts"
import { descriptions as idTokens } from "./id-tokens/metadata.ts"
import { descriptions as introspection } from "./introspection/metadata.ts"
import { descriptions as subjectTypes } from "./subject-types/metadata.ts"
import { descriptions as token } from "./token/metadata.ts"
import { descriptions as upstream } from "./upstream/metadata.ts"

// Separate from the fields that they describe, so that a provider that answers requests, and its bundle, can leave them out.

const descriptions: Readonly<Record<string, string>> = {
  ...authorize,
  ...clientAuthentication,
  ...consent,
  ...idTokens,
  ...introspection,
  ...subjectTypes,
  ...token,
  ...upstream,
}

/** Completes a field with its description, if that is kept separately. */
export const described = <Each extends { readonly name: string; readonly description: string }>(field: Each): Each =>
  field.description === "" ? { ...field, description: descriptions[field.name] ?? "" } : field
