import { type Client, type DetailsAsked, type Grant, type Person, type Settings, readHandle, refuse } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { detailsOf, familyOf, grantRow, grantWithDetails, issueTokens } from "../../issuance/index.ts"
import { detailsFields, detailsForm, detailsGiven, detailsLeft, detailsNarrow, detailsType } from "../../rules/details/index.ts"
import { grantedResources, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { findBy } from "../../settle/request.ts"
import { cibaGrantType } from "./metadata.ts"
import { type AuthenticationRequest, authenticationRequests, consumeAuthentication, pollAuthentication } from "./rows.ts"

interface PollSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly authReqId: string | undefined
  readonly resources: ReadonlyArray<string>
  readonly request: AuthenticationRequest | undefined
  /** The grant of the person; undefined until they approved. */
  readonly granted: Grant | undefined
  readonly details: DetailsAsked
  readonly person: Person | undefined
}

/** The time that a client must wait longer after each poll that came too soon, in seconds (CIBA Core §11). */
const slower = 5

const polled = (request: AuthenticationRequest, now: number, more = 0) => pollAuthentication(request, now, request.interval + more)

/** The CIBA grant: CIBA Core §10.1, §11. */
const rules = table<PollSeen>("token/ciba")
  .present("ciba-grant.present", "CIBA Core §10.1", "authReqId", () => refuse("invalid_request", "The auth_req_id is missing."))
  .present("ciba-grant.known", "CIBA Core §11", "request", () =>
    refuse("invalid_grant", "The auth_req_id is not valid.", "no such auth_req_id, or not with this secret"),
  )
  .rule("ciba-grant.client", "CIBA Core §11", (s) =>
    s.request.clientId === s.client.clientId
      ? pass
      : refuse("invalid_grant", "The auth_req_id is not valid.", "the auth_req_id was issued to another client"),
  )
  .rule("ciba-grant.not-pushed", "CIBA Core §5, §11", ({ request: { delivery } }) =>
    delivery === "push"
      ? refuse("unauthorized_client", "The client may not fetch this result.", "the result is pushed to the client")
      : pass,
  )
  .rule("ciba-grant.unused", "CIBA Core §11", (s) =>
    s.request.state === "consumed" ? refuse("invalid_grant", "The auth_req_id has been used.", "it gave its tokens before") : pass,
  )
  .rule("ciba-grant.fresh", "CIBA Core §11", (s) =>
    s.now < s.request.expiresAt ? pass : refuse("expired_token", "The auth_req_id has expired.", "expired"),
  )
  .rule("ciba-grant.unhurried", "CIBA Core §11", ({ request, request: { polledAt, interval }, now }) =>
    polledAt === undefined || now >= polledAt + interval
      ? pass
      : refuse(
          "slow_down",
          "The client polls too fast.",
          `polled ${now - polledAt} s after the last time, the interval is ${interval} s`,
          polled(request, now, slower),
        ),
  )
  .rule("ciba-grant.not-denied", "CIBA Core §11", (s) =>
    s.request.state === "denied" ? refuse("access_denied", "The person did not allow it.", "denied on the approval page") : pass,
  )
  .rule("ciba-grant.approved", "CIBA Core §11", (s) =>
    s.request.state === "pending"
      ? refuse("authorization_pending", "The person has not answered yet.", "nobody has approved or denied it", polled(s.request, s.now))
      : pass,
  )
  .establish("ciba-grant.grant-live", "RFC 6749 §5.2", ({ granted }) =>
    granted !== undefined && granted.revokedAt === undefined
      ? prove({ granted })
      : refuse("invalid_grant", "The authorization has been revoked.", "the grant was revoked, or is gone"),
  )
  .include(detailsForm("ciba-grant"))
  .include(detailsType("ciba-grant"))
  .include(detailsFields("ciba-grant"))
  .include(detailsNarrow("ciba-grant", (s) => detailsLeft(s.granted.authorizationDetails, s.settings, s.client)))
  .establish("ciba-grant.scope-left", "RFC 6749 §3.3", ({ granted, settings, client, details }) => {
    const scope = granted.scope.filter((name) => mayHave(settings, client, name))
    const authorizationDetails = detailsGiven(granted, details, settings, client)
    return scope.length > 0 || (authorizationDetails ?? []).length > 0
      ? prove({ scope, authorizationDetails })
      : refuse("invalid_grant", "No granted scope is left.", "every granted scope has since been withdrawn from the client")
  })
  .include(resourceForm("ciba-grant"))
  .include(resourceAmong("ciba-grant", "RFC 8707 §2.2", (s) => grantedResources(s.settings, s.granted)))
  .establish("ciba-grant.person-active", "RFC 6749 §5.2", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : refuse(
          "invalid_grant",
          "The person can no longer sign in.",
          person === undefined ? "the person is gone" : "the person is disabled",
        ),
  )

/** Exchanges an `auth_req_id`, once its person has approved the request, for tokens. */
export const cibaGrant = grantWithDetails(
  cibaGrantType,
  grantRow
    .read(({ params }, { ports }) => {
      const authReqId = params.one("auth_req_id")
      const find = (locator: string) => ports.tokens.find(authenticationRequests, { locator })
      return mapped(
        findBy(ports, readHandle("q", authReqId), find, ({ digest }) => digest),
        (request) => ({ authReqId, request }),
      )
    })
    .read(({ request }, { ports }) => {
      if (request?.grantId === undefined) return { granted: undefined, person: undefined }
      return onward(ports.tokens.findGrant(request.grantId), (granted) =>
        together({
          granted,
          person: granted && ports.authenticator.find(granted.subject),
          about: { subject: granted?.subject },
        }),
      )
    })
    .read(detailsOf)
    .judge(rules)
    .decide(({ client, request, granted, person, scope, authorizationDetails, resources, now }, inquiry) =>
      issueTokens(
        {
          client,
          whose: { _tag: "KeptGrant", person, grant: granted },
          scope,
          resources,
          authorizationDetails,
          accessToken: true,
          idToken: { nonce: undefined },
          family: familyOf(client, scope, now),
          changes: [consumeAuthentication(request)],
        },
        inquiry,
      ),
    ),
)
