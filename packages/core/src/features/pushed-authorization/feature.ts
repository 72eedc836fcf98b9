import { interactions, rowPut, scopeWords } from "../../model/index.ts"
import { detailsParameter, typesAsked } from "../../rules/details/index.ts"
import { pushedLifetime, pushingRequired } from "../authorize/index.ts"
import type { Feature } from "../feature.ts"
import { pushedAuthorization } from "./index.ts"

/** Pushed authorization requests: RFC 9126. */
export const feature: Feature = {
  name: "pushed-authorization",
  endpoints: () => [pushedAuthorization],
  clientMetadata: [pushingRequired],
  providerSettings: [pushingRequired, pushedLifetime],
  audit: {
    PushRequest: (command) => {
      const row = rowPut(interactions, command)
      if (row?.kind !== "pushed") return undefined
      const scope = row.params.find(([name]) => name === "scope")?.[1]
      const details = row.params.find(([name]) => name === detailsParameter)?.[1]
      return [
        "authorization_pushed",
        { clientId: row.clientId, scope: scope === undefined ? undefined : scopeWords(scope), authorizationDetails: typesAsked(details) },
      ]
    },
  },
  discovery: ({ url, settings }) => ({
    pushed_authorization_request_endpoint: url(pushedAuthorization.path),
    [pushingRequired.name]: pushingRequired.of(settings) || settings.profile.parameters.pushing === "all",
  }),
}
