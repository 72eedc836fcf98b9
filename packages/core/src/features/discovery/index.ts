import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  type Decision,
  type Instant,
  type JsonObject,
  type KeyEncryptionAlgorithm,
  type Seconds,
  type Settings,
  type SigningAlgorithm,
  contentEncryptionAlgorithms,
  keyEncryptionAlgorithms,
  peerAlgorithms,
  secretAlgorithms,
} from "../../model/index.ts"
import { ending, mapped, onward } from "../../ports/steps.ts"
import { acrValuesOf } from "../../rules/acr.ts"
import { clientAuthenticationMethods } from "../../rules/clientAuthentication.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { latest } from "./latest.ts"

/** What the provider can do, as its tables say. */
export interface Capabilities {
  readonly paths: Readonly<
    Record<"authorize" | "token" | "userinfo" | "revocation" | "introspection" | "jwks" | "endSession" | "deviceAuthorization", string>
  >
  readonly responseTypes: ReadonlyArray<string>
  readonly responseModes: ReadonlyArray<string>
  readonly grantTypes: ReadonlyArray<string>
  readonly challengeMethods: ReadonlyArray<string>
  readonly prompts: ReadonlyArray<string>
}

/** What may sign a client's assertion; which of them depends on its method (RFC 8414 §2). */
const assertionAlgorithms = [...peerAlgorithms, ...secretAlgorithms]

/** The metadata document (OpenID Connect Discovery §3, RFC 8414 §2). Members whose default would claim what is not so are stated. */
export const metadata = (
  settings: Settings,
  can: Capabilities,
  { algorithms: [algorithms, decryption], languages = [], unsigned }: Changing,
): JsonObject => {
  const { issuer, catalogue, pairwiseSalt } = settings
  const base = issuer.replace(/\/$/, "")
  const claims = [
    ...new Set([
      "sub",
      "iss",
      "aud",
      "exp",
      "iat",
      "auth_time",
      "nonce",
      "acr",
      "amr",
      "sid",
      ...catalogue.identityScopes.flatMap((scope) => scope.claims),
    ]),
  ]
  return {
    issuer,
    authorization_endpoint: base + can.paths.authorize,
    token_endpoint: base + can.paths.token,
    userinfo_endpoint: base + can.paths.userinfo,
    jwks_uri: base + can.paths.jwks,
    revocation_endpoint: base + can.paths.revocation,
    introspection_endpoint: base + can.paths.introspection,
    device_authorization_endpoint: base + can.paths.deviceAuthorization,
    end_session_endpoint: base + can.paths.endSession,
    scopes_supported: catalogue.names,
    response_types_supported: can.responseTypes,
    response_modes_supported: can.responseModes,
    grant_types_supported: can.grantTypes,
    subject_types_supported: pairwiseSalt === undefined ? ["public"] : ["public", "pairwise"],
    id_token_signing_alg_values_supported: algorithms,
    id_token_encryption_alg_values_supported: keyEncryptionAlgorithms,
    id_token_encryption_enc_values_supported: contentEncryptionAlgorithms,
    userinfo_signing_alg_values_supported: algorithms,
    userinfo_encryption_alg_values_supported: keyEncryptionAlgorithms,
    userinfo_encryption_enc_values_supported: contentEncryptionAlgorithms,
    introspection_signing_alg_values_supported: algorithms,
    introspection_encryption_alg_values_supported: keyEncryptionAlgorithms,
    introspection_encryption_enc_values_supported: contentEncryptionAlgorithms,
    acr_values_supported: acrValuesOf(settings),
    display_values_supported: ["page", "popup", "touch"],
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: clientAuthenticationMethods.filter((method) => method !== "none"),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: can.challengeMethods,
    prompt_values_supported: can.prompts,
    ...(languages.length === 0 ? {} : { ui_locales_supported: languages }),
    claim_types_supported: ["normal"],
    claims_supported: claims,
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: unsigned ? [...peerAlgorithms, "none"] : peerAlgorithms,
    ...(decryption.length === 0
      ? {}
      : {
          request_object_encryption_alg_values_supported: decryption,
          request_object_encryption_enc_values_supported: contentEncryptionAlgorithms,
        }),
    authorization_response_iss_parameter_supported: true,
  }
}

const document = (name: string, path: string, can: Capabilities): Endpoint => {
  const decision = latest((settings: Settings, changing: Changing): Decision => ({
    _tag: "Reply",
    body: metadata(settings, can, changing),
    cacheable: true,
    commands: [],
  }))
  const both = latest((algorithms: Algorithms[0], decryption: Algorithms[1]): Algorithms => [algorithms, decryption])
  const among = (unsigned: boolean) =>
    latest((algorithms: Algorithms, languages: Changing["languages"]): Changing => ({ algorithms, languages, unsigned }))
  const [signedOnly, unsignedToo] = [among(false), among(true)]
  /** As the clients were when they could last be asked; the document is there without them. */
  let unsigned: boolean | undefined
  let askedAt: Instant = 0
  return {
    name,
    path,
    methods: ["GET"],
    audience: "programs",
    cors: true,
    attempt: (_, { ports, now }) =>
      onward(ports.signer.algorithms(), (algorithms) =>
        onward(ports.signer.encryptionAlgorithms(), (decryption) => {
          const stated = (known: boolean | undefined): Decision =>
            decision(ports.settings, (known === true ? unsignedToo : signedOnly)(both(algorithms, decryption), ports.pages.languages))
          if (unsigned !== undefined && now >= askedAt && now < askedAt + askEvery) return Effect.succeed(stated(unsigned))
          // Others go on by the last answer meanwhile: a store that does not answer holds up this request alone.
          if (unsigned !== undefined) askedAt = now
          return mapped(
            ending(() => ports.clients.unsignedRequestObjects?.() ?? Effect.succeed(false)),
            (asked) => {
              if (Exit.isSuccess(asked)) {
                unsigned = asked.value
                askedAt = now
              }
              return stated(unsigned)
            },
          )
        }),
      ),
  }
}

/** Seconds for which an answer of the client store is stated without asking again: a changed client is noticed within ten. */
const askEvery: Seconds = 5

/** Everything in the document that may change while the provider runs. */
interface Changing {
  readonly algorithms: Algorithms
  readonly languages: ReadonlyArray<string> | undefined
  /** True if some client may send unsigned request objects. */
  readonly unsigned: boolean
}

type Algorithms = readonly [signing: ReadonlyArray<SigningAlgorithm>, decryption: ReadonlyArray<KeyEncryptionAlgorithm>]

/** OpenID Connect Discovery §4: below the issuer. */
export const openidConfiguration = (can: Capabilities): Endpoint => document("discovery", "/.well-known/openid-configuration", can)

/** The path of RFC 8414 §3.1: the well-known part stands before the issuer's own path. */
export const authorizationServerPath = "/.well-known/oauth-authorization-server"

/** RFC 8414 §3: the same document under its other name. */
export const authorizationServer = (can: Capabilities): Endpoint => document("metadata", authorizationServerPath, can)
