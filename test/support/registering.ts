import { type NewInitialAccessToken, type RegistrationOptions, defaultFeatures, initialAccessToken, registration } from "@postern/core"
import { type Said, said } from "./visitor.ts"
import type { World, WorldOptions } from "./world.ts"

/** Options of a world whose clients may register themselves. */
export const registers = (options: RegistrationOptions = {}): Required<Pick<WorldOptions, "more">> => ({
  more: { features: [...defaultFeatures, registration(options)] },
})

export const registrationPath = "/connect/register"

/** Metadata of a web application that registers itself. */
export const app = { redirect_uris: ["https://app.example/cb"], client_name: "App", require_consent: false }

/** Metadata of a public client. */
export const publicApp = { ...app, token_endpoint_auth_method: "none", grant_types: ["authorization_code", "refresh_token"] }

/** Sends JSON with a bearer token. */
export const sendJson = async (
  w: World,
  method: "POST" | "PUT" | "GET" | "DELETE",
  target: string,
  {
    body,
    token,
    headers = {},
  }: { readonly body?: unknown; readonly token?: string | undefined; readonly headers?: Record<string, string> } = {},
): Promise<Said> => {
  const [path = "", query = ""] = target.replace(/^https:\/\/[^/]+/, "").split("?", 2)
  const sent = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  }
  return said(
    await w.send({
      method,
      path,
      query,
      headers: sent,
      body: typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body),
    }),
  )
}

/** Registers a client. */
export const register = (w: World, metadata: unknown = app, token?: string): Promise<Said> =>
  sendJson(w, "POST", registrationPath, { body: metadata, ...(token === undefined ? {} : { token }) })

/** Makes an initial access token in a world. */
export const tokenIn = async (w: World, token: Partial<NewInitialAccessToken> = {}): Promise<string> => {
  const { value, command } = await initialAccessToken({ name: "test", ...token }, w.now() * 1000)
  await w.tokens.commit([command])
  return value
}
