import type { Feature } from "../feature.ts"
import { authorizationServer, openidConfiguration } from "./index.ts"
import { common } from "./common.ts"
import { signedMetadata } from "./signed.ts"

/** Discovery: OpenID Connect Discovery §4, RFC 8414 §3. */
export const feature: Feature = {
  name: "discovery",
  endpoints: (provider) => [openidConfiguration(provider), authorizationServer(provider)],
  providerSettings: [signedMetadata],
  discovery: common,
}
