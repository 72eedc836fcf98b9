import type { Callback, Client, ResponseMode, Settings } from "../model/index.ts"
import { profileOf } from "./profile.ts"
import { redirectUriMatches } from "./redirectUri.ts"

/**
 * Reports whether the port of a native client's redirect URIs on `localhost` may vary, according to its metadata or otherwise its profile.
 */
const mayVaryLocalhost = (client: Client, settings: Pick<Settings, "profile">): boolean =>
  client.loopbackLocalhost ?? profileOf(client, settings).parameters.loopbackLocalhost === "any-port"

/** Returns the callback of a request, if its redirect_uri is registered for the client. Nothing else creates a {@link Callback}. */
export const callbackOf = (
  client: Client,
  redirectUri: string,
  {
    mode,
    state,
    settings,
  }: { readonly mode: ResponseMode; readonly state: string | undefined; readonly settings: Pick<Settings, "profile"> },
): Callback | undefined =>
  // The brand exists only in types; this cast after the match is the only one.
  redirectUriMatches(client, redirectUri, mayVaryLocalhost(client, settings))
    ? ({ redirectUri, mode, state, client } as Callback)
    : undefined
