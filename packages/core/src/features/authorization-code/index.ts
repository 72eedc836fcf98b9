import {
  type AccessHandle,
  type Client,
  type Decision,
  type FreshHandle,
  type Person,
  type Settings,
  consumeCode,
  keepGrant,
  requireGrant,
  revokeGrant,
} from "../../model/index.ts"
import { distinct, readHandle, refuse } from "../../model/index.ts"
import type { FoundCode } from "../../ports/index.ts"
import { steps } from "../../ports/steps.ts"
import { familyOf, firstTokens, keptFor } from "../../rules/firstTokens.ts"
import { isPkceString, proves } from "../../rules/pkce.ts"
import { grantedResources, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { digestOf, findBy, freshAccess, freshHandle } from "../../settle/request.ts"
import { sidFor } from "../../settle/subject.ts"
import { defineGrant } from "../../settle/grant.ts"

interface CodeRequest {
  readonly code: string | undefined
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
  readonly resources: ReadonlyArray<string>
}

interface CodeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly found: FoundCode | undefined
  /** SHA-256 of the verifier, base64url. */
  readonly verifierDigest: string
  readonly person: Person | undefined
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  readonly accessHandle: AccessHandle
  readonly refreshHandle: FreshHandle
}

const invalidGrant = (description: string, reason: string) => refuse("invalid_grant", description, reason)

/** The granted scopes, as far as the client may still have them. */
const remaining = ({ found, settings, client }: CodeSeen): ReadonlyArray<string> =>
  held(found).grant.scope.filter((name) => mayHave(settings, client, name))

/** Authorization code grant: RFC 6749 §4.1.3; PKCE RFC 7636 §4.6; replay RFC 6749 §4.1.2, RFC 9700 §4.2.4. */
const rules = table<CodeRequest, CodeSeen>("token/authorization_code", [
  rule("code.present", "RFC 6749 §4.1.3", (q) => (q.code === undefined ? refuse("invalid_request", "The code is missing.") : pass)),
  rule("code.known", "RFC 6749 §5.2", (_, s) =>
    s.found === undefined ? invalidGrant("The authorization code is not valid.", "no such code, or not with this secret") : pass,
  ),
  rule("code.client", "RFC 6749 §4.1.3", (_, s) =>
    held(s.found).code.clientId === s.client.clientId
      ? pass
      : invalidGrant("The authorization code is not valid.", "the code was issued to another client"),
  ),
  rule("code.unused", "RFC 6749 §4.1.2", (_, s) => {
    const { code, grant } = held(s.found)
    return code.consumedAt === undefined
      ? pass
      : refuse(
          "invalid_grant",
          "The authorization code has been used.",
          "replayed code; what the first use issued is revoked",
          revokeGrant(grant.id, s.now),
        )
  }),
  rule("code.fresh", "RFC 6749 §4.1.2", (_, s) =>
    s.now < held(s.found).code.expiresAt ? pass : invalidGrant("The authorization code has expired.", "expired code"),
  ),
  rule("code.grant-live", "RFC 6749 §5.2", (_, s) =>
    held(s.found).grant.revokedAt === undefined ? pass : invalidGrant("The authorization code has been revoked.", "the grant was revoked"),
  ),
  rule("code.redirect-uri", "RFC 6749 §4.1.3", (q, s) =>
    q.redirectUri === held(s.found).code.redirectUri
      ? pass
      : invalidGrant(
          "The redirect_uri is not the one of the authorization request.",
          q.redirectUri === undefined ? "redirect_uri missing" : "redirect_uri differs",
        ),
  ),
  rule("code.verifier-unexpected", "RFC 9700 §2.1.1", (q, s) =>
    q.verifier !== undefined && held(s.found).code.challenge === undefined
      ? invalidGrant("A code_verifier was sent, but no code_challenge before.", "verifier without challenge: PKCE downgrade")
      : pass,
  ),
  rule("code.verifier-present", "RFC 7636 §4.5", (q, s) =>
    held(s.found).code.challenge !== undefined && q.verifier === undefined
      ? invalidGrant("The code_verifier is missing.", "the code was bound to a code_challenge")
      : pass,
  ),
  rule("code.verifier-form", "RFC 7636 §4.1", (q) =>
    q.verifier === undefined || isPkceString(q.verifier)
      ? pass
      : invalidGrant("The code_verifier must be 43 to 128 unreserved characters.", "malformed code_verifier"),
  ),
  rule("code.pkce-proof", "RFC 7636 §4.6", (q, s) => {
    const { challenge } = held(s.found).code
    return challenge === undefined || proves(challenge, held(q.verifier), s.verifierDigest)
      ? pass
      : invalidGrant("The code_verifier does not match the code_challenge.", `verifier does not match by ${challenge.method}`)
  }),
  rule("code.scope-left", "RFC 6749 §4.1.3", (_, s) =>
    remaining(s).length > 0
      ? pass
      : invalidGrant("No granted scope is left.", "the client was since taken every scope that the grant holds"),
  ),
  resourceForm("code"),
  resourceAmong("code", "RFC 8707 §2.2, specification §2.2 resource", (_, s) => grantedResources(s.settings, held(s.found).grant)),
  rule("code.person-active", "RFC 6749 §5.2", (_, s) =>
    s.person?.active === true
      ? pass
      : invalidGrant("The person can no longer sign in.", s.person === undefined ? "the person is gone" : "the person is disabled"),
  ),
])

/** Exchanges an authorization code for tokens. */
export const authorizationCode = defineGrant<CodeRequest, CodeSeen>({
  grantType: "authorization_code",
  rules,
  parse: (params) => ({
    code: params.one("code"),
    redirectUri: params.one("redirect_uri"),
    verifier: params.one("code_verifier"),
    resources: distinct(params.all("resource")),
  }),
  load: steps(function* (q, client, inquiry) {
    const { ports, now } = inquiry
    const found = yield* findBy(ports, readHandle("c", q.code), ports.tokens.findCode, ({ code }) => code.digest)
    if (found !== undefined) inquiry.about.subject = found.grant.subject
    return {
      settings: ports.settings,
      now,
      client,
      found,
      verifierDigest: q.verifier === undefined ? "" : yield* digestOf(ports, q.verifier),
      person: found === undefined ? undefined : yield* ports.authenticator.find(found.grant.subject),
      sid: yield* sidFor(client, found?.grant.sessionId, inquiry),
      accessHandle: yield* freshAccess(inquiry, client),
      refreshHandle: yield* freshHandle(inquiry, "r"),
    }
  }),
  grant: (q, s): Decision => {
    const { code, grant } = held(s.found)
    const { client, now } = s
    const scope = remaining(s)
    const family = familyOf(client, scope, now)
    const { commands, ...first } = firstTokens({ ...s, grant, person: held(s.person), scope, resources: q.resources, family })
    return {
      _tag: "IssueTokens",
      ...first,
      commands: [
        family === undefined ? requireGrant(grant.id) : keepGrant(grant.id, keptFor(client, now, family)),
        // For as long as the family lives: a replay of the code must find what to revoke.
        consumeCode(code.locator, now, family === undefined ? code.keepUntil : Math.max(family.expiresAt, family.absoluteExpiresAt)),
        ...commands,
      ],
    }
  },
})
