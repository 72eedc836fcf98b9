import { type PushedRequest, refuse, saveInteraction } from "../../model/index.ts"
import { mapped } from "../../ports/steps.ts"
import { pass, table } from "../../rules/rule.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { limitedForm } from "../../settle/limitedForm.ts"
import { freshHandle } from "../../settle/request.ts"
import type { Params } from "../../wire/index.ts"
import { keptRequest, pushedLifetime, pushedUri, validated } from "../authorize/index.ts"

/** Judges parameters that must not be pushed. */
const pushRules = table<{ readonly params: Params }>("pushed-authorization").rule(
  "pushed-authorization.request-uri",
  "RFC 9126 §2.1",
  ({ params }) => (params.one("request_uri") === undefined ? pass : refuse("invalid_request", "A request_uri cannot be pushed.")),
)

/** The pushed authorization request endpoint: RFC 9126 §2. */
export const pushedAuthorization = endpoint(
  { name: "pushed-authorization", path: "/connect/par", methods: ["POST"], audience: "programs", cors: true },
  limitedForm("pushed-authorization", { address: "pushAddress", client: "pushClient" })
    .judge(pushRules)
    .through(validated)
    .decide((s, inquiry) =>
      mapped(freshHandle(inquiry, "p"), ({ locator, digest, value }) => {
        const { now, ports } = inquiry
        const life = pushedLifetime.of(ports.settings)
        const expiresAt = now + life
        const pushed: PushedRequest = {
          kind: "pushed",
          locator,
          digest,
          clientId: s.client.clientId,
          params: keptRequest(s),
          hint: s.hint?.subject,
          createdAt: now,
          expiresAt,
          version: 0,
          // A person who is asked takes as long as any other, and may be given the answer again.
          keepUntil: expiresAt + 2 * ports.settings.interactionLifetime,
        }
        return {
          _tag: "Reply",
          created: true,
          cacheable: false,
          body: { request_uri: pushedUri + value, expires_in: life },
          commands: [saveInteraction(pushed)],
        }
      }),
    ),
)
