import type { Client } from "./client.ts"
import type { Page } from "./page.ts"
import type { JwtPlan } from "./plan.ts"

/** The parameters of an authorization response, in order. */
export type ResponseParams = ReadonlyArray<readonly [string, string]>

/** The destination of an authorization response. */
export interface ResponseTo {
  /** The validated redirect URI. */
  readonly redirectUri: string
  /** The client that receives it. */
  readonly client: Client
}

/** A response mode: the mechanism that returns an authorization response to the client (OAuth 2.0 Multiple Response Types §2.1). */
export interface ResponseMode {
  /** Its value of `response_mode`. */
  readonly name: string
  /** False if the mode must not return tokens: a request for both is refused (OAuth 2.0 Multiple Response Types §3, §5). */
  readonly carriesTokens: boolean
  /** The mode that replaces it if the response contains a token; itself by default. */
  readonly withTokens?: ResponseMode
  /** Returns the mode for one client, if it depends on client metadata (JARM §2.3.1); the same for all by default. */
  readonly forClient?: (client: Client) => ResponseMode
  /**
   * Builds the JWT that replaces the parameters, in the single parameter `response` (JARM §2.3). If omitted, the parameters are sent as
   * they are.
   */
  readonly sign?: (params: ResponseParams, to: ResponseTo & { readonly issuer: string; readonly now: number }) => JwtPlan
  /** Delivers the response: returns the URI for a redirect, or a page to show. */
  readonly deliver: (params: ResponseParams, to: ResponseTo) => { readonly uri: string } | { readonly page: Page }
}
