import type { Client, Instant, Session, Settings, WaitingRequest } from "../model/index.ts"
import { acrAbove, acrReached } from "./acr.ts"
import { type Objection, type ProvingTable, pass } from "./rule.ts"
import { signedInFor } from "./session.ts"

/** The sign-in of a person who answers a client's request from another channel on a page, and the client's requirements on it. */
export interface SignedInSeen {
  readonly settings: Settings
  readonly now: Instant
  readonly session: Session
  readonly client: Client
  /** The request of the client. */
  readonly request: { readonly createdAt: Instant }
  /** The row that identifies a sign-in for the request; undefined if none was requested. */
  readonly visit: WaitingRequest | undefined
  /** The provider that `acr_values` request, if it may be used. */
  readonly provider: string | undefined
  /** The authentication contexts that they request, in order of preference. */
  readonly contexts: ReadonlyArray<string>
}

/** Returns the reason why a session is not from the provider that `acr_values` request. */
export const providerFault = ({ provider, session }: Pick<SignedInSeen, "provider" | "session">): string | undefined =>
  provider === undefined || provider === session.idp ? undefined : `idp:${provider} is asked for`

/** Returns the reason why a session does not satisfy a requested authentication context that a new sign-in can satisfy (RFC 9470 §5). */
export const contextFault = ({
  settings,
  contexts,
  session,
}: Pick<SignedInSeen, "settings" | "contexts" | "session">): string | undefined => {
  const [above] = acrAbove(settings, contexts, acrReached(settings, session))
  return above === undefined ? undefined : `the client asks for ${above}, which is above what the session has reached`
}

/**
 * Adds the rules of a sign-in that is as recent as the client requires for every authorization, and of the requested kind. A sign-in since
 * the client's request is always recent enough, however long the person takes, and so is one for this very request, whose age was checked
 * when it was made. The kind is voluntary, as at the authorization endpoint: a person who has signed in for the request is not asked again.
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
