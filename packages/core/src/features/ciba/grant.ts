import { type Client, type DetailsAsked, type Grant, type Person, type Settings, refuse } from "../../model/index.ts"
import { detailsOf, familyOf, grantOfAnswer, grantRow, grantWithDetails, issueOfGrant, readPresented } from "../../issuance/index.ts"
import { issuedTo, keptGrant } from "../../rules/keptGrant.ts"
import { polledRules } from "../../rules/polled.ts"
import { pass, table } from "../../rules/rule.ts"
import { cibaGrantType } from "./metadata.ts"
import { type AuthenticationRequest, authenticationAnswers, authenticationRequests } from "./rows.ts"

interface PollSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly presented: string | undefined
  readonly resources: ReadonlyArray<string>
  readonly request: AuthenticationRequest | undefined
  /** The grant of the person; undefined until they approved. */
  readonly granted: Grant | undefined
  readonly details: DetailsAsked
  readonly person: Person | undefined
}

const cites = "CIBA Core §11"

/** The CIBA grant: CIBA Core §10.1, §11. */
const rules = table<PollSeen>("token/ciba")
  .present("ciba-grant.present", "CIBA Core §10.1", "presented", () => refuse("invalid_request", "The auth_req_id is missing."))
  .present("ciba-grant.known", cites, "request", () =>
    refuse("invalid_grant", "The auth_req_id is not valid.", "no such auth_req_id, or not with this secret"),
  )
  .include(issuedTo("ciba-grant.client", cites, { called: "auth_req_id", clientOf: (s) => s.request.clientId }))
  .rule("ciba-grant.not-pushed", "CIBA Core §5, §11", ({ request: { delivery } }) =>
    delivery === "push"
      ? refuse("unauthorized_client", "The client may not fetch this result.", "the result is pushed to the client")
      : pass,
  )
  // The push mode has `transaction_failed` for this case (§12); the token endpoint has no error code of its own.
  .rule("ciba-grant.not-failed", cites, ({ request, now }) =>
    request.state === "failed" && now < request.expiresAt
      ? refuse("access_denied", request.failure ?? "The request could not be completed.", "ended by the page that asked the person")
      : pass,
  )
  .through(
    polledRules({
      prefix: "ciba-grant",
      cites,
      called: "auth_req_id",
      poller: "client",
      page: "approval",
      commands: authenticationAnswers,
    }),
  )
  .through(keptGrant("ciba-grant", { grantOf: (s) => s.granted, cites: { scope: "RFC 6749 §3.3", resources: "RFC 8707 §2.2" } }))

/** Exchanges an `auth_req_id` for tokens once its person has approved the request. */
export const cibaGrant = grantWithDetails(
  cibaGrantType,
  grantRow
    .read(
      readPresented(
        "auth_req_id",
        "q",
        ({ tokens }) =>
          (locator) =>
            tokens.find(authenticationRequests, { locator }),
      ),
    )
    .read(grantOfAnswer)
    .read(detailsOf)
    .judge(rules)
    .decide((s, inquiry) =>
      issueOfGrant(s, { family: familyOf(s.client, s.scope, s.now), changes: [authenticationAnswers.consume(s.request)] }, inquiry),
    ),
)
