import { SignJWT } from "jose"
import { clientKey } from "./clientKeys.ts"
import { post } from "./flows.ts"
import type { Said } from "./visitor.ts"
import type { World } from "./world.ts"

export const logoutEvents = { "http://schemas.openid.net/event/backchannel-logout": {} }

/** Deviations of a logout token from a good one. */
export interface LogoutTokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** The provider whose key signs it. */
  readonly signedBy?: string
}

let made = 0

/** A logout token of the provider `corp`, about ann; claims that are undefined are left out. */
export const upstreamToken = async (w: World, { claims, header, signedBy = "corp" }: LogoutTokenChanges = {}): Promise<string> => {
  const { privateKey } = await clientKey("ES256", signedBy)
  const content = {
    iss: "https://corp.example",
    aud: "postern-there",
    iat: w.now(),
    exp: w.now() + 120,
    jti: `jti ${++made}`,
    sub: "ann",
    events: logoutEvents,
    ...claims,
  }
  return new SignJWT(JSON.parse(JSON.stringify(content)) as Record<string, unknown>)
    .setProtectedHeader({ alg: "ES256", kid: signedBy, typ: "logout+jwt", ...header })
    .sign(privateKey)
}

export const upstreamLogoutPath = (provider = "corp"): string => `/login/upstream-logout/${provider}`

/** Sends a logout token as the other provider does. */
export const sendLogout = (w: World, token: string, provider = "corp"): Promise<Said> =>
  post(w, upstreamLogoutPath(provider), undefined, { logout_token: token })
