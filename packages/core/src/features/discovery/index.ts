import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type {
  Decision,
  Instant,
  Json,
  JsonObject,
  KeyEncryptionAlgorithm,
  Profile,
  Seconds,
  Settings,
  SigningAlgorithm,
} from "../../model/index.ts"
import { ending, onward } from "../../ports/steps.ts"
import { allows } from "../../rules/profile.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import type { Composition, Described } from "../feature.ts"
import { latest } from "./latest.ts"
import { signedWhere } from "./signed.ts"

/** Makes the metadata document from the members of every feature (OpenID Connect Discovery §3, RFC 8414 §2). */
const metadata = (provider: Described): JsonObject => {
  const document: Record<string, Json> = {}
  for (const { discovery } of provider.features)
    for (const [name, value] of Object.entries(discovery?.(provider) ?? {})) document[name] = joined(document[name], value)
  for (const name in document) document[name] = accepted(name, document[name] ?? null, provider.settings.profile)
  return document
}

/**
 * The value of a member without the algorithms and methods that the provider's profile refuses. A resource server may introspect by any
 * method, and RS256 must be among the algorithms of ID tokens (OpenID Connect Discovery §3).
 */
const accepted = (name: string, value: Json, { parameters: { algorithms, authMethods } }: Profile): Json => {
  if (!Array.isArray(value)) return value
  if (/^(?!id_token).*_signing_alg_values_supported$/.test(name)) return value.filter((each) => allows(algorithms, each))
  return /^(?!introspection).*_auth_methods_supported$/.test(name) ? value.filter((each) => allows(authMethods, each)) : value
}

const joined = (before: Json | undefined, value: Json): Json =>
  Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value

/** A response with the document. */
type Document = Extract<Decision, { readonly _tag: "Reply" }> & { readonly body: JsonObject }

/** The document of one issuer. Several issuers may share one composition. */
interface Stated {
  /** Makes the document, given whether some client may send unsigned request objects. */
  readonly decision: (algorithms: Algorithms, languages: Changing["languages"], unsigned: boolean) => Document
  readonly both: (algorithms: Algorithms[0], decryption: Algorithms[1]) => Algorithms
  /** The last answer of the client store; without one the document is made as if no client could. */
  unsigned: boolean | undefined
  askedAt: Instant
}

const statedOf = (provider: Composition, settings: Settings): Stated => {
  const among = (unsignedRequestObjects: boolean) =>
    latest((algorithms: Algorithms, languages: Changing["languages"]): Changing => ({ algorithms, languages, unsignedRequestObjects }))
  const [signedOnly, unsignedToo] = [among(false), among(true)]
  const clientAuthentication = provider.clientAuthentication.filter(({ isOffered }) => isOffered?.(settings) !== false)
  const base = settings.issuer.replace(/\/$/, "")
  const url = (below: string): string => base + below
  const decision = latest((changing: Changing, settings: Settings): Document => {
    const { algorithms, ...rest } = changing
    const [signing, decryption] = algorithms
    return {
      _tag: "Reply",
      body: metadata({ ...provider, clientAuthentication, ...rest, settings, signing, decryption, url }),
      cacheable: true,
      commands: [],
    }
  })
  return {
    decision: (algorithms, languages, unsigned) => decision((unsigned ? unsignedToo : signedOnly)(algorithms, languages), settings),
    both: latest((algorithms: Algorithms[0], decryption: Algorithms[1]): Algorithms => [algorithms, decryption]),
    unsigned: undefined,
    askedAt: 0,
  }
}

const document = (name: string, path: string, provider: Composition): Endpoint => {
  const stated = new WeakMap<Settings, Stated>()
  return {
    name,
    path,
    methods: ["GET"],
    audience: "programs",
    cors: true,
    attempt: (_, inquiry) => {
      const { ports, now } = inquiry
      return onward(ports.signer.algorithms(), (algorithms) =>
        onward(ports.signer.encryptionAlgorithms(), (decryption) => {
          const { settings } = ports
          const own = stated.get(settings) ?? statedOf(provider, settings)
          stated.set(settings, own)
          const tell = (known: boolean | undefined) =>
            signedWhere(own.decision(own.both(algorithms, decryption), ports.pages.languages, known === true), inquiry)
          if (own.unsigned !== undefined && now >= own.askedAt && now < own.askedAt + askEvery) return tell(own.unsigned)
          // Other requests continue with the last answer in the meantime, so that a store that does not answer delays only this request.
          if (own.unsigned !== undefined) own.askedAt = now
          return onward(
            ending(() => ports.clients.unsignedRequestObjects?.() ?? Effect.succeed(false)),
            (asked) => {
              if (Exit.isSuccess(asked)) {
                own.unsigned = asked.value
                own.askedAt = now
              }
              return tell(own.unsigned)
            },
          )
        }),
      )
    },
  }
}

/** Seconds for which an answer of the client store is used without asking again. A changed client is noticed within ten seconds. */
const askEvery: Seconds = 5

/** Everything in the document that may change while the provider runs. */
interface Changing {
  readonly algorithms: Algorithms
  readonly languages: ReadonlyArray<string> | undefined
  /** True if some client may send unsigned request objects. */
  readonly unsignedRequestObjects: boolean
}

type Algorithms = readonly [signing: ReadonlyArray<SigningAlgorithm>, decryption: ReadonlyArray<KeyEncryptionAlgorithm>]

/** The path of OpenID Connect Discovery §4: below the issuer. */
export const openidConfigurationPath = "/.well-known/openid-configuration"

/** OpenID Connect Discovery §4: below the issuer. */
export const openidConfiguration = (provider: Composition): Endpoint => document("discovery", openidConfigurationPath, provider)

/** The path of RFC 8414 §3.1, in which the well-known part comes before the issuer's own path. */
export const authorizationServerPath = "/.well-known/oauth-authorization-server"

/** The same document at the path of RFC 8414 §3. */
export const authorizationServer = (provider: Composition): Endpoint => document("metadata", authorizationServerPath, provider)
