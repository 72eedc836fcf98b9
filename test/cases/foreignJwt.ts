import type { Json } from "@postern/core"
import { peerClaims, peerJwt, peerSigned } from "../support/peer.ts"
import type { Said } from "../support/visitor.ts"
import { type World, beginning, issuer } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

type Claims = Readonly<Record<string, Json | undefined>>

/** Cases of another issuer's JWT, shown for a grant that takes one (RFC 7523 §3). */
export const foreignJwtCases = (
  prefix: string,
  name: string,
  error: string,
  options: NonNullable<Case["options"]>,
  send: (w: World, jwt: string) => Promise<Said>,
  { endpoint = "/connect/token", expired = error }: { readonly endpoint?: string; readonly expired?: string } = {},
): ReadonlyArray<Case> => {
  const refusing = (id: string, title: string, description: string, claims: Claims, code = error): Case => ({
    title: `RFC 7523 §3: ${title} (${name})`,
    rule: `${prefix}.${id}`,
    options,
    run: async (w) => send(w, await peerJwt(claims)),
    expect: refused(code, description),
  })
  const taking = (title: string, claims: Claims): Case => ({
    title: `RFC 7523 §3: ${title} (${name})`,
    rule: undefined,
    options,
    run: async (w) => send(w, await peerJwt(claims)),
    expect: { status: 200 },
  })
  return [
    taking("a JWT made out to the issuer is taken", {}),
    taking("a JWT made out to the endpoint, among others, is taken", { aud: ["https://other.example", `${issuer}${endpoint}`] }),
    taking("a JWT made out to a configured audience is taken", { aud: "our-name-there" }),
    taking("an end may have a fraction of a second (RFC 7519 §2)", { exp: beginning + 59.5, jti: "once" }),
    taking("clocks may be off by half a minute", { nbf: beginning + 30, iat: beginning + 30 }),
    refusing("jwt-issuer", "an issuer that is not trusted is refused", `The ${name} is not from a trusted issuer.`, {
      iss: "https://else.example",
    }),
    {
      title: `RFC 7523 §3: what is no JWT is refused (${name})`,
      rule: `${prefix}.jwt-issuer`,
      options,
      run: (w) => send(w, "nonsense"),
      expect: refused(error, `The ${name} is not from a trusted issuer.`),
    },
    {
      title: `RFC 7523 §3: a signature by another's key is refused (${name})`,
      rule: `${prefix}.jwt-signature`,
      options,
      run: async (w) => send(w, await peerJwt({}, true)),
      expect: refused(error, `The ${name} is not valid.`),
    },
    {
      title: `RFC 8725 §3.1: a JWT without a signature is refused (${name})`,
      rule: `${prefix}.jwt-signature`,
      options,
      run: async (w) => {
        const [, payload] = (await peerJwt()).split(".")
        return send(w, `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload ?? ""}.`)
      },
      expect: refused(error, `The ${name} is not valid.`),
    },
    {
      title: `RFC 8725 §3.11: an ID-JAG is for the client that it names, and never taken for an assertion of any (${name})`,
      rule: `${prefix}.jwt-type`,
      options,
      run: async (w) => send(w, await peerSigned(peerClaims({ jti: "j1", client_id: "else" }), "application/OAuth-ID-JAG+jwt")),
      expect: refused(error, `The ${name} is of another type.`),
    },
    refusing("jwt-subject-present", "no sub is refused", `The ${name} names no subject.`, { sub: undefined }),
    refusing("jwt-audience", "a JWT made out to somebody else is refused", `The ${name} is not meant for this provider.`, {
      aud: ["https://else.example"],
    }),
    refusing("jwt-audience", "no aud is refused", `The ${name} is not meant for this provider.`, { aud: undefined }),
    refusing("jwt-expiry-present", "no exp is refused", `The ${name} does not say when it ends.`, { exp: undefined }),
    refusing("jwt-fresh", "an expired JWT is refused", `The ${name} has expired.`, { exp: beginning }, expired),
    refusing("jwt-expiry-near", "an exp too far ahead is refused", `The ${name} ends too far in the future.`, { exp: beginning + 3601 }),
    refusing("jwt-not-before", "a JWT that begins later is refused", `The ${name} is not valid yet.`, { nbf: beginning + 31 }),
    refusing("jwt-not-before", "an nbf that is no number is refused", `The ${name} is not valid yet.`, { nbf: "soon" }),
    refusing("jwt-issued-at", "a JWT from the future is refused", `The ${name} was issued in the future.`, { iat: beginning + 31 }),
  ]
}
