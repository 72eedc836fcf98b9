import * as Effect from "effect/Effect"
import { type Command, type Decision, type IdentityProvider, type Json, type JwkSet, clockTolerance, useOnce } from "../../model/index.ts"
import { mapped, onward, steps } from "../../ports/steps.ts"
import { isLive } from "../../rules/session.ts"
import { type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { form } from "../../settle/programs.ts"
import { addressLimited } from "../../settle/rate.ts"
import { leftoversEnd } from "../../settle/replaced.ts"
import { type Inquiry, digestOf, freshLocator, isUsed } from "../../settle/request.ts"
import { endingBy, sessionEnd } from "../../settle/signOut.ts"
import { logoutPath, logoutPaths } from "../../settle/upstream.ts"
import { endingRules, requestRules, sourceRules, tokenRules, useRules } from "./rules.ts"
import { addRest, beginning, sessionsFrom } from "./sessions.ts"

/** Verifies a token with the keys of the provider. A key set that lacks the key of the token is fetched once more. */
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

/** The key under which a token is remembered. It is short, whatever its provider writes into the token. */
const useKeyOf = (
  { provider, iss, jti }: { readonly provider: string; readonly iss: Json | undefined; readonly jti: string },
  { ports }: Inquiry,
) => digestOf(ports, `postern upstream logout ${JSON.stringify([provider, iss, jti])}`)

const acknowledge = (commands: ReadonlyArray<Command>): Decision => ({ _tag: "Acknowledge", commands })

/**
 * The endpoint to which another provider sends its logout tokens (OpenID Connect Back-Channel Logout §2.5). A sign-out there ends the
 * sessions here that resulted from that sign-in, as a sign-out here would, so that the clients of these sessions are notified in turn.
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
      .read(({ source, named, useKey, expiresAt, now }, { ports: { tokens } }) =>
        mapped(sessionsFrom({ provider, issuer: source.issuer, ...named, from: beginning(named) }, tokens), ({ found, rest }) => ({
          found,
          rest,
          sessions: found.filter((session) => isLive(session, now)),
          about: { subject: found[0]?.subject },
          used: useOnce(useKey, now, expiresAt + clockTolerance),
        })),
      )
      .read(({ found, rest, used }, inquiry) =>
        mapped(leftoversEnd(found, endingBy(inquiry)), (left) => ({
          taken: [used, ...left, ...(rest === undefined ? [] : [addRest(freshLocator(inquiry), rest, inquiry.now)])],
        })),
      )
      .judge(endingRules, (_, { taken }) => acknowledge(taken))
      .decide(({ ending, taken }, inquiry) =>
        mapped(Effect.all(ending.map((session) => sessionEnd(session, inquiry))), (ends) => acknowledge([...taken, ...ends.flat()])),
      ),
  )
