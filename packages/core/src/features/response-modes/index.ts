import type { ResponseMode } from "../../model/index.ts"
import { withParams } from "../../wire/index.ts"

export { responseModes } from "./metadata.ts"

/** The response in the fragment of the redirect URI, which stays in the browser (OAuth 2.0 Multiple Response Types §2.1). */
export const fragment: ResponseMode = {
  name: "fragment",
  carriesTokens: true,
  deliver: (params, { redirectUri }) => ({ uri: withParams(redirectUri, "#", params) }),
}

/**
 * The response in the query of the redirect URI. Because queries end up in logs, tokens go into the fragment (OAuth 2.0 Multiple Response
 * Types §2.1, §5).
 */
export const query: ResponseMode = {
  name: "query",
  carriesTokens: false,
  withTokens: fragment,
  deliver: (params, { redirectUri }) => ({ uri: withParams(redirectUri, "?", params) }),
}

/** The response in a form that the browser posts (OAuth 2.0 Form Post Response Mode §2). */
export const formPost: ResponseMode = {
  name: "form_post",
  carriesTokens: true,
  deliver: (fields, { redirectUri, client }) => ({
    page: { _tag: "FormPost", action: redirectUri, fields, clientName: client.clientName ?? client.clientId },
  }),
}
