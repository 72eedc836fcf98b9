import { type Received, textOf } from "../exchange/exchange.ts"
import type { Steps } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleName } from "../target/roles.ts"

/** Tokens for a client, including a refresh token. */
export const offline = async (t: Steps, role: RoleName = "web", scope = "openid offline_access") => {
  const { tokens } = await t.tokens(role, { scope, prompt: "consent" })
  if (tokens["refresh_token"] === undefined) throw new Inconclusive("no refresh token came for offline_access")
  return tokens
}

/** A refresh token of the client. */
export const refreshToken = async (t: Steps, role: RoleName = "web", scope?: string): Promise<unknown> =>
  (await offline(t, role, scope))["refresh_token"]

/** Sends a refresh token to the token endpoint. */
export const refresh = (t: Steps, token: unknown, more: Readonly<Record<string, string>> = {}, role: RoleName = "web"): Promise<Received> =>
  t.token({ grant_type: "refresh_token", refresh_token: textOf(token), ...more }, role)
