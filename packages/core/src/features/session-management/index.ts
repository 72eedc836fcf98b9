import * as Effect from "effect/Effect"
import type { Session } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import { isLive } from "../../rules/session.ts"
import { endpoint } from "../../settle/endpoint.ts"
import type { SessionTelling } from "../../settle/inquiry.ts"
import { type Inquiry, digestOf } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import type { Asked } from "../../settle/endpoint.ts"
import { cookieName, encodeBase64Url } from "../../wire/index.ts"
import type { Feature } from "../feature.ts"
import { framePage } from "./frame.ts"

/**
 * The state of the browser at the provider (OpenID Connect Session Management §3.2): a digest of its session, empty if nobody is signed in.
 */
const browserState = (session: Session | undefined, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  isLive(session, inquiry.now) ? digestOf(inquiry.ports, `postern browser state ${session.digest}`) : Effect.succeed("")

/**
 * The cookie that the provider's frame reads. Scripts can read it and it is sent in pages of other sites, so it reveals only whether the
 * session is the same.
 */
const stateCookie = (state: string, { ports }: Inquiry): readonly [string, string] => [
  "set-cookie",
  [
    `${cookieName("state", ports.settings.issuer)}=${state}`,
    "Path=/",
    "SameSite=None",
    "Secure",
    ...(state === "" ? ["Max-Age=0"] : []),
  ].join("; "),
]

/** The origin of a redirect URI; undefined if it has none that a browser could state (HTML §7.1.1). */
const originOf = (uri: string): string | undefined => {
  const origin = URL.canParse(uri) ? new URL(uri).origin : "null"
  return origin === "null" ? undefined : origin
}

/** Reports the state of the browser's session to clients with each response, and its end to the provider's frame. */
const telling: SessionTelling = {
  told: ({ redirectUri, client }, session, inquiry) =>
    onward(browserState(session, inquiry), (state) => {
      const headers = [stateCookie(state, inquiry)]
      const origin = originOf(redirectUri)
      if (origin === undefined) return Effect.succeed({ params: [], headers })
      const salt = encodeBase64Url(inquiry.ports.entropy.bytes(16))
      return mapped(digestOf(inquiry.ports, `${client.clientId} ${origin} ${state} ${salt}`), (digest) => ({
        params: [["session_state", `${digest}.${salt}`]],
        headers,
      }))
    }),
  signedOut: (inquiry) => [stateCookie("", inquiry)],
}

const path = "/connect/checksession"

/** The frame in which a client checks whether the session has changed (OpenID Connect Session Management §3.2). */
const checkSession = endpoint(
  { name: "check-session", path, methods: ["GET"], audience: "people", cors: false },
  row<Asked>(() => {
    throw new Error("the frame refuses nobody")
  }).decide((_, inquiry) => framePage(cookieName("state", inquiry.ports.settings.issuer), inquiry.nonce())),
)

/** Lets clients check in the browser whether the session at the provider has changed: OpenID Connect Session Management. */
export const sessionManagement = (): Feature => ({
  name: "session-management",
  endpoints: () => [checkSession],
  sessionTellings: [telling],
  discovery: ({ url }) => ({ check_session_iframe: url(path) }),
})
