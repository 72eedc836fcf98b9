import type { Feature } from "../feature.ts"
import { jwks } from "./index.ts"

/** The provider's public keys: RFC 7517 §5. */
export const feature: Feature = {
  name: "jwks",
  endpoints: () => [jwks],
  discovery: ({ url }) => ({ jwks_uri: url(jwks.path) }),
}
