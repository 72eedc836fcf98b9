import { readFileSync } from "node:fs"
import { nodeJws } from "@postern/adapter-http/node"
import { type StartOptions, type TestProvider, startPostern } from "@postern/conformance/provider"
import type { JsonObject } from "@postern/core"
import { type KeyAlgorithm, type SigningKey, joseJws, joseJwts, joseSigner, privateKeyOf, publicKeyOf } from "@postern/core/jose"
import { type JWK, calculateJwkThumbprint, compactDecrypt, decodeProtectedHeader, importJWK } from "jose"
import { describe, expect, it, onTestFinished } from "vitest"

interface Vector {
  readonly key: JWK
  readonly jws?: string
  readonly jwe?: string
  readonly plaintext?: string
  readonly thumbprint?: string
}

/** The examples of the RFCs, as they print them, without their line breaks. */
const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as Readonly<Record<string, Vector>>

const vector = (name: string): Required<Vector> => {
  const found = vectors[name]
  if (found === undefined) throw new TypeError(`there is no vector ${name}`)
  return { jws: "", jwe: "", plaintext: "", thumbprint: "", ...found }
}

/** The claims of RFC 7515 §A.2, §A.3 and RFC 7520 §6 end at this second. */
const end = 1_300_819_380

/** A row of a private key, as a store would keep it. */
const rowOf = async (jwk: JWK, alg: KeyAlgorithm, kid?: string): Promise<SigningKey> => {
  const { kty = "", n, e, crv, x, y } = jwk
  const members = Object.entries({ n, e, crv, x, y }).filter(([, value]) => value !== undefined)
  const known = kid ?? (await calculateJwkThumbprint(jwk))
  const { kid: _kid, use: _use, ...half } = jwk
  return {
    kid: known,
    alg,
    privateJwk: JSON.stringify(half),
    publicJwk: { kty, kid: known, alg, use: "enc", ...Object.fromEntries(members) } as SigningKey["publicJwk"],
    createdAt: end - 1000,
    activeAt: end - 1000,
  }
}

/** Another text in which one character of a part is another. */
const altered = (text: string, part: number): string =>
  text
    .split(".")
    .map((each, at) => (at === part ? (each.startsWith("A") ? "B" : "A") + each.slice(1) : each))
    .join(".")

const start = async (options: StartOptions): Promise<TestProvider> => {
  const op = await startPostern(options)
  onTestFinished(op.stop)
  return op
}

describe("signatures of RFC 7520", () => {
  it.each(["RFC 7520 §4.1", "RFC 7520 §4.2", "RFC 7520 §4.3"])(
    "%s: the signature is the key's, and the payload is no claims",
    async (name) => {
      const { key, jws } = vector(name)
      const { alg = "" } = decodeProtectedHeader(jws)
      const keys = { keys: [key as JsonObject] }
      // Only a payload whose signature was right is looked at.
      const right = { _tag: "Invalid", reason: "its payload is no JSON object" }
      expect(await joseJwts.verify(jws, keys, [alg])).toEqual(right)
      for (const part of [1, 2]) expect(await joseJwts.verify(altered(jws, part), keys, [alg])).not.toEqual(right)
      const others = ["RS256", "PS384", "ES512", "ES256", "none"].filter((each) => each !== alg)
      expect(await joseJwts.verify(jws, keys, others)).not.toEqual(right)
    },
  )

  it.each([
    ["jose", joseJws],
    ["node:crypto", nodeJws],
  ] as const)("RFC 7520 §4.1, §6: verified by %s, and not once a bit of it is another", async (_, { verifying }) => {
    for (const [name, alg] of [
      ["RFC 7520 §4.1", "RS256"],
      ["RFC 7520 §6", "PS256"],
    ] as const) {
      const { key, jws } = vector(name)
      const half = await publicKeyOf({ publicJwk: { ...key, alg } as unknown as SigningKey["publicJwk"], alg } as SigningKey)
      const verify = verifying(half, alg)
      expect(Buffer.from((await verify(jws)) ?? "").toString("base64url"), name).toBe(jws.split(".")[1])
      for (const part of [0, 1, 2]) expect(await verify(altered(jws, part)), `${name}, part ${part}`).toBeUndefined()
    }
  })

  it("RFC 7520 §6: the nested JWS is verified with its claims, by a clock that stands before their end", async () => {
    const { key, jws } = vector("RFC 7520 §6")
    expect(await joseJwts.verify(jws, { keys: [key as JsonObject] }, ["PS256"])).toEqual({
      _tag: "Verified",
      header: { alg: "PS256", typ: "JWT" },
      claims: { iss: "hobbiton.example", exp: end, "http://example.com/is_root": true },
    })
  })
})

