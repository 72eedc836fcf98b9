import { type Instant, type JsonObject, type Seconds, type Secret, messageOf } from "@postern/core/model"
import type { Awaitable, DigestPort } from "@postern/core/ports"
import { type TracedStep, judge, tracing } from "@postern/core/verify"
import { readJwt, readObject } from "@postern/core/wire"
import { introspectionType, signedIntrospection } from "./introspectionRules.ts"
import type { Cached } from "./cached.ts"
import type { Issuer } from "./issuer.ts"
import { type Fetch, fetchText, timely } from "./remote.ts"

/** Options for introspecting tokens at the issuer (RFC 7662). */
export interface IntrospectionOptions {
  /** The `client_id` of this resource server at the issuer. */
  readonly clientId: string
  /** The client secret, sent by `client_secret_basic`. Omit it if you give `authenticate`. */
  readonly clientSecret?: string | Secret | undefined
  /** Authenticates by another method. It may add parameters to the form, and returns header fields to send. */
  readonly authenticate?: ((form: URLSearchParams) => Awaitable<Readonly<Record<string, string>>>) | undefined
  /** The introspection endpoint. By default, the one in the issuer's metadata. */
  readonly endpoint?: string | undefined
  /** Introspects JWTs too, so that revoked ones are refused. Default: false, which verifies JWTs locally. */
  readonly always?: boolean | undefined
  /** Requests signed responses and accepts no others (RFC 9701). Default: false. */
  readonly signed?: boolean | undefined
  /**
   * Seconds for which a response is cached, at most until the token expires. A revoked token may be accepted for this long. Default: 30. 0
   * disables the cache.
   */
  readonly cacheSeconds?: Seconds | undefined
  /** The maximum number of cached responses. Default: 10,000. */
  readonly cacheEntries?: number | undefined
}

/** Dependencies of introspection. */
export interface IntrospectionMeans {
  /** The issuer to query. */
  readonly issuer: Issuer
  /** The issuer's identifier. */
  readonly issuerName: string
  /** The accepted algorithms of signed responses. */
  readonly algorithms: ReadonlyArray<string>
  /** Sends the introspection requests. */
  readonly fetch: Fetch
  /** Computes the cache keys of tokens. */
  readonly digest: Pick<DigestPort, "sha256">
  /** Ids of disabled rules. */
  readonly off: ReadonlySet<string>
}

/** The response about a token, or the reason why there is none. */
export type Asked = Cached<JsonObject> & {
  /** The result of checking a signed response, for the trail. Undefined for an unsigned or a cached response. */
  readonly step?: TracedStep | undefined
}

/** Introspects a token. */
export type Introspect = (token: string, now: Instant) => Promise<Asked>

/** The most introspection requests in flight. Beyond them, the answer is that the token's state is unknown. */
const mostUnderway = 200

const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/** The credentials of `client_secret_basic` (RFC 6749 §2.3.1). */
const basic = (id: string, secret: string): string => `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`

/** Makes the introspection of tokens, with a cache of responses. */
export const introspection = (options: IntrospectionOptions, means: IntrospectionMeans): Introspect => {
  const { cacheSeconds = 30, cacheEntries = 10_000 } = options
  const { digest } = means
  const known = new Map<string, { readonly answer: JsonObject; readonly until: Instant }>()
  const underway = new Map<string, Promise<Asked>>()
  const keep = (key: string, answer: JsonObject, now: Instant): void => {
    const { exp } = answer
    const until = Math.min(now + cacheSeconds, typeof exp === "number" ? exp : Number.POSITIVE_INFINITY)
    known.delete(key)
    if (until <= now) return
    known.set(key, { answer, until })
    for (const oldest of known.keys()) {
      if (known.size <= cacheEntries) break
      known.delete(oldest)
    }
  }
  return async (token, now) => {
    // The cache key is a digest, so that a memory dump shows no token.
    const key = await digest.sha256(token)
    const before = known.get(key)
    if (before !== undefined && now < before.until && now >= before.until - cacheSeconds) return { value: before.answer }
    const joined = underway.get(key)
    if (joined !== undefined) return joined
    if (underway.size >= mostUnderway) return { reason: `${mostUnderway} introspections are under way` }
    const asking = asked(token, options, means, now).finally(() => underway.delete(key))
    underway.set(key, asking)
    const found = await asking
    if (found.value !== undefined) keep(key, found.value, now)
    return found
  }
}

const asked = async (token: string, options: IntrospectionOptions, means: IntrospectionMeans, now: Instant): Promise<Asked> => {
  try {
    const { clientId, clientSecret, authenticate, signed = false } = options
    const place = options.endpoint === undefined ? await means.issuer.endpoint("introspection_endpoint") : { value: options.endpoint }
    if (place.value === undefined) return place
    const form = new URLSearchParams({ token, token_type_hint: "access_token" })
    const secret = typeof clientSecret === "object" ? clientSecret.reveal() : clientSecret
    const own = secret === undefined ? undefined : { authorization: basic(clientId, secret) }
    const headers = {
      accept: signed ? introspectionType : "application/json",
      ...own,
      ...(authenticate && (await timely(() => authenticate(form)))),
    }
    const { text, contentType } = await fetchText(means.fetch, place.value, { method: "POST", headers, body: form })
    if (signed) return await signedAnswer(text, contentType, clientId, means, now)
    const answer = readObject(text)
    return answer === undefined ? { reason: "the introspection is no JSON object" } : { value: answer }
  } catch (error) {
    return { reason: `introspection: ${messageOf(error)}` }
  }
}

/** Reads a response that is signed for this resource server (RFC 9701 §5). */
const signedAnswer = async (
  text: string,
  contentType: string,
  clientId: string,
  { issuer, issuerName, algorithms, off }: IntrospectionMeans,
  now: Instant,
): Promise<Asked> => {
  const header = readJwt(text)?.header
  const verdict = await issuer.verify(text, algorithms)
  if (typeof verdict === "string") return { reason: verdict }
  const seen = { contentType, header, verdict, clientId, issuer: issuerName, now }
  const trace = tracing(off)
  const objection = judge(trace, signedIntrospection, seen)
  const [step] = trace.steps
  if (objection !== undefined) return { reason: objection.reason, step }
  // The table has established `answer`, which the type of its input cannot express.
  return { value: (seen as typeof seen & { readonly answer: JsonObject }).answer, step }
}
