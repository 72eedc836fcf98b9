import * as Effect from "effect/Effect"
import { type Issuance, issue } from "../../issuance/index.ts"
import {
  type AuthorizationAnswer,
  type Challenge,
  type Command,
  type Decision,
  readHandle,
  requireConsent,
  requireSession,
  touchSession,
} from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import { acrReached } from "../../rules/acr.ts"
import { profileOf } from "../../rules/profile.ts"
import { endsWithSession } from "../../rules/session.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sealFor } from "../../settle/sealed.ts"
import { usesOf } from "../../settle/sessionUses.ts"
import type { Answerable, ClientRequest, KeyNaming } from "./evidence.ts"
import { type Granting, grantedByName, grantedDetails, grantedScope } from "./needs.ts"
import { sendBack, useUp } from "./outcome.ts"
import { carriesToken, gives } from "./parse.ts"

/**
 * Issues what the response type asks for: a code, an access token, an ID token (RFC 6749 §4.1.2, OpenID Connect Core §3.2.2.5, §3.3.2.5).
 */
export const grant = (s: Granting & Answerable & KeyNaming, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  onward(issue(issuanceOf(s), inquiry), ({ tokens, commands }) =>
    mapped(answerOf(s, tokens.code, inquiry), (answer) =>
      sendBack(
        s,
        tokens.code === undefined ? [] : [["code", tokens.code]],
        carriesToken(s) ? { ...tokens, state: hashedState(s, inquiry) } : undefined,
        [...commands, ...used(s, inquiry), ...useUp(s)],
        answer,
      ),
    ),
  )

/** The outcome as it is stored for a browser that sends the request again: with its code, if the response consists of a code only. */
const answerOf = (
  s: Granting & Answerable,
  value: string | undefined,
  inquiry: Inquiry,
): Effect.Effect<AuthorizationAnswer, PortFailed> => {
  const granted = { outcome: "granted", subject: s.person.subject } as const
  const code = readHandle("c", value)
  if (s.waiting === undefined || code === undefined || carriesToken(s)) return Effect.succeed(granted)
  return mapped(sealFor({ handle: s.waiting.handle, browser: s.browser }, code, inquiry), (sealed) => ({ ...granted, code: sealed }))
}

/** The state that the ID token includes as a hash, because the ID token signs the response (FAPI 1.0 Part 2 §5.2.2.1). */
const hashedState = ({ client, callback }: Granting & Answerable, { ports: { settings } }: Inquiry): string | undefined =>
  profileOf(client, settings).parameters.responses === "jwt-or-id-token" ? callback.state : undefined

const issuanceOf = (s: Granting & Answerable & KeyNaming): Issuance => {
  const { client, person, callback, session, settings, resources, nonce } = s
  const { locator, authTime, amr } = session
  const scope = grantedScope(s)
  return {
    client,
    whose: {
      _tag: "NewGrant",
      person,
      basis: {
        sessionId: locator,
        resources,
        authTime,
        amr,
        acr: acrReached(settings, session),
        nonce,
        claims: grantedByName(s),
        authorizationDetails: grantedDetails(s),
        endsWithSession: endsWithSession(client, scope),
      },
    },
    scope,
    resources: [],
    accessToken: gives(s, "token"),
    code: gives(s, "code") ? { redirectUri: callback.redirectUri, challenge: challengeOf(s), confirmation: s.codeBoundTo } : undefined,
    idToken: gives(s, "id_token") ? { nonce } : undefined,
    changes: [requireSession(locator), ...consentStands(s)],
  }
}

/** Requires that the consent has not changed, if the grant relies on one. */
const consentStands = ({ consent, client, waiting }: Granting): ReadonlyArray<Command> =>
  consent !== undefined && (client.requireConsent || waiting?.interaction.consented !== undefined) ? [requireConsent(consent)] : []

const challengeOf = ({ codeChallenge, codeChallengeMethod }: ClientRequest): Challenge | undefined =>
  codeChallenge === undefined ? undefined : { method: codeChallengeMethod === "S256" ? "S256" : "plain", value: codeChallenge }

/** Extends a session on use, but writes it at most once per tenth of its lifetime. */
const used = ({ session, client, now, settings }: Granting, inquiry: Inquiry): ReadonlyArray<Command> => {
  const { locator, seenAt } = session
  if (now < seenAt + settings.sessionLifetime / 10) return usesOf(client, session, inquiry)
  const expiresAt = now + settings.sessionLifetime
  const touch = touchSession(locator, { seenAt: now, expiresAt, keepUntil: expiresAt })
  return [touch, ...usesOf(client, { ...session, expiresAt }, inquiry, true)]
}
