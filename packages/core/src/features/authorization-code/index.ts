import {
  type AuthorizationCode,
  type Client,
  type Confirmation,
  type DetailsAsked,
  type Person,
  type Profile,
  type Settings,
  consumeCode,
  isProved,
  readHandle,
  refuse,
  revokeGrant,
} from "../../model/index.ts"
import type { FoundCode } from "../../ports/index.ts"
import { onward, together } from "../../ports/steps.ts"
import { detailsOf, familyOf, grantRow, grantWithDetails, issueOfGrant } from "../../issuance/index.ts"
import { isPkceString, proves } from "../../rules/pkce.ts"
import { profileOf } from "../../rules/profile.ts"
import { issuedTo, keptGrant } from "../../rules/keptGrant.ts"
import { pass, table } from "../../rules/rule.ts"
import { digestOf, findBy } from "../../settle/request.ts"

interface CodeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly code: string | undefined
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
  /** SHA-256 of the verifier, base64url. */
  readonly verifierDigest: string
  readonly resources: ReadonlyArray<string>
  readonly found: FoundCode | undefined
  readonly person: Person | undefined
  readonly details: DetailsAsked
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation> | undefined
}

const invalidGrant = (description: string, reason: string) => refuse("invalid_grant", description, reason)

/**
 * The time at which a code expires. If the client's profile limits codes to 60 seconds, a longer lifetime of the client's codes has no
 * effect.
 */
const endOf = ({ createdAt, expiresAt }: AuthorizationCode, { parameters: { longestCode } }: Profile): number =>
  longestCode === "by-client" ? expiresAt : Math.min(expiresAt, createdAt + 60)

/** Authorization code grant: RFC 6749 §4.1.3; PKCE RFC 7636 §4.6; replay RFC 6749 §4.1.2, RFC 9700 §4.2.4. */
const rules = table<CodeSeen>("token/authorization_code")
  .present("code.present", "RFC 6749 §4.1.3", "code", () => refuse("invalid_request", "The code is missing."))
  .present("code.known", "RFC 6749 §5.2", "found", () =>
    invalidGrant("The authorization code is not valid.", "no such code, or not with this secret"),
  )
  .include(
    issuedTo("code.client", "RFC 6749 §4.1.3", { called: "authorization code", known: "code", clientOf: (s) => s.found.code.clientId }),
  )
  .rule("code.unused", "RFC 6749 §4.1.2", (s) =>
    s.found.code.consumedAt === undefined
      ? pass
      : refuse(
          "invalid_grant",
          "The authorization code has been used.",
          "replayed code; what the first use issued is revoked",
          revokeGrant(s.found.grant.id, s.now),
        ),
  )
  .rule("code.fresh", "RFC 6749 §4.1.2, FAPI 2.0 Security Profile §5.3.2.1 (11)", (s) =>
    s.now < endOf(s.found.code, profileOf(s.client, s.settings))
      ? pass
      : invalidGrant("The authorization code has expired.", "expired code"),
  )
  .rule("code.grant-live", "RFC 6749 §5.2", (s) =>
    s.found.grant.revokedAt === undefined ? pass : invalidGrant("The authorization code has been revoked.", "the grant was revoked"),
  )
  .rule("code.redirect-uri", "RFC 6749 §4.1.3", (s) =>
    s.redirectUri === s.found.code.redirectUri
      ? pass
      : s.redirectUri === undefined
        ? invalidGrant("The redirect_uri is missing.", "redirect_uri missing")
        : invalidGrant("The redirect_uri is not the one of the authorization request.", "redirect_uri differs"),
  )
  .rule("code.client-version", "draft-ietf-oauth-client-id-metadata-document §6.3", ({ client, found: { code } }) =>
    code.clientVersion === undefined || code.clientVersion === client.document?.digest
      ? pass
      : invalidGrant(
          "The client has changed since the authorization request.",
          "the document of the client is another than the code was issued for",
        ),
  )
  .rule("code.confirmation", "RFC 9449 §10", ({ found: { code }, proved }) =>
    isProved(code.confirmation, proved)
      ? pass
      : invalidGrant(
          "The authorization code is bound to another key.",
          proved === undefined ? "the request proves no key" : "the request proves another key than the authorization request named",
        ),
  )
  .rule("code.verifier-unexpected", "RFC 9700 §2.1.1", (s) =>
    s.verifier !== undefined && s.found.code.challenge === undefined
      ? invalidGrant("A code_verifier was sent, but no code_challenge before.", "verifier without challenge: PKCE downgrade")
      : pass,
  )
  .rule("code.verifier-present", "RFC 7636 §4.5", (s) =>
    s.found.code.challenge !== undefined && s.verifier === undefined
      ? invalidGrant("The code_verifier is missing.", "the code was bound to a code_challenge")
      : pass,
  )
  .rule("code.verifier-form", "RFC 7636 §4.1", (s) =>
    s.verifier === undefined || isPkceString(s.verifier)
      ? pass
      : invalidGrant("The code_verifier must be 43 to 128 unreserved characters.", "malformed code_verifier"),
  )
  .rule("code.pkce-proof", "RFC 7636 §4.6", ({ found: { code }, verifier = "", verifierDigest }) =>
    code.challenge === undefined || proves(code.challenge, verifier, verifierDigest)
      ? pass
      : invalidGrant("The code_verifier does not match the code_challenge.", `verifier does not match by ${code.challenge.method}`),
  )
  .through(
    keptGrant("code", {
      grantOf: (s) => s.found.grant,
      cites: { scope: "RFC 6749 §4.1.3", resources: "RFC 8707 §2.2, specification §2.2 resource" },
    }),
  )

/** Exchanges an authorization code for tokens. */
export const authorizationCode = grantWithDetails(
  "authorization_code",
  grantRow
    .read(({ params }, { ports, about: { proved } }) => {
      const [code, verifier] = [params.one("code"), params.one("code_verifier")]
      return onward(
        findBy(ports, readHandle("c", code), ports.tokens.findCode, (found) => found.code.digest),
        (found) =>
          together({
            code,
            redirectUri: params.one("redirect_uri"),
            verifier,
            verifierDigest: verifier === undefined ? "" : digestOf(ports, verifier),
            found,
            proved,
            person: found && ports.authenticator.find(found.grant.subject),
            about: { subject: found?.grant.subject },
          }),
      )
    })
    .read(detailsOf)
    .judge(rules)
    .decide((s, inquiry) => {
      const { found, client, now } = s
      const { code, grant: granted } = found
      const family = familyOf(client, s.scope, now)
      // The code is kept for as long as the family lives, so that a replay of the code finds what to revoke.
      const keepUntil = family === undefined ? code.keepUntil : Math.max(family.expiresAt, family.absoluteExpiresAt)
      const changes = [consumeCode(code.locator, now, keepUntil)]
      return issueOfGrant({ ...s, granted }, { nonce: granted.nonce, family, changes }, inquiry)
    }),
)
