import type { Feature } from "../feature.ts"
import { clientMetadata } from "./metadata.ts"

/** Subjects, public or pairwise: OpenID Connect Core §8. */
export const feature: Feature = { name: "subject-types", clientMetadata, registration: "subject-types" }
