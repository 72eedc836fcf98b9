import * as Effect from "effect/Effect"
import { steps } from "../../../ports/steps.ts"
import { type Client, type JsonObject, peerAlgorithms } from "../../../model/index.ts"
import type { JwtVerdict, PortFailed } from "../../../ports/index.ts"
import { type Life, fetchDocument, verifyBy } from "../../../settle/remote.ts"
import type { Inquiry } from "../../../settle/request.ts"
import { jwtParts, readJwtPart } from "../../../wire/index.ts"
import { objectFacts } from "../facts.ts"
import type { AuthorizeRequest } from "../parse.ts"
import type { ClientRequest } from "../evidence.ts"

/**
 * The time for which a fetched object is reused, long enough for a browser that goes to the pages and back. A client prevents any reuse by
 * the caching headers of its server (OpenID Connect Core §6.2, RFC 9111 §5.2.2).
 */
const fetchedLife: Life = { most: 60, least: 0 }

/**
 * The object as sent, or as fetched from its request_uri. The media type of the response is ignored (RFC 9101 §10.8 has the typ header for
 * that).
 */
const sentObject = steps(function* ({ params, client }: Pick<ClientRequest, "params" | "client">, inquiry: Inquiry) {
  const uri = params.one("request_uri")
  if (uri === undefined) return { body: params.one("request"), reason: "" }
  const accept = "application/oauth-authz-req+jwt, application/jwt"
  const { body, reason } = yield* fetchDocument(uri, accept, fetchedLife, inquiry, client.keys.ofStranger)
  return { body: body?.trim(), reason }
})

/** Verifies with any supported algorithm; a rule decides which of them the client may use. */
const verified = (jws: string, header: JsonObject, client: Client, inquiry: Inquiry): Effect.Effect<JwtVerdict, PortFailed> => {
  if (header["alg"] !== "none") return verifyBy(jws, client.keys, peerAlgorithms, inquiry)
  const [, payload, signature] = jwtParts(jws)
  const claims = readJwtPart(payload)
  // An unsecured JWS has an empty signature (RFC 7518 §3.6).
  return Effect.succeed(
    claims === undefined || signature !== ""
      ? { _tag: "Invalid", reason: "its payload is no JSON object, or it has a signature all the same" }
      : { _tag: "Verified", header, claims },
  )
}

/** The claims of a JWS, verified or not. */
const saidBy = (jws: string | undefined): JsonObject | undefined => {
  const parts = jws === undefined ? [] : jwtParts(jws)
  return parts.length === 3 ? readJwtPart(parts[1]) : undefined
}

/** Reads an object that is refused because of the way it is carried. It fetches nothing and verifies nothing. */
export const loadUnverified = steps(function* ({ params }: AuthorizeRequest, { ports }: Inquiry) {
  const sent = params.one("request")
  return saidBy(sent !== undefined && jwtParts(sent).length === 5 ? yield* ports.signer.decrypt(sent) : sent)
})

/** Fetches, decrypts, reads and verifies a request object, as far as each step succeeds. */
export const loadRequestObject = steps(function* (s: ClientRequest, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const { body: sent, reason } = yield* sentObject(s, inquiry)
  const parts = sent === undefined ? [] : jwtParts(sent)
  const seal = parts.length === 5 ? readJwtPart(parts[0]) : undefined
  const jws = seal === undefined || sent === undefined ? sent : yield* ports.signer.decrypt(sent)
  const inner = jws === undefined ? [] : jwtParts(jws)
  const header = inner.length === 3 ? readJwtPart(inner[0]) : undefined
  const signed =
    jws === undefined || header === undefined ? undefined : { header, verdict: yield* verified(jws, header, s.client, inquiry) }
  const said = saidBy(jws)
  const about = header === undefined ? {} : { facts: objectFacts(header, said, now) }
  return { settings: ports.settings, now, sent, unfetched: reason, seal, jws, signed, said, about }
})
