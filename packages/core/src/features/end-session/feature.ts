import { Uri, clientField, values } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { signedInMemory } from "../../rules/session.ts"
import { endsByHint } from "./byHint.ts"
import { endSession } from "./index.ts"

/** Logout initiated by a client: OpenID Connect RP-Initiated Logout. */
export const feature: Feature = {
  name: "end-session",
  clientMetadata: [
    clientField("post_logout_redirect_uris", values.listOf(Uri), "URIs to return to after sign-out; matched character for character.", {
      name: "post-logout-redirect-uri",
      placeholder: "URI",
      description: "A URI to return to after sign-out",
      repeats: true,
    }),
    endsByHint,
  ],
  sessionMemories: [(client, settings) => (endsByHint.of(client) ? signedInMemory(settings) : 0)],
  registration: "end-session",
  endpoints: () => [endSession],
  discovery: ({ url }) => ({ end_session_endpoint: url(endSession.path) }),
}
