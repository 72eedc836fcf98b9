import type { Client, Instant, Session, Settings, WaitingRequest } from "../model/index.ts"
import { acrAbove, acrReached } from "./acr.ts"
import { type Objection, type ProvingTable, pass } from "./rule.ts"
import { signedInFor } from "./session.ts"

/** A sign-in with which a person answers on a page what a client asks elsewhere, and what the client asks of it. */
export interface SignedInSeen {
  readonly settings: Settings
  readonly now: Instant
  readonly session: Session
  readonly client: Client
  /** The request of the client. */
  readonly request: { readonly createdAt: Instant }
  /** The row by which a sign-in for the request is known; undefined where none was asked for. */
  readonly visit: WaitingRequest | undefined
  /** The provider that `acr_values` ask for, where it may be used. */
  readonly provider: string | undefined
  /** The authentication contexts that they ask for, best first. */
  readonly contexts: ReadonlyArray<string>
}

/**
 * Rules of a sign-in that is as late as the client wants it of every authorization, and of the kind that it asks for. Since it asked is always late enough, however long
 * the person reads, and so is a sign-in for this very request, whose age was judged when it was made. The kind is voluntary, as at the authorization endpoint: whoever
 * has signed in for the request is not asked again.
 */
export const signedInAsAsked =
  <In extends object, S extends SignedInSeen>(prefix: string, asked: string) =>
  (begun: ProvingTable<In, S, Objection>): ProvingTable<In, S, Objection> =>
    begun
      .rule(
        `${prefix}.max-age`,
        "OpenID Connect Dynamic Client Registration §2",
        ({ now, session, client: { defaultMaxAge }, request: { createdAt }, visit }) => {
          const { authTime } = session
          return defaultMaxAge === undefined || authTime >= createdAt || now - authTime <= defaultMaxAge || signedInFor(visit, session)
            ? pass
            : { reason: `signed in ${now - authTime} s ago, and the client's default_max_age is ${defaultMaxAge} s` }
        },
      )
      .rule(`${prefix}.source-asked`, `${asked}, specification §2.1 acr_values`, ({ provider, session, visit }) =>
        provider === undefined || provider === session.idp || signedInFor(visit, session)
          ? pass
          : { reason: `idp:${provider} is asked for` },
      )
      .rule(`${prefix}.acr`, `${asked}, RFC 9470 §5`, ({ settings, contexts, session, visit }) => {
        const [above] = signedInFor(visit, session) ? [] : acrAbove(settings, contexts, acrReached(settings, session))
        return above === undefined ? pass : { reason: `the client asks for ${above}, which is above what the session has reached` }
      })
