import fc from "fast-check"
import { issuer } from "../support/world.ts"
import { nastyTexts } from "./nasty.ts"

/** Purpose of a JWT: a request object, a client's assertion, a hint of who is signed out, a token at userinfo. */
export const uses = ["object", "assertion", "hint", "access"] as const

/** One of them. */
export type Use = (typeof uses)[number]

/** A JWT with changes. Undefined leaves a part as it is. */
export interface Forged {
  readonly name: string
  readonly use: Use
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** With what it is signed: by whom it should be, by nobody, by the public key taken for a secret, or with what was there before. */
  readonly by: "right" | "none" | "public" | "before"
  /** Last change of the text. */
  readonly spoilt?: Spoilt
}

interface Spoilt {
  readonly how: "append" | "cut" | "insert" | "flip" | "case" | "pad" | "parts" | "json" | "empty" | "repeat"
  readonly at: number
  readonly text: string
}

const odd: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1e308,
  -0.5,
  2 ** 53 + 2,
  "",
  [],
  {},
  [[]],
  [issuer],
  [issuer, "https://other.example"],
  { toString: 1 },
  ["\u0000"],
  ...nastyTexts.filter((text) => text.length < 6_000),
]
const anything = fc.oneof(fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 3 }))

const headers = fc.oneof(
  fc.record({ alg: fc.constantFrom("none", "None", "HS256", "HS512", "RS256", "PS512", "ES256K", "EdDSA", "dir", "", "ES384", null, 7) }),
  fc.record({ kid: anything }),
  fc.record({ typ: fc.oneof(fc.constantFrom("JWT", "at+jwt", "application/at+jwt", "AT+JWT", "logout+jwt", ""), anything) }),
  fc.record({ crit: fc.oneof(fc.constantFrom(["exp"], ["b64"], [], "b64", ["x", "x"]), anything), b64: fc.boolean() }),
  fc.record({ jwk: anything, jku: fc.constant("https://evil.example/jwks"), x5u: fc.constant("file:///etc/passwd"), x5c: anything }),
  fc.record({
    alg: fc.constantFrom("PBES2-HS256+A128KW", "ECDH-ES", "RSA-OAEP-256", "RSA1_5", "A128GCMKW"),
    enc: fc.constantFrom("A128GCM", "A256CBC-HS512", "x"),
    p2c: fc.constantFrom(1, 2_000_000_000, -1, "x"),
    p2s: fc.constant("AAAA"),
    zip: fc.constantFrom("DEF", "x"),
    epk: anything,
  }),
  fc.dictionary(fc.constantFrom("alg", "typ", "kid", "cty", "__proto__", "x"), anything, { maxKeys: 3 }),
)
const claimNames = [
  ..."iss sub aud exp nbf iat jti azp sid nonce auth_time client_id scope cnf act acr amr at_hash".split(" "),
  ..."redirect_uri response_type response_mode state code_challenge claims request request_uri max_age prompt resource".split(" "),
  "__proto__",
  "constructor",
]
const claims = fc.dictionary(fc.constantFrom(...claimNames), anything, { minKeys: 1, maxKeys: 4 })

const spoilt: fc.Arbitrary<Spoilt> = fc.record({
  how: fc.constantFrom("append", "cut", "insert", "flip", "case", "pad", "parts", "json", "empty", "repeat"),
  at: fc.nat(2_000),
  text: fc.constantFrom(...nastyTexts.filter((text) => text.length < 200), "=", ".", "A", "~", "AAAA.BBBB"),
})

const optional = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(arbitrary, { nil: undefined })

/** A JWT with any of these changes. */
export const forged: fc.Arbitrary<Forged> = fc
  .record({
    use: fc.constantFrom(...uses),
    header: optional(headers),
    claims: optional(claims),
    by: fc.constantFrom<Forged["by"]>("right", "right", "none", "public", "before"),
    spoilt: optional(spoilt),
  })
  .map(({ header, claims: changed, spoilt: how, ...rest }) => ({
    name: "forged",
    ...rest,
    ...(header === undefined ? {} : { header }),
    ...(changed === undefined ? {} : { claims: changed }),
    ...(how === undefined ? {} : { spoilt: how }),
  }))

/** Spoils the text of a JWT. */
export const spoil = (jwt: string, { how, at, text }: Spoilt): string => {
  const place = at % Math.max(1, jwt.length)
  switch (how) {
    case "append":
      return jwt + text
    case "cut":
      return jwt.slice(0, place)
    case "insert":
      return jwt.slice(0, place) + text + jwt.slice(place)
    case "flip":
      return jwt.slice(0, place) + (jwt[place] === "A" ? "B" : "A") + jwt.slice(place + 1)
    case "case":
      return jwt.slice(0, place) + jwt.slice(place).toUpperCase()
    case "pad":
      return jwt.split(".").join("=.") + "="
    case "parts":
      return jwt.split(".").toReversed().join(".")
    case "json": {
      const [header = "", payload = "", signature = ""] = jwt.split(".")
      return JSON.stringify({ protected: header, payload, signature })
    }
    case "empty":
      return jwt
        .split(".")
        .map((part, each) => (each === at % 3 ? "" : part))
        .join(".")
    case "repeat":
      return `${jwt}.${jwt}`
  }
}
