import { textOf } from "../../exchange/exchange.ts"
import type { Steps } from "../../steps/steps.ts"

/** The document that the requirements cite. */
export const draft = "draft-ietf-oauth-identity-assertion-authz-grant"

/** The grant type of token exchange (RFC 8693 §2.1). */
export const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

/** The identifier of a token type (RFC 8693 §3). */
export const tokenType = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`

/** Parameters to change. Undefined removes a parameter. */
export type Changes = Readonly<Record<string, string | undefined>>

/** An ID token from a sign-in to the role's client. */
export const idToken = async (t: Steps, role: "crossing" | "web" = "crossing"): Promise<string> =>
  textOf((await t.tokens(role, { scope: "openid" })).tokens["id_token"])
