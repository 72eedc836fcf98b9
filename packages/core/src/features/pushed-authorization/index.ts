import { type Client, type Profile, type PushedRequest, refuse, saveInteraction } from "../../model/index.ts"
import { mapped } from "../../ports/steps.ts"
import { shownNames } from "../../rules/form.ts"
import { profileOf } from "../../rules/profile.ts"
import { pass, table } from "../../rules/rule.ts"
import { besideSigned } from "../../rules/signedRequest.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { limitedForm } from "../../settle/limitedForm.ts"
import { freshHandle } from "../../settle/request.ts"
import type { Params } from "../../wire/index.ts"
import { keptRequest, pushedLifetime, pushedUri, validated } from "../authorize/index.ts"

interface PushSeen {
  readonly params: Params
  readonly client: Client
  readonly profile: Profile
}

/**
 * Reports whether a client must sign all its requests and its profile requires pushing them. Unsigned parameters are then not part of a
 * request.
 */
const isAllSigned = ({ client, profile: { parameters } }: PushSeen): boolean =>
  (parameters.signedRequests === "all" || client.requestObjects.required) && parameters.pushing === "all"

/** Judges parameters that must not be pushed. */
const pushRules = table<PushSeen>("pushed-authorization")
  .rule("pushed-authorization.request-uri", "RFC 9126 §2.1", ({ params }) =>
    params.one("request_uri") === undefined ? pass : refuse("invalid_request", "A request_uri cannot be pushed."),
  )
  .rule("pushed-authorization.request-alone", "RFC 9126 §3, FAPI 2.0 Message Signing §5.3.1", (s) => {
    const { params, profile } = s
    const more = params.pairs.map(([name]) => name).filter((name) => !besideSigned.has(name))
    return params.one("request") === undefined || more.length === 0 || !isAllSigned(s)
      ? pass
      : refuse(
          "invalid_request_object",
          "A signed request must carry all parameters itself.",
          `stands beside it: ${shownNames(more)}; the client is held to the profile ${profile.name}`,
        )
  })

interface ReadSeen {
  readonly responseType: string
  readonly codeChallenge: string | undefined
  readonly profile: Profile
}

/** Judges a pushed request after it has been read, because a request object may have contained it. */
const readRules = table<ReadSeen>("pushed-authorization/request").rule(
  "pushed-authorization.challenge-required",
  "FAPI 1.0 Part 2 §5.2.2 (18)",
  ({ responseType, codeChallenge, profile: { name, parameters } }) =>
    codeChallenge === undefined && parameters.pkce === "pushed" && responseType.split(" ").includes("code")
      ? refuse(
          "invalid_request",
          "The code_challenge is missing.",
          `the client is held to the profile ${name}, by which a pushed request needs PKCE`,
        )
      : pass,
)

/** The pushed authorization request endpoint: RFC 9126 §2. */
export const pushedAuthorization = endpoint(
  { name: "pushed-authorization", path: "/connect/par", methods: ["POST"], audience: "programs", cors: true },
  limitedForm("pushed-authorization", { address: "pushAddress", client: "pushClient" })
    .read(({ client }, { ports: { settings } }) => ({ profile: profileOf(client, settings) }))
    .judge(pushRules)
    .through(validated)
    .judge(readRules)
    .decide((s, inquiry) =>
      mapped(freshHandle(inquiry, "p"), ({ locator, digest, value }) => {
        const { now, ports } = inquiry
        // The lifetime is less than 600 s for a client of FAPI 2.0 (Security Profile §5.3.2.2, 12).
        const life = Math.min(pushedLifetime.of(ports.settings), s.profile.parameters.longestPushed === "by-client" ? 600 : 599)
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
          // The person has as long as for any other request, and the answer may be sent again.
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
