import { createHash } from "node:crypto"
import type { JsonObject } from "@postern/core/model"
import type { Needs, ResourceRequest, ResourceServer, ResourceServerOptions, Verdict } from "@postern/verify"
import { resourceServerWithout } from "../../packages/verify/src/server.ts"
import { makeCertificate } from "../support/certificates.ts"
import { type ProofKey, type ProofParts, digest, ownKey, part, proof, proofKey, signedText } from "../support/proofs.ts"

export const issuer = "https://id.example"
export const resource = "https://api.example/v1"
export const path = "/v1/notes"
export const now = 1_800_000_000

/** The key that the issuer signs with. */
export const issuerKey: ProofKey = proofKey()

/** The certificates of a client and of somebody else. */
export const [own, other] = [makeCertificate(), makeCertificate()]

/** The digest of a certificate, as `cnf` has it. */
export const x5t = ({ der }: { readonly der: Uint8Array }): string => createHash("sha256").update(der).digest("base64url")

export const jwks = { keys: [{ ...issuerKey.jwk, kid: "one", alg: "ES256", use: "sig" } as JsonObject] }

type Changes = Readonly<Record<string, unknown>>

/** A JWT access token, with changes of its header and its claims: one that is undefined is left out. */
export const token = (claims: Changes = {}, header: Changes = {}, key: ProofKey = issuerKey): string => {
  const head = part({ typ: "at+jwt", alg: "ES256", kid: "one", ...header })
  const body = part({
    iss: issuer,
    aud: resource,
    sub: "alice",
    client_id: "app",
    scope: "read write",
    iat: now - 10,
    exp: now + 600,
    jti: "one",
    ...claims,
  })
  return `${head}.${body}.${signedText(`${head}.${body}`, key)}`
}

/** A token that is bound to a key. */
export const bound = (claims: Changes = {}, key: ProofKey = ownKey): string => token({ cnf: { jkt: key.jkt }, ...claims })

/** A proof for a request of the resource. */
export const proofFor = (value: string, { claims, ...parts }: ProofParts = {}): string =>
  proof(now, "GET", path, { ...parts, claims: { htu: `https://api.example${path}`, ath: digest(value), ...claims } })

/** A request, with the parts that are not usual. */
export const request = (headers: Readonly<Record<string, string>>, more: Partial<ResourceRequest> = {}): ResourceRequest => ({
  method: "GET",
  path,
  query: "",
  headers,
  ...more,
})

/** A request with a bearer token. */
export const bearing = (value: string, more: Partial<ResourceRequest> = {}): ResourceRequest =>
  request({ authorization: `Bearer ${value}` }, more)

/** A request with a token that is bound to a key, and its proof. */
export const proving = (value: string, parts: ProofParts = {}, scheme = "DPoP"): ResourceRequest =>
  request({ authorization: `${scheme} ${value}`, dpop: proofFor(value, parts) })

/** A request with the certificate of its connection. */
export const showing = (value: string, certificate?: { readonly der: Uint8Array }): ResourceRequest =>
  bearing(value, certificate === undefined ? {} : { peerCertificate: { der: new Uint8Array(certificate.der), verified: false } })

/** A resource server at a moment that stands still. */
export const serverOf = (more: Partial<ResourceServerOptions> = {}, off: ReadonlySet<string> = new Set()): ResourceServer =>
  resourceServerWithout(off, { issuer, resource, keys: jwks, clock: () => now * 1000, ...more })

/** The verdict on a request, and the rule that refused it. */
export const ruleOf = ({ refused }: Verdict): string | undefined => refused?.rule

/** Judges one request by a server of its own. */
export const judged = (
  asked: ResourceRequest,
  needs: Needs = {},
  more: Partial<ResourceServerOptions> = {},
  off?: ReadonlySet<string>,
): Promise<Verdict> => serverOf(more, off).verify(asked, needs)

/** A signed introspection (RFC 9701 §5). */
export const signedAnswer = (claims: JsonObject, header: JsonObject = {}): string => {
  const text = `${part({ typ: "token-introspection+jwt", alg: "ES256", kid: "one", ...header })}.${part(claims)}`
  return `${text}.${signedText(text, issuerKey)}`
}
