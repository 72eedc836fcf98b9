import type { ClientMetadata } from "@postern/core"
import { describe, expect, test } from "vitest"
import { codeFor, post, verifier } from "../support/flows.ts"
import { assertionOf, carrying, signingClients } from "../support/assertions.ts"
import { digest, proof } from "../support/proofs.ts"
import { said } from "../support/visitor.ts"
import { type World, clients, issuer, world } from "../support/world.ts"

const alias = "https://mtls.op.example"
const machine = { grant_type: "client_credentials", scope: "api.read" }

const aliased = (): Promise<World> => world({ clients: [...clients, ...signingClients], more: { settings: { mutual_tls_url: alias } } })

/** Hosts that a proof must not be made out to, though a request may come by them. */
const strangers = ["https://evil.example", "http://mtls.op.example", "https://mtls.op.example:8443", "https://x.mtls.op.example"]

const notTheUrl = [400, "invalid_dpop_proof", "The htu of the DPoP proof is not the URL of the request."]

/** Every endpoint that judges a proof at each request, and a request for it. */
const requests: Readonly<
  Record<string, { readonly path: string; readonly as: string; readonly fields: Readonly<Record<string, string>> }>
> = {
  token_endpoint: { path: "/connect/token", as: "web", fields: machine },
  pushed_authorization_request_endpoint: {
    path: "/connect/par",
    as: "web",
    fields: {
      response_type: "code",
      redirect_uri: "https://app.example/cb",
      scope: "openid",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    },
  },
}

describe.each(Object.entries(requests))("RFC 8705 §5, RFC 9449 §4.3 (9): %s", (member, { path, as, fields }) => {
  const send = async (w: World, htu: string, host: string) => {
    const { status, json } = await post(w, path, as, fields, { dpop: proof(w.now(), "POST", path, { claims: { htu } }), host })
    return [status, json?.["error"], json?.["error_description"]]
  }

  test("takes a proof for its own URL and for its alias, and for no other, whatever Host says", async () => {
    const w = await aliased()
    const { json } = await w.visitor().get("/.well-known/openid-configuration")
    expect(json?.["mtls_endpoint_aliases"]).toMatchObject({ [member]: alias + path })
    for (const base of [issuer, alias])
      for (const host of ["op.example", "mtls.op.example", "evil.example"])
        expect([base, host, await send(w, base + path, host)]).toEqual([
          base,
          host,
          [path === "/connect/par" ? 201 : 200, undefined, undefined],
        ])
    for (const base of strangers) expect([base, await send(w, base + path, new URL(base).host)]).toEqual([base, notTheUrl])
    expect(await send(w, `${alias}/connect/userinfo`, "mtls.op.example")).toEqual(notTheUrl)
  })

  test("takes none for a host that asks nobody for certificates", async () => {
    expect(await send(await world(), alias + path, "mtls.op.example")).toEqual(notTheUrl)
  })
})

test("RFC 8705 §5, RFC 9449 §7: userinfo and revocation take a proof for their aliases, and for no other host", async () => {
  const w = await aliased()
  const code = await codeFor(w, "spa", { scope: "openid offline_access" })
  const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
  const at = `${alias}/connect/token`
  const { json } = await post(w, "/connect/token", "spa", fields, { dpop: proof(w.now(), "POST", "", { claims: { htu: at } }) })
  const value = String(json?.["access_token"])
  const userinfo = async (htu: string) => {
    const dpop = proof(w.now(), "GET", "", { claims: { htu, ath: digest(value) } })
    return said(await w.send({ path: "/connect/userinfo", headers: { authorization: `DPoP ${value}`, dpop, host: "mtls.op.example" } }))
      .status
  }
  const urls = [issuer, alias, ...strangers].map((base) => `${base}/connect/userinfo`)
  expect(await Promise.all(urls.map(userinfo))).toEqual([200, 200, 401, 401, 401, 401])
  const revoke = async (htu: string) => {
    const token = String(json?.["refresh_token"])
    return (await post(w, "/connect/revocation", "spa", { token }, { dpop: proof(w.now(), "POST", "", { claims: { htu } }) })).status
  }
  expect([await revoke("https://evil.example/connect/revocation"), await revoke(`${alias}/connect/revocation`)]).toEqual([400, 200])
})

test("RFC 8705 §5: the path of an issuer is that of its aliases", async () => {
  const w = await world({ issuer: `${issuer}/realm`, more: { settings: { mutual_tls_url: `${alias}/realm` } } })
  const path = "/realm/connect/token"
  const send = async (htu: string) =>
    (await post(w, path, "web", machine, { dpop: proof(w.now(), "POST", "", { claims: { htu } }) })).status
  expect([await send(issuer + path), await send(alias + path), await send(`${alias}/connect/token`)]).toEqual([200, 200, 400])
})

test("RFC 7523 §3 (3), RFC 8705 §5: an assertion may be made out to the alias of an endpoint, where it is taken for its URL", async () => {
  const send = async (w: World, aud: string) => {
    const assertion = await assertionOf(w, "signs", { claims: { aud } })
    return (await post(w, "/connect/token", undefined, { ...machine, ...carrying(assertion) })).status
  }
  const w = await aliased()
  expect([await send(w, `${alias}/connect/token`), await send(w, "https://evil.example/connect/token")]).toEqual([200, 401])
  const alone = await world({ clients: [...clients, ...signingClients] satisfies ReadonlyArray<ClientMetadata> })
  expect(await send(alone, `${alias}/connect/token`)).toBe(401)
})
