import { type Equivalent, equivalentIn } from "../equivalent.ts"

/** Mutants of the area jose that change nothing. */
export const jose: ReadonlyArray<Equivalent> = [
  ...equivalentIn("packages/core/src/jose/claims.ts", [
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
  ]),
  ...equivalentIn("packages/core/src/jose/generate.ts", [
    { original: '""', replacement: '"Stryker was here!"', because: "jose writes no key of another type" },
    { original: "[]", replacement: '["Stryker was here"]', because: "jose writes no key of another type" },
    {
      original: "key instanceof Uint8Array",
      replacement: "false",
      because: "jose imports a symmetric key for none of these algorithms: the check is there for the type alone",
    },
    {
      original: 'throw new TypeError("a signing key is never symmetric")',
      replacement: ";",
      because: "jose imports a symmetric key for none of these algorithms: the check is there for the type alone",
    },
    { original: "encryption !== undefined", replacement: "true", because: "a sealed key without an encryption was refused before" },
  ]),
  ...equivalentIn("packages/core/src/jose/jws.ts", [
    {
      original: "{ algorithms: [alg] }",
      replacement: "{}",
      because: "a key is imported for one algorithm alone, and verifies by no other",
    },
  ]),
  ...equivalentIn("packages/core/src/jose/jwts.ts", [
    {
      original: "known !== undefined",
      replacement: "false",
      because: "a set that is read again reads the same; remembering spares the work",
    },
    {
      original: "resolvers.set(keys, made)",
      replacement: ";",
      because: "a set that is read again reads the same; remembering spares the work",
    },
    { original: '"the JWT cannot be read"', replacement: '""', because: "words for the operator" },
    { original: '""', replacement: '"Stryker was here!"', because: "a header without alg is refused by jose afterwards" },
    {
      original: "/^HS(\\d{3})$/.exec(alg)?.[1]",
      replacement: "/^HS(\\d{3})$/.exec(alg)[1]",
      because: "another algorithm than HMAC is refused with a secret in any case",
    },
    {
      original: "/^HS(\\d{3})$/",
      replacement: "/HS(\\d{3})$/",
      because: "another algorithm than HMAC is refused with a secret in any case",
    },
    {
      original: "/^HS(\\d{3})$/",
      replacement: "/^HS(\\d{3})/",
      because: "another algorithm than HMAC is refused with a secret in any case",
    },
    {
      on: "const verified = await compactVerify(jwt, key, { algorithms: [...algorithms] }).catch(() => undefined)",
      original: "{ algorithms: [...algorithms] }",
      replacement: "{}",
      because: "jose has refused another algorithm before it looked for a key",
    },
    {
      original: "kind === kty",
      replacement: "true",
      because: "a key of another type cannot be imported for the algorithm, and is passed over",
    },
  ]),
  ...equivalentIn("packages/core/src/jose/keyring.ts", [
    { original: "left.kid < right.kid", replacement: "left.kid <= right.kid", because: "no two keys have one name" },
    { original: "at > signing", replacement: "at >= signing", because: "the one that signs was told before" },
    {
      original: "removeAt !== undefined",
      replacement: "true",
      because: "a key before the one that signs has a successor: the check is there for the type alone",
    },
    { original: "before(key, first) < 0", replacement: "before(key, first) <= 0", because: "no two keys have one place in the line" },
    { original: "before(key, signing) > 0", replacement: "before(key, signing) >= 0", because: "no two keys have one place in the line" },
  ]),
  ...equivalentIn("packages/core/src/jose/signer.ts", [
    {
      on: "let shown: Shown = { seen: undefined, at: 0, keys: [], jwks: [] }",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "the list is made before it is first read",
    },
    {
      original: "shown.seen !== seen || shown.at !== at",
      replacement: "true",
      because: "what is made again says the same; remembering spares the work",
    },
    {
      original: "shown.jwks[index]?.kid",
      replacement: "shown.jwks[index].kid",
      because: "the lists are of one length: the check is there for the type alone",
    },
    { original: "of.length === shown.jwks.length", replacement: "true", because: "a longer list has a key that the shorter one lacks" },
    {
      on: "return published(seen).keys.find((key) => key.kid === kid && key.alg === alg)",
      original: "key.alg === alg",
      replacement: "true",
      because: "a key verifies by its own algorithm alone",
    },
    {
      original: "header.alg === undefined",
      replacement: "false",
      because: "no key has that algorithm: the check is there for the type alone",
    },
    {
      original: "payload === undefined",
      replacement: "false",
      because: "nothing reads as no claims: the check is there for the type alone",
    },
    {
      original: "key.alg === alg && encrypts(key)",
      replacement: "true",
      because: "jose decrypts by the algorithm of the key alone, which stands below",
    },
    {
      on: "(key) => key.alg === alg && encrypts(key) && (kid === undefined || key.kid === kid),",
      original: "key.alg === alg",
      replacement: "true",
      because: "jose decrypts by the algorithm of the key alone, which stands below",
    },
    {
      original: "key.alg === alg && encrypts(key)",
      replacement: "key.alg === alg || encrypts(key)",
      because: "jose decrypts by the algorithm of the key alone, which stands below",
    },
    { original: "each === alg", replacement: "true", because: "jose decrypts with no key that signs" },
    { original: "each === alg", replacement: "each !== alg", because: "jose decrypts with no key that signs" },
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
  ]),
]
