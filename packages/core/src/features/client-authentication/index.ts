import * as Effect from "effect/Effect"
import { type Client, type JsonObject, distinct, peerAlgorithms, secretAlgorithms, useOnce, usedUntilEnd } from "../../model/index.ts"
import type { JwtVerdict, PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { type ClientAssertion, type Credential, tokenPath } from "../../rules/clientAuthentication.ts"
import { profileOf } from "../../rules/profile.ts"
import { toldAlgorithm } from "../../rules/toldAlgorithm.ts"
import { unchallenged } from "../../settle/client.ts"
import type { ClientAuthentication, PresentedRequest } from "../../settle/inquiry.ts"
import { refuseJson } from "../../settle/programs.ts"
import { verifyBy } from "../../settle/remote.ts"
import { type Inquiry, digestOf, isUsed } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { publicUrls } from "../../settle/urls.ts"
import { basePathOf } from "../../wire/index.ts"
import { algorithmsOf, clientAssertion, clientAssertionProof, clientSecret } from "./rules.ts"

interface Known extends PresentedRequest {
  readonly client: Client
}

const judgedSecret = row<Known>(refuseJson)
  .read(({ client, presented: { secret } }, { ports, address }) =>
    secret === undefined
      ? { secretMatches: false }
      : mapped(ports.clients.verifySecret(client.clientId, secret, address), (secretMatches) => ({ secretMatches })),
  )
  .judge(clientSecret)

/** An empty assertion. It is never judged, because an unreadable assertion was refused before. */
const none: ClientAssertion = { jwt: "", header: {}, claims: {} }

/** The audience of an assertion for the trail: only its kind, and never an untrusted text (RFC 7523 §3 (3)). */
const audienceTold = (aud: unknown, issuer: string): string => {
  if (Array.isArray(aud)) return aud.includes(issuer) ? "a list with the issuer" : "a list without the issuer"
  return aud === issuer ? "the issuer" : "another URL"
}

/** Judges an assertion. One that passes is used up, whatever the outcome of the request. */
const judgedAssertion = row<Known>(unchallenged)
  .read(({ message: { path }, presented: { assertion = none }, client }, inquiry) => {
    const { settings } = inquiry.ports
    const { issuer } = settings
    const { header, claims } = assertion
    return {
      about: { facts: { "assertion aud": audienceTold(claims["aud"], issuer), "assertion alg": toldAlgorithm(header["alg"]) } },
      assertion,
      issuer,
      profile: profileOf(client, settings),
      audiences: [...new Set([issuer, ...publicUrls(basePathOf(issuer) + tokenPath, inquiry), ...publicUrls(path, inquiry)])],
    }
  })
  .judge(clientAssertion)
  .read(({ assertion, client }, inquiry) => {
    const key = digestOf(inquiry.ports, `postern client assertion ${JSON.stringify([client.clientId, assertion.claims["jti"]])}`)
    const use = onward(key, (useKey) => mapped(isUsed(useKey, inquiry), (used) => ({ useKey, used })))
    return mapped(together({ verdict: verified(assertion.jwt, client, inquiry), use }), ({ verdict, use: found }) => ({
      ...found,
      unverified: verdict._tag === "Verified" ? undefined : verdict.reason,
    }))
  })
  .judge(clientAssertionProof)
  .read(({ useKey, expiresAt, now }) => ({ changes: [useOnce(useKey, now, usedUntilEnd(expiresAt))] }))

const verified = (jwt: string, client: Client, inquiry: Inquiry): Effect.Effect<JwtVerdict, PortFailed> => {
  const { clients, jwts } = inquiry.ports
  if (client.tokenEndpointAuthMethod !== "client_secret_jwt") return verifyBy(jwt, client.keys, algorithmsOf(client), inquiry)
  return onward(clients.secretOf(client.clientId), (secret) =>
    secret === undefined
      ? Effect.succeed<JwtVerdict>({ _tag: "Invalid", reason: "no secret of the client is kept to verify with" })
      : jwts.verifySecret(jwt, secret, algorithmsOf(client)),
  )
}

const assertion: Credential = { name: "client_assertion", isIn: ({ presentedAssertion }) => presentedAssertion !== undefined }

/** The secret in the Authorization header (RFC 6749 §2.3.1). */
const clientSecretBasic: ClientAuthentication = {
  method: "client_secret_basic",
  credential: { name: "Authorization", isIn: ({ basic }) => basic !== undefined },
  secret: "hashed",
  prove: judgedSecret,
}

/** The secret in the body (RFC 6749 §2.3.1). */
const clientSecretPost: ClientAuthentication = {
  method: "client_secret_post",
  credential: { name: "client_secret in the body", isIn: ({ bodySecret }) => bodySecret !== undefined },
  secret: "hashed",
  prove: judgedSecret,
}

/** An assertion that is signed with the secret (OpenID Connect Core §9). */
const clientSecretJwt: ClientAuthentication = {
  method: "client_secret_jwt",
  credential: assertion,
  secret: "sealed",
  signingAlgorithms: secretAlgorithms,
  prove: judgedAssertion,
}

/** An assertion that is signed with a key of the client (OpenID Connect Core §9). */
const privateKeyJwt: ClientAuthentication = {
  method: "private_key_jwt",
  credential: assertion,
  signingAlgorithms: peerAlgorithms,
  prove: judgedAssertion,
}

/** The built-in methods, in the order in which discovery lists them. The last is for public clients. */
export const clientAuthentication: ReadonlyArray<ClientAuthentication> = [
  clientSecretBasic,
  clientSecretPost,
  clientSecretJwt,
  privateKeyJwt,
  { method: "none" },
]

/** The members of the discovery document that state how clients authenticate at an endpoint (RFC 8414 §2). */
export const authenticationMembers = (endpoint: string, ways: ReadonlyArray<ClientAuthentication>): JsonObject => ({
  [`${endpoint}_auth_methods_supported`]: ways.map(({ method }) => method),
  [`${endpoint}_auth_signing_alg_values_supported`]: distinct(ways.toReversed().flatMap(({ signingAlgorithms = [] }) => signingAlgorithms)),
})
