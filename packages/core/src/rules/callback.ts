import type { Callback, Client, ResponseMode, Settings } from "../model/index.ts"
import { profileOf } from "./profile.ts"
import { redirectUriMatches } from "./redirectUri.ts"

/** Reports whether a native client's redirect URIs on `localhost` may vary in port: as its metadata says, or else its profile. */
const mayVaryLocalhost = (client: Client, settings: Pick<Settings, "profile">): boolean =>
  client.loopbackLocalhost ?? profileOf(client, settings).parameters.loopbackLocalhost === "any-port"

/** The callback of a request, if its redirect_uri is the client's own. The only maker of a {@link Callback}. */
export const callbackOf = (
  client: Client,
  redirectUri: string,
  {
    mode,
    state,
    settings,
  }: { readonly mode: ResponseMode; readonly state: string | undefined; readonly settings: Pick<Settings, "profile"> },
): Callback | undefined =>
  // The brand exists in types alone; this cast, behind the match, is what gives it its meaning.
  redirectUriMatches(client, redirectUri, mayVaryLocalhost(client, settings))
    ? ({ redirectUri, mode, state, client } as Callback)
    : undefined