describe("encryption of RFC 7516 and RFC 7520", () => {
  const signerOf = (row: SigningKey) => joseSigner({ keys: () => [row], now: () => end - 1 })

  it("RFC 7520 §5.5: what was encrypted to a key by ECDH-ES is opened by it, whole and unchanged", async () => {
    const { key, jwe, plaintext } = vector("RFC 7520 §5.5")
    // The example names its key by a kid of its own.
    const row = { ...(await rowOf(key, "ECDH-ES")), kid: key.kid ?? "" }
    const own = await calculateJwkThumbprint(key)
    const opened = await compactDecrypt(jwe, (await privateKeyOf({ ...row, kid: own }, undefined)).key)
    expect(new TextDecoder().decode(opened.plaintext)).toBe(plaintext)
    const { decrypt } = signerOf({ ...row, kid: own })
    // A kid that is none of ours names no key of ours (RFC 7516 §4.1.6).
    expect(await decrypt(jwe)).toBeUndefined()
    const sealed = await joseJwts.encrypt(
      plaintext,
      "JWT",
      { alg: "ECDH-ES", enc: "A128CBC-HS256" },
      { keys: [{ ...row.publicJwk, kid: own }] },
    )
    expect(await decrypt(sealed ?? "")).toBe(plaintext)
    for (const part of [0, 2, 3, 4]) expect(await decrypt(altered(sealed ?? "", part)), `part ${part}`).toBeUndefined()
  })

  it("RFC 7516 §A.1, §A.4.7: a key opens nothing that came by an algorithm which is not its own, and no JSON serialization", async () => {
    const { key, jwe, plaintext } = vector("RFC 7516 §A.1")
    const opened = await compactDecrypt(jwe, await importJWK(key, "RSA-OAEP"))
    expect(new TextDecoder().decode(opened.plaintext)).toBe(plaintext)
    const row = await rowOf(key, "RSA-OAEP-256")
    const { decrypt } = signerOf(row)
    expect(await decrypt(jwe)).toBeUndefined()
    const sealed = (await joseJwts.encrypt(plaintext, "JWT", { alg: "RSA-OAEP-256", enc: "A256GCM" }, { keys: [row.publicJwk] })) ?? ""
    expect(await decrypt(sealed)).toBe(plaintext)
    const [header = "", encrypted_key = "", iv = "", ciphertext = "", tag = ""] = sealed.split(".")
    expect(await decrypt(JSON.stringify({ protected: header, encrypted_key, iv, ciphertext, tag }))).toBeUndefined()
  })
})

describe("thumbprints of RFC 7638", () => {
  it("RFC 7638 §3.1: the key of the example is known by its thumbprint, and by no other", async () => {
    const { key, thumbprint } = vector("RFC 7638 §3.1")
    const row = await rowOf(key, "RS256", thumbprint)
    const { jwk } = await privateKeyOf(row, undefined)
    expect(jwk.n).toBe(key.n)
    const signer = joseSigner({ keys: () => [row], now: () => end - 1 })
    const jwt = await signer.sign({ alg: "RS256", typ: "JWT", claims: { iss: "joe", exp: end } })
    expect(decodeProtectedHeader(jwt)).toEqual({ alg: "RS256", kid: thumbprint, typ: "JWT" })
    expect(await signer.verify(jwt, "JWT")).toEqual({ iss: "joe", exp: end })
    await expect(privateKeyOf({ ...row, kid: thumbprint.replace("Nz", "nZ") }, undefined)).rejects.toMatchObject({ name: "KeyUnreadable" })
  })
})

describe("the request object of RFC 9101", () => {
  const { key, jws } = vector("RFC 9101 §4")
  const asking = (issuer: string, changes: Readonly<Record<string, unknown>> = {}): Promise<TestProvider> =>
    start({
      at: 1_600_000_000,
      issuer,
      clients: [
        {
          client_id: "s6BhdRkqt3",
          redirect_uris: ["https://client.example.org/cb"],
          grant_types: ["authorization_code", "implicit"],
          response_types: ["code id_token"],
          scope: "openid",
          require_pkce: false,
          jwks: { keys: [key as JsonObject] },
          ...changes,
        },
      ],
    })
  const ask = async (op: TestProvider, request: string): Promise<URLSearchParams> => {
    const back = await op.authorize(`${op.issuer}/connect/authorize?client_id=s6BhdRkqt3&request=${request}`)
    return new URLSearchParams(back.hash.slice(1) || back.search)
  }

  it("RFC 9101 §4, §5.1: it is the whole request: the person signs in, and the client gets the code and the ID token that it asks for", async () => {
    const op = await asking("https://server.example.com")
    const answer = await ask(op, jws)
    expect([answer.get("error"), answer.get("state"), answer.get("code") === null]).toEqual([null, "af0ifjsldkj", false])
    const claims = JSON.parse(Buffer.from((answer.get("id_token") ?? "").split(".")[1] ?? "", "base64url").toString()) as JsonObject
    expect(claims).toMatchObject({ iss: op.issuer, aud: "s6BhdRkqt3", nonce: "n-0S6_WzA2Mj", iat: 1_600_000_000 })
    expect(typeof claims["auth_time"], "max_age asks for it").toBe("number")
  })

  it("RFC 9101 §6.2, RFC 7519 §4.1.3: it is none of another provider, of another key, or once a bit of it is another", async () => {
    const refusedBy = async (op: TestProvider, request: string): Promise<string | undefined> => {
      await ask(op, request).catch(() => undefined)
      return op
        .requests("authorize")
        .at(-1)
        ?.trail?.steps.findLast(({ refused }) => refused !== undefined)?.refused?.rule
    }
    const op = await asking("https://server.example.com")
    expect(await refusedBy(op, altered(jws, 2))).toBe("request-object.signature")
    expect(await refusedBy(await asking("https://other.example.com"), jws)).toBe("request-object.audience")
    const stranger = vector("RFC 7520 §6").key
    const other = await asking("https://server.example.com", { jwks: { keys: [{ ...stranger, kid: "k2bdc" } as JsonObject] } })
    expect(await refusedBy(other, jws)).toBe("request-object.signature")
  })
})
