import { authorize, codeFor, post, redeem, refresh, request, signedIn, token, tokensFor } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import type { World } from "../support/world.ts"

/** One request whose ports are made to fail. */
export interface Flow {
  readonly name: string
  /** Brings the world to where the request can be sent, as often as wanted; answers with how to send it. */
  readonly ready: (w: World) => Promise<() => Promise<Said>>
  /** Checks the answer when no port fails. */
  readonly succeeds: (answer: Said) => boolean
  /** Checks the answer to a second try, of a step that succeeds once alone. */
  readonly again?: (answer: Said) => boolean
}

/** It is answered 200. */
export const ok = ({ status }: Said): boolean => status === 200
/** It is answered `invalid_grant`. */
export const invalidGrant = ({ status, json }: Said): boolean => status === 400 && json?.["error"] === "invalid_grant"
/** It leads to a code. */
export const hasCode = ({ params }: Said): boolean => params["code"] !== undefined
/** It shows a page. */
export const page =
  (tag: string) =>
  ({ status, page: shown }: Said): boolean =>
    status === 200 && shown?.["_tag"] === tag
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** Follows redirects of the provider itself, as a browser does; every step of it is part of the flow. */
export const visiting = async (visitor: Visitor, first: Promise<Said>): Promise<Said> => {
  let answer = await first
  for (let step = 0; step < 5 && answer.to?.startsWith("/") === true; step++) answer = await visitor.get(answer.header("location") ?? "")
  return answer
}

/** A device that has asked. */
export const started = async (w: World): Promise<{ readonly deviceCode: string; readonly userCode: string }> => {
  const { json } = await post(w, "/connect/deviceauthorization", "tv", {})
  return { deviceCode: String(json?.["device_code"]), userCode: String(json?.["user_code"]) }
}

/** A device whose person has answered. */
export const decided = async (w: World, decision: "allow" | "deny"): Promise<string> => {
  const { deviceCode, userCode } = await started(w)
  const visitor = await signedIn(w)
  const shown = await visitor.get("/device", { user_code: userCode })
  await visitor.submit(shown.page, [["decision", decision]])
  return deviceCode
}

/** A device asks for its tokens. */
export const poll = (w: World, deviceCode: string): Promise<Said> => token(w, "tv", { grant_type: deviceGrant, device_code: deviceCode })

/** A person on the consent page. */
export const consenting = async (w: World, decision: "allow" | "deny"): Promise<() => Promise<Said>> => {
  const visitor = await signedIn(w)
  const { page: asked } = await authorize(visitor, "asks", { scope: "openid offline_access api.write" })
  const fields: ReadonlyArray<readonly [string, string]> = [
    ["decision", decision],
    ["scope", "api.write"],
  ]
  return () => visiting(visitor, visitor.submit(asked, fields))
}

/** A person on their home page, with another session and a consent. */
export const home = async (
  w: World,
  form: string,
  fields: (shown: Record<string, unknown>) => ReadonlyArray<readonly [string, string]>,
) => {
  const visitor = await signedIn(w)
  await signedIn(w)
  const { page: asked } = await authorize(visitor, "asks")
  await visiting(visitor, visitor.submit(asked, [["decision", "allow"]]))
  const shown = (await visitor.get("/")).page ?? {}
  return () => visitor.submit(shown, fields(shown), form)
}

/** A code is redeemed. */
export const redeeming = (client: string, scope = "openid offline_access api.read"): Flow => ({
  name: `a code of ${client} for ${scope}`,
  ready: async (w) => {
    const code = await codeFor(w, client, { scope })
    return () => redeem(w, code, client)
  },
  succeeds: ok,
  again: invalidGrant,
})

/** A refresh token is rotated. */
export const refreshing = (client: string): Flow => ({
  name: `a refresh token of ${client}`,
  ready: async (w) => {
    const { refresh_token } = await tokensFor(w, client, "openid offline_access api.read")
    return () => refresh(w, refresh_token, client)
  },
  succeeds: ok,
  // Within its grace a rotated token answers with the same successor.
  again: ok,
})

/** A person who is signed in is sent by a client. */
export const authorizing = (client: string, changes: Readonly<Record<string, string>> = {}, succeeds = hasCode): Flow => ({
  name: `authorization of ${client} ${JSON.stringify(changes)}`,
  ready: async (w) => {
    const visitor = await signedIn(w)
    return () => visitor.get("/connect/authorize", request(client, changes))
  },
  succeeds,
})

/** A token is revoked. */
export const revoking = (client: string, kind: "access_token" | "refresh_token"): Flow => ({
  name: `revocation of an ${kind} of ${client}`,
  ready: async (w) => {
    const tokens = await tokensFor(w, client, "openid offline_access api.read")
    return () => post(w, "/connect/revocation", client, { token: tokens[kind] })
  },
  succeeds: ok,
})
