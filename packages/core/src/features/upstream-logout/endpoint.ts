import * as Effect from "effect/Effect"
import {
  type Command,
  type Decision,
  type IdentityProvider,
  type Json,
  type JwkSet,
  type Session,
  clockTolerance,
  endSessionGrants,
  latest,
  useOnce,
} from "../../model/index.ts"
import { mapped, onward, steps } from "../../ports/steps.ts"
import { isLive } from "../../rules/session.ts"
import { type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { form } from "../../settle/programs.ts"
import { addressLimited } from "../../settle/rate.ts"
import { type Inquiry, digestOf, isUsed } from "../../settle/request.ts"
import { sessionEnd } from "../../settle/signOut.ts"
import { logoutPath, logoutPaths } from "../../settle/upstream.ts"
import { endingRules, requestRules, sourceRules, tokenRules, useRules } from "./rules.ts"
import { type UpstreamSession, upstreamSessions } from "./rows.ts"

/** Pages of sessions that one token ends: nobody has so many at once. */
const mostPages = 10

/** Verifies a token by the keys of the provider; a set that lacks the key it names is asked for once more. */
const verified = steps(function* (token: string, provider: string, { ports: { identityProviders, jwts } }: Inquiry) {
  const keysOf = (lacking?: JwkSet) => identityProviders.logoutKeys?.({ provider, lacking }) ?? Effect.succeed(undefined)
  const source = yield* keysOf()
  if (source === undefined) return { source: undefined, verdict: undefined }
  const verdict = yield* jwts.verify(token, source.keys, source.algorithms)
  if (verdict._tag !== "NoKey") return { source, verdict }
  const fresh = yield* keysOf(source.keys)
  if (fresh === undefined || fresh.keys === source.keys) return { source, verdict }
  return { source: fresh, verdict: yield* jwts.verify(token, fresh.keys, fresh.algorithms) }
})

/** The name under which a token is remembered: whatever its provider writes into it, it is short. */
const useKeyOf = (
  { provider, iss, jti }: { readonly provider: string; readonly iss: Json | undefined; readonly jti: string },
  { ports }: Inquiry,
) => digestOf(ports, `postern upstream logout ${JSON.stringify([provider, iss, jti])}`)

/** The session and person that a token names. */
interface Named {
  readonly sub: string | undefined
  readonly sid: string | undefined
}

const listed = steps(function* (list: "ofSid" | "ofSubject", given: Readonly<Record<string, string>>, { ports: { tokens } }: Inquiry) {
  const found: Array<UpstreamSession> = []
  let from = { until: latest.until, before: latest.before }
  for (let page = 0; page < mostPages; page++) {
    const rows = yield* tokens.list(upstreamSessions, list, { ...given, ...from })
    found.push(...rows)
    const last = rows.at(-1)
    if (last === undefined) break
    from = { until: last.createdAt, before: last.session }
  }
  return found satisfies ReadonlyArray<UpstreamSession> as ReadonlyArray<UpstreamSession>
})

/**
 * The sessions here that came of a sign-in which a token names: by its session there, which its person must have; those whose sign-in named no session, and where the
 * token names none all of the person's, by the person (OpenID Connect Back-Channel Logout §2.6 (8) to (10)).
 */
const sessionsOf = steps(function* (provider: string, issuer: string, { sub, sid }: Named, inquiry: Inquiry) {
  const ofSid = sid === undefined ? [] : yield* listed("ofSid", { provider, theirSid: sid }, inquiry)
  const ofSubject = sub === undefined ? [] : yield* listed("ofSubject", { provider, theirSubject: sub }, inquiry)
  const meant = [
    ...ofSid.filter(({ theirSubject }) => sub === undefined || theirSubject === sub),
    ...ofSubject.filter(({ theirSid }) => sid === undefined || theirSid === undefined),
  ].filter((each) => each.issuer === issuer)
  const { tokens } = inquiry.ports
  const found = yield* Effect.all(
    meant.map(({ session }) => tokens.findSession(session)),
    { concurrency: 8 },
  )
  return found.filter((session) => session !== undefined) satisfies ReadonlyArray<Session> as ReadonlyArray<Session>
})

const acknowledge = (commands: ReadonlyArray<Command>): Decision => ({ _tag: "Acknowledge", commands })

/**
 * The endpoint to which another provider sends its logout tokens (OpenID Connect Back-Channel Logout §2.5): what signs a person out there ends the sessions here that
 * came of that sign-in, as if they had signed out here, so that the clients of those are told in turn.
 */
export const upstreamLogout = ({ name: provider }: IdentityProvider): Endpoint =>
  endpoint(
    {
      name: "upstream-logout",
      path: logoutPath(provider),
      countedAs: logoutPaths,
      methods: ["POST"],
      audience: "programs",
      cors: false,
    },
    form("upstream-logout")
      .through(addressLimited("upstream-logout", "logoutAddress"))
      .read(({ params }, { now }) => ({ token: params.one("logout_token"), now }))
      .judge(requestRules)
      .read(({ token }, inquiry) => verified(token, provider, inquiry))
      .judge(sourceRules)
      .read(({ verdict }) => ({ verdict: verdict ?? { _tag: "Invalid" as const, reason: "not verified" } }))
      .judge(tokenRules)
      .read(({ claims: { iss }, jti }, inquiry) =>
        onward(useKeyOf({ provider, iss, jti }, inquiry), (useKey) => mapped(isUsed(useKey, inquiry), (used) => ({ useKey, used }))),
      )
      .judge(useRules)
      .read(({ source, named, useKey, expiresAt, now }, inquiry) =>
        mapped(sessionsOf(provider, source.issuer, named, inquiry), (found) => {
          const sessions = found.filter((session) => isLive(session, now))
          // One that another sign-in in the same browser replaced has ended, and its grants have not.
          const over = found.filter((session) => !isLive(session, now)).map(({ locator }) => endSessionGrants(locator, now))
          return {
            sessions,
            about: { subject: found[0]?.subject },
            taken: [useOnce(useKey, now, expiresAt + clockTolerance), ...over],
          }
        }),
      )
      .judge(endingRules, (_, { taken }) => acknowledge(taken))
      .decide(({ ending, taken }, inquiry) =>
        mapped(Effect.all(ending.map((session) => sessionEnd(session, inquiry))), (ends) => acknowledge([...taken, ...ends.flat()])),
      ),
  )
