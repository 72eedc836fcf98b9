import type * as Effect from "effect/Effect"
import type { CookieChange, PendingAuthorization, Secret, Session, WaitingRequest } from "../model/index.ts"
import { readHandle, secretOf, writeHandle } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, together } from "../ports/steps.ts"
import { type Message, coarseAddress, readCookie } from "../wire/index.ts"
import { type Inquiry, digestOf, drawHandle, findBy } from "./request.ts"

/** The browser behind a request: what its cookies prove, and the tokens its forms must carry. */
export interface Browser {
  /** Digest of the browser cookie's secret; interactions are bound to it. */
  readonly digest: string
  /** The cookie's secret: what is derived from it, only this browser can have made again. */
  readonly secret: Secret
  /** The cookie to set when the browser had none. */
  readonly cookies: ReadonlyArray<CookieChange>
  /** True if the browser had none. */
  readonly unknown: boolean
  /** The session its cookie proves; ended and expired ones too. */
  readonly session: Session | undefined
  /** CSRF token of forms for whoever sits there. */
  readonly csrf: string
  /** CSRF token of forms for the person who is signed in; the browser's own when nobody is. */
  readonly sessionCsrf: string
  /** User-Agent, cut to 200 characters. */
  readonly agent: string
  /** The network it sits in; undefined where the adapter does not tell addresses. */
  readonly address: string | undefined
}

/** Reads what a browser's cookies prove. */
export const loadBrowser = (message: Message, inquiry: Inquiry): Effect.Effect<Browser, PortFailed> => {
  const { ports } = inquiry
  const { issuer } = ports.settings
  const cookie = message.headers["cookie"]
  const known = readHandle("b", readCookie(cookie, "browser", issuer))
  const fresh = known === undefined ? drawHandle(inquiry, "b") : undefined
  const secret = known?.secret ?? fresh?.secret ?? ""
  const sessionHandle = readHandle("s", readCookie(cookie, "session", issuer))
  const proven = together({
    digest: digestOf(ports, secret),
    session: findBy(ports, sessionHandle, ports.tokens.findSession, (row) => row.digest),
    csrf: digestOf(ports, `postern form ${secret}`),
    csrfInSession: sessionHandle && digestOf(ports, `postern form ${secret} ${sessionHandle.secret}`),
  })
  return mapped(proven, ({ digest, session, csrf, csrfInSession = csrf }) => ({
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

/** Finds a waiting request by the handle its pages carry. */
export const loadInteraction = (value: string | undefined, { ports }: Inquiry): Effect.Effect<WaitingRequest | undefined, PortFailed> =>
  mapped(
    findBy(ports, readHandle("i", value), ports.tokens.findInteraction, (row) => row.digest),
    (row) => (row?.kind === "authorization" || row?.kind === "device" || row?.kind === "visit" ? row : undefined),
  )

/** Finds a waiting authorization request by the handle its pages carry. */
export const loadAuthorization = (
  value: string | undefined,
  inquiry: Inquiry,
): Effect.Effect<PendingAuthorization | undefined, PortFailed> =>
  mapped(loadInteraction(value, inquiry), (row) => (row?.kind === "authorization" ? row : undefined))
