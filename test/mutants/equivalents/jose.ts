import type { Listed } from "../equivalent.ts"

/** Mutants of the area jose that change nothing. */
export const jose: Listed = {
  "packages/core/src/jose/generate.ts": {
    "jose writes no key of another type": [
      ['""', '"Stryker was here!"'],
      ["[]", '["Stryker was here"]'],
    ],
    "jose imports a symmetric key for none of these algorithms: the check is there for the type alone": [
      ["key instanceof Uint8Array", "false"],
      ['throw new TypeError("a signing key is never symmetric")', ";"],
    ],
    "a sealed key without an encryption was refused before": [["encryption !== undefined", "true"]],
  },
  "packages/core/src/jose/jws.ts": {
    "a key is imported for one algorithm alone, and verifies by no other": [["{ algorithms: [alg] }", "{}"]],
  },
  "packages/core/src/jose/verification.ts": {
    "a set that is read again reads the same; remembering spares the work": [
      ["known !== undefined", "false"],
      ["resolvers.set(keys, made)", ";"],
    ],
    "words for the operator": [['"the JWT cannot be read"', '""']],
    "a header without alg is refused by jose afterwards": [['""', '"Stryker was here!"']],
    "another algorithm than HMAC is refused with a secret in any case": [
      ["/^HS(\\d{3})$/.exec(alg)?.[1]", "/^HS(\\d{3})$/.exec(alg)[1]"],
      ["/^HS(\\d{3})$/", "/HS(\\d{3})$/"],
      ["/^HS(\\d{3})$/", "/^HS(\\d{3})/"],
    ],
    "jose has refused another algorithm before it looked for a key": [
      [
        "{ algorithms: [...algorithms] }",
        "{}",
        "const verified = await compactVerify(jwt, key, { algorithms: [...algorithms] }).catch(() => undefined)",
      ],
    ],
  },
  "packages/core/src/jose/keyring.ts": {
    "no two keys have one name": [["left.kid < right.kid", "left.kid <= right.kid"]],
    "the one that signs was told before": [["at > signing", "at >= signing"]],
    "a key before the one that signs has a successor: the check is there for the type alone": [["removeAt !== undefined", "true"]],
    "no two keys have one place in the line": [
      ["before(key, first) < 0", "before(key, first) <= 0"],
      ["before(key, signing) > 0", "before(key, signing) >= 0"],
    ],
  },
  "packages/core/src/jose/signer.ts": {
    "the list is made before it is first read": [
      ["[]", '["Stryker was here"]', "let shown: Shown = { seen: undefined, at: 0, keys: [], jwks: [] }"],
    ],
    "what is made again says the same; remembering spares the work": [["shown.seen !== seen || shown.at !== at", "true"]],
    "the lists are of one length: the check is there for the type alone": [["shown.jwks[index]?.kid", "shown.jwks[index].kid"]],
    "a longer list has a key that the shorter one lacks": [["of.length === shown.jwks.length", "true"]],
    "a key verifies by its own algorithm alone": [
      ["key.alg === alg", "true", "return published(seen).keys.find((key) => key.kid === kid && key.alg === alg)"],
    ],
    "no key has that algorithm: the check is there for the type alone": [["header.alg === undefined", "false"]],
    "nothing reads as no claims: the check is there for the type alone": [["payload === undefined", "false"]],
    "jose decrypts by the algorithm of the key alone, which stands below": [
      ["key.alg === alg && encrypts(key)", "true"],
      ["key.alg === alg", "true", "(key) => key.alg === alg && encrypts(key) && (kid === undefined || key.kid === kid),"],
      ["key.alg === alg && encrypts(key)", "key.alg === alg || encrypts(key)"],
    ],
    "a function without a return answers undefined too": [["{\n    return undefined\n  }", "{}"]],
  },
}
