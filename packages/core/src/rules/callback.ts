import type { Callback, Client, ResponseMode } from "../model/index.ts"
import { redirectUriMatches } from "./redirectUri.ts"

/** The callback of a request, if its redirect_uri is the client's own. The only maker of a {@link Callback}. */
export const callbackOf = (client: Client, redirectUri: string, mode: ResponseMode, state: string | undefined): Callback | undefined =>
  // The brand exists in types alone; this cast, behind the match, is what gives it its meaning.
  redirectUriMatches(client, redirectUri) ? ({ redirectUri, mode, state, client } as Callback) : undefined
