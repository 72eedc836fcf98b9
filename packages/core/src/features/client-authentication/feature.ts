import type { Feature } from "../feature.ts"
import { clientAuthentication } from "./index.ts"
import { clientMetadata } from "./metadata.ts"

/** The common methods of client authentication: RFC 6749 §2.3, RFC 7523 §2.2, OpenID Connect Core §9. */
export const feature: Feature = {
  name: "client-authentication",
  clientAuthentication,
  clientMetadata,
  registration: "client-authentication",
}
