import type { Client } from "./client.ts"
import type { Page } from "./page.ts"
import type { JwtPlan } from "./plan.ts"

/** The parameters of an authorization response, in order. */
export type ResponseParams = ReadonlyArray<readonly [string, string]>

/** The place and the reader of an authorization response. */
export interface ResponseTo {
  /** The redirect URI, checked. */
  readonly redirectUri: string
  /** The client that reads it. */
  readonly client: Client
}

/** A response mode: the way in which an authorization response travels to the client (OAuth 2.0 Multiple Response Types §2.1). */
export interface ResponseMode {
  /** The value of `response_mode` that asks for it. */
  readonly name: string
  /** False if no token may travel so: a request that asks for both is refused (OAuth 2.0 Multiple Response Types §3, §5). */
  readonly carriesTokens: boolean
  /** The mode in its place where a token is asked for; itself when left out. */
  readonly withTokens?: ResponseMode
  /** The mode as one client has it, where that depends on its metadata (JARM §2.3.1); the same for all when left out. */
  readonly forClient?: (client: Client) => ResponseMode
  /** Makes the JWT that takes the place of the parameters, as its one parameter `response` (JARM §2.3); they travel as they are when left out. */
  readonly sign?: (params: ResponseParams, to: ResponseTo & { readonly issuer: string; readonly now: number }) => JwtPlan
  /** Delivers the response: the URI that the browser is sent to, or a page that it is shown. */
  readonly deliver: (params: ResponseParams, to: ResponseTo) => { readonly uri: string } | { readonly page: Page }
}
