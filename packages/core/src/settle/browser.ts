import type * as Effect from "effect/Effect"
import type { PendingAuthorization, WaitingRequest } from "../model/index.ts"
import { readHandle, secretOf, writeHandle } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, together } from "../ports/steps.ts"
import { type Message, coarseAddress, readCookie } from "../wire/index.ts"
import type { Browser } from "./visits.ts"
import { type Inquiry, digestOf, drawHandle, findBy } from "./request.ts"

export type { Browser } from "./visits.ts"

/** Loads a browser's state from its cookies. */
export const loadBrowser = (message: Message, inquiry: Inquiry): Effect.Effect<Browser, PortFailed> => {
  const { ports } = inquiry
  const { issuer } = ports.settings
  const cookie = message.headers["cookie"]
  const known = readHandle("b", readCookie(cookie, "browser", issuer))
  const fresh = known === undefined ? drawHandle(inquiry, "b") : undefined
  const { locator, secret } = known ?? fresh ?? { locator: "", secret: "" }
  const sessionHandle = readHandle("s", readCookie(cookie, "session", issuer))
  const proven = together({
    digest: digestOf(ports, secret),
    session: findBy(ports, sessionHandle, ports.tokens.findSession, (row) => row.digest),
    csrf: digestOf(ports, `postern form ${secret}`),
    csrfInSession: sessionHandle && digestOf(ports, `postern form ${secret} ${sessionHandle.secret}`),
  })
  return mapped(proven, ({ digest, session, csrf, csrfInSession = csrf }) => ({
    locator,
    digest,
    secret: secretOf(secret),
    cookies: fresh === undefined ? [] : [{ name: "browser", value: writeHandle(fresh) }],
    unknown: known === undefined,
    session,
    csrf,
    sessionCsrf: session === undefined ? csrf : csrfInSession,
    agent: (message.headers["user-agent"] ?? "").slice(0, 200),
    address: message.address === undefined ? undefined : coarseAddress(message.address),
  }))
}

/** Finds a waiting request by the handle in its pages. */
export const loadInteraction = (value: string | undefined, { ports }: Inquiry): Effect.Effect<WaitingRequest | undefined, PortFailed> =>
  mapped(
    findBy(ports, readHandle("i", value), ports.tokens.findInteraction, (row) => row.digest),
    (row) => (row?.kind === "authorization" || row?.kind === "device" || row?.kind === "visit" ? row : undefined),
  )

/** Finds a waiting authorization request by the handle in its pages. */
export const loadAuthorization = (
  value: string | undefined,
  inquiry: Inquiry,
): Effect.Effect<PendingAuthorization | undefined, PortFailed> =>
  mapped(loadInteraction(value, inquiry), (row) => (row?.kind === "authorization" ? row : undefined))
