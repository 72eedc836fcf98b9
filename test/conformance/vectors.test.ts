import { type StartOptions, type TestProvider, startPostern } from "@postern/conformance/provider"
import { joseJwts } from "@postern/core/jose"
import { describe, expect, it, onTestFinished } from "vitest"

const start = async (options: StartOptions): Promise<TestProvider> => {
  const op = await startPostern(options)
  onTestFinished(op.stop)
  return op
}

/** RFC 7515 A.3.1: the key, without its private half, and the JWS of the claims that end at 1300819380. */
const a3 = {
  key: {
    kty: "EC",
    crv: "P-256",
    alg: "ES256",
    use: "sig",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  },
  jws: [
    "eyJhbGciOiJFUzI1NiJ9",
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
  ].join("."),
}

/** RFC 7515 A.2.1: the key, without its private half, and the JWS of the same claims. */
const a2 = {
  key: {
    kty: "RSA",
    alg: "RS256",
    use: "sig",
    n: [
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7",
      "OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM",
      "Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    ].join(""),
    e: "AQAB",
  },
  jws: [
    "eyJhbGciOiJSUzI1NiJ9",
    a3.jws.split(".")[1],
    [
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO7",
      "5vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy",
      "wlVmtVrBp0igcN_IoypGlUPQGe77Rw",
    ].join(""),
  ].join("."),
}

describe("the vectors of the specifications, by a clock that stands still", () => {
  it("RFC 7515 A.3: the JWS verifies by its key, and not once a bit of it is another", async () => {
    const keys = { keys: [a3.key] }
    expect(await joseJwts.verify(a3.jws, keys, ["ES256"])).toMatchObject({
      _tag: "Verified",
      header: { alg: "ES256" },
      claims: { iss: "joe", exp: 1_300_819_380, "http://example.com/is_root": true },
    })
    expect(await joseJwts.verify(a3.jws.replace("DtEh", "DtEi"), keys, ["ES256"])).toMatchObject({ _tag: "Invalid" })
    expect(await joseJwts.verify(a3.jws, keys, ["RS256"])).not.toMatchObject({ _tag: "Verified" })
  })

  it("RFC 7515 A.2: the JWS verifies by its key, and is no JWS of another algorithm", async () => {
    const keys = { keys: [a2.key] }
    expect(await joseJwts.verify(a2.jws, keys, ["RS256"])).toMatchObject({ _tag: "Verified", claims: { iss: "joe", exp: 1_300_819_380 } })
    expect(await joseJwts.verify(a2.jws.replace("cC4h", "cC4i"), keys, ["RS256"])).toMatchObject({ _tag: "Invalid" })
    expect(await joseJwts.verify(a2.jws, keys, ["PS256"])).not.toMatchObject({ _tag: "Verified" })
  })

  it("RFC 7519 §6.1: the unsecured JWT of the example is verified by nothing", async () => {
    const unsecured = `eyJhbGciOiJub25lIn0.${a3.jws.split(".")[1]}.`
    for (const algorithms of [["ES256"], ["RS256"], ["none"]] as ReadonlyArray<ReadonlyArray<string>>)
      expect(await joseJwts.verify(unsecured, { keys: [a3.key, a2.key] }, algorithms as never)).not.toMatchObject({ _tag: "Verified" })
  })

  it("RFC 7636 Appendix B: the verifier proves the challenge", async () => {
    const op = await start({ at: 1_441_065_600 })
    const asked = new URLSearchParams({ client_id: "app", response_type: "code", scope: "openid", code_challenge_method: "S256" })
    asked.set("redirect_uri", "http://localhost:3000/callback")
    asked.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    const redeem = async (verifier: string): Promise<number> => {
      const code = (await op.authorize(`${op.issuer}/connect/authorize?${asked}`)).searchParams.get("code") ?? ""
      const fields = { grant_type: "authorization_code", code, redirect_uri: "http://localhost:3000/callback", code_verifier: verifier }
      const headers = { authorization: `Basic ${btoa(`app:${op.clients[0]?.client_secret ?? ""}`)}` }
      return (await fetch(`${op.issuer}/connect/token`, { method: "POST", headers, body: new URLSearchParams(fields) })).status
    }
    expect(await redeem("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(200)
    expect(await redeem("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl")).toBe(400)
  })

  it("RFC 6749 §2.3.1: the client of the examples authenticates by their header", async () => {
    const op = await start({
      clients: [
        {
          client_id: "s6BhdRkqt3",
          client_secret: "gX1fBat3bV",
          grant_types: ["client_credentials"],
          response_types: [],
          redirect_uris: [],
          scope: "read",
        },
      ],
      provider: {
        resources: [
          {
            identifier: "https://api.example",
            title: undefined,
            scopes: [{ name: "read", required: false, title: undefined, description: undefined }],
          },
        ],
      },
    })
    const ask = async (authorization: string): Promise<number> => {
      const body = new URLSearchParams({ grant_type: "client_credentials", scope: "read" })
      return (await fetch(`${op.issuer}/connect/token`, { method: "POST", headers: { authorization }, body })).status
    }
    expect([await ask("Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"), await ask("Basic czZCaGRSa3F0MzpnWDFmQmF0M2JX")]).toEqual([200, 401])
  })
})
