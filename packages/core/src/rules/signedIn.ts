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

/** The reason a session is not of the provider that `acr_values` ask for. */
export const providerFault = ({ provider, session }: Pick<SignedInSeen, "provider" | "session">): string | undefined =>
  provider === undefined || provider === session.idp ? undefined : `idp:${provider} is asked for`

/** The reason a session has not reached the authentication context that is asked for, and a new sign-in can (RFC 9470 §5). */
export const contextFault = ({
  settings,
  contexts,
  session,
}: Pick<SignedInSeen, "settings" | "contexts" | "session">): string | undefined => {
  const [above] = acrAbove(settings, contexts, acrReached(settings, session))
  return above === undefined ? undefined : `the client asks for ${above}, which is above what the session has reached`
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
      .rule(`${prefix}.max-age`, "OpenID Connect Dynamic Client Registration §2", (s) => {
        const { authTime } = s.session
        const [age, limit] = [s.now - authTime, s.client.defaultMaxAge]
        return limit === undefined || age <= limit || authTime >= s.request.createdAt || signedInFor(s.visit, s.session)
          ? pass
          : { reason: `signed in ${age} s ago, max_age is ${limit} s` }
      })
      .rule(`${prefix}.source-asked`, `${asked}, specification §2.1 acr_values`, unlessSignedIn(providerFault))
      .rule(`${prefix}.acr`, `${asked}, RFC 9470 §5`, unlessSignedIn(contextFault))

const unlessSignedIn = (fault: (s: SignedInSeen) => string | undefined) => (s: SignedInSeen) => {
  const reason = signedInFor(s.visit, s.session) ? undefined : fault(s)
  return reason === undefined ? pass : { reason }
}
