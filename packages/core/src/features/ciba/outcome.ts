import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type JsonObject,
  type Person,
  type Session,
  type TokenPlan,
  addMessage,
  writeHandle,
} from "../../model/index.ts"
import { type Basis, type Issued, familyOf, grantAhead, issue } from "../../issuance/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, steps } from "../../ports/steps.ts"
import { acrReached } from "../../rules/acr.ts"
import { endsWithSession } from "../../rules/session.ts"
import { present } from "../../rules/tokens.ts"
import { keyedHash } from "../../settle/account.ts"
import { type Inquiry, freshLocator } from "../../settle/request.ts"
import { halfHash, signTokens } from "../../settle/sign.ts"
import { pingMessage, pushMessage, resultContent } from "./messages.ts"
import { type AuthenticationRequest, authenticationAnswers, failAuthentication, pushAuthentication } from "./rows.ts"
import { sealed, secretTexts } from "./seal.ts"

interface Decided {
  readonly request: AuthenticationRequest
  readonly client: Client
  readonly now: number
}

interface Approved extends Decided {
  readonly person: Person
  readonly session: Session
  readonly scope: ReadonlyArray<string>
  /** The granted authorization details; undefined if the client requested none. */
  readonly details: ReadonlyArray<JsonObject> | undefined
}

/** The message that notifies the client of a result, if the client wants one (CIBA Core §5). It includes a pushed result, sealed. */
const telling = (
  { request, client, now }: Decided,
  result: JsonObject | undefined,
  inquiry: Inquiry,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const { locator, digest, subject, delivery, notification } = request
  if (delivery === "poll" || notification === undefined) return Effect.succeed([])
  const content = result === undefined ? Effect.succeed(undefined) : sealed(JSON.stringify(result), "result", locator, inquiry)
  return mapped(content, (hidden) => [
    addMessage(
      freshLocator(inquiry),
      delivery === "push" ? pushMessage : pingMessage,
      resultContent({ locator, digest, clientId: client.clientId, subject, notification, result: hidden }),
      now,
    ),
  ])
}

const basisOf = ({ request, client, session, scope, details }: Approved, { ports: { settings } }: Inquiry): Basis => ({
  sessionId: session.locator,
  resources: request.resources,
  authTime: session.authTime,
  amr: session.amr,
  acr: acrReached(settings, session),
  authorizationDetails: details,
  endsWithSession: endsWithSession(client, scope),
})

/** Adds the claims that bind a pushed ID token to its request and its refresh token (CIBA Core §10.3.1). */
const bound = ({ tokens, refreshToken }: Issued, authReqId: string, inquiry: Inquiry): Effect.Effect<TokenPlan, PortFailed> => {
  const { idToken } = tokens
  if (idToken === undefined) return Effect.succeed(tokens)
  const hash = refreshToken === undefined ? Effect.succeed(undefined) : halfHash(inquiry.ports, idToken.alg, refreshToken)
  return mapped(hash, (rtHash) => ({
    ...tokens,
    idToken: {
      ...idToken,
      claims: present({
        ...idToken.claims,
        "urn:openid:params:jwt:claim:auth_req_id": authReqId,
        "urn:openid:params:jwt:claim:rt_hash": rtHash,
      }),
    },
  }))
}

/** Issues the tokens of a push, and signs them before anything is committed. */
const pushed = steps(function* (s: Approved, inquiry: Inquiry) {
  const { request, client, person, scope, now } = s
  const { locator } = request
  const authReqId = writeHandle({ kind: "q", locator, secret: yield* keyedHash(secretTexts(locator), inquiry) })
  const issued = yield* issue(
    {
      client,
      whose: { _tag: "NewGrant", person, basis: basisOf(s, inquiry) },
      scope,
      resources: [],
      accessToken: true,
      idToken: { nonce: undefined },
      family: familyOf(client, scope, now),
      changes: [pushAuthentication(request)],
    },
    inquiry,
  )
  const tokens = yield* bound(issued, authReqId, inquiry)
  const { accessToken, idToken } = yield* signTokens(inquiry, tokens)
  const result = present({
    access_token: accessToken,
    token_type: tokens.tokenType,
    expires_in: tokens.expiresIn,
    scope: tokens.scope.join(" "),
    authorization_details: tokens.authorizationDetails,
    refresh_token: issued.refreshToken,
    id_token: idToken,
  })
  return [...issued.commands, ...(yield* telling(s, result, inquiry))]
})

/** The changes of an approval (CIBA Core §8): a grant for tokens that the client fetches, or tokens that are pushed. */
export const approved = (s: Approved, inquiry: Inquiry): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const { request, client, person, scope } = s
  if (request.delivery === "push") return pushed(s, inquiry)
  const ahead = grantAhead({ client, person, scope, basis: basisOf(s, inquiry), until: request.keepUntil }, inquiry)
  return onward(ahead, ({ grantId, commands }) =>
    mapped(telling(s, undefined, inquiry), (told) => [authenticationAnswers.approve(request, grantId), ...commands, ...told]),
  )
}

/** The changes of a request that ends without tokens. The client receives the error when it polls, or by a push (CIBA Core §11, §12). */
const ended = (s: Decided, error: string, error_description: string, command: Command, inquiry: Inquiry) =>
  mapped(telling(s, s.request.delivery === "push" ? { error, error_description } : undefined, inquiry), (told) => [command, ...told])

/** The changes of a denial. */
export const denied = (s: Decided, inquiry: Inquiry): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  ended(s, "access_denied", "The person did not allow it.", authenticationAnswers.deny(s.request), inquiry)

/** The changes of a request that cannot be completed for a reason without an error code of its own (CIBA Core §12 transaction_failed). */
export const failed = (s: Decided, description: string, inquiry: Inquiry): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  ended(s, "transaction_failed", description, failAuthentication(s.request, description), inquiry)
