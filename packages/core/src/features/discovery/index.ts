import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Decision, Instant, Json, JsonObject, KeyEncryptionAlgorithm, Seconds, Settings, SigningAlgorithm } from "../../model/index.ts"
import { ending, mapped, onward } from "../../ports/steps.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import type { Composition, Described } from "../feature.ts"
import { latest } from "./latest.ts"

/** The metadata document: the members of every feature (OpenID Connect Discovery §3, RFC 8414 §2). */
const metadata = (provider: Described): JsonObject => {
  const document: Record<string, Json> = {}
  for (const { discovery } of provider.features)
    for (const [name, value] of Object.entries(discovery?.(provider) ?? {})) document[name] = joined(document[name], value)
  return document
}

const joined = (before: Json | undefined, value: Json): Json =>
  Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value

const document = (name: string, path: string, provider: Composition): Endpoint => {
  const decision = latest((settings: Settings, changing: Changing): Decision => {
    const { algorithms, ...rest } = changing
    const [signing, decryption] = algorithms
    const clientAuthentication = provider.clientAuthentication.filter(({ isOffered }) => isOffered?.(settings) !== false)
    const base = settings.issuer.replace(/\/$/, "")
    return {
      _tag: "Reply",
      body: metadata({ ...provider, clientAuthentication, ...rest, settings, signing, decryption, url: (below) => base + below }),
      cacheable: true,
      commands: [],
    }
  })
  const both = latest((algorithms: Algorithms[0], decryption: Algorithms[1]): Algorithms => [algorithms, decryption])
  const among = (unsignedRequestObjects: boolean) =>
    latest((algorithms: Algorithms, languages: Changing["languages"]): Changing => ({ algorithms, languages, unsignedRequestObjects }))
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
  readonly unsignedRequestObjects: boolean
}

type Algorithms = readonly [signing: ReadonlyArray<SigningAlgorithm>, decryption: ReadonlyArray<KeyEncryptionAlgorithm>]

/** OpenID Connect Discovery §4: below the issuer. */
export const openidConfiguration = (provider: Composition): Endpoint => document("discovery", "/.well-known/openid-configuration", provider)

/** The path of RFC 8414 §3.1: the well-known part stands before the issuer's own path. */
export const authorizationServerPath = "/.well-known/oauth-authorization-server"

/** RFC 8414 §3: the same document under its other name. */
export const authorizationServer = (provider: Composition): Endpoint => document("metadata", authorizationServerPath, provider)
