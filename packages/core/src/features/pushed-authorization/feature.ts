import { pushingRequired } from "../authorize/index.ts"
import type { Feature } from "../feature.ts"
import { pushedAuthorization } from "./index.ts"

/** Pushed authorization requests: RFC 9126. */
export const feature: Feature = {
  name: "pushed-authorization",
  endpoints: () => [pushedAuthorization],
  clientMetadata: [pushingRequired],
  providerSettings: [pushingRequired],
  discovery: ({ url, settings }) => ({
    pushed_authorization_request_endpoint: url(pushedAuthorization.path),
    require_pushed_authorization_requests: pushingRequired.of(settings),
  }),
}
