import { type Misbehaving, startMisbehaving } from "@postern/conformance/misbehave"
import * as openid from "openid-client"
import { expect, it, onTestFinished } from "vitest"
import { digest, proof } from "../support/proofs.ts"
import { Surfer } from "../support/surfer.ts"

const redirect_uri = "https://app.example/cb"
const secret = "the secret of a client that is tried"

const basic = (id: string, password: string): string => `Basic ${Buffer.from(`${id}:${encodeURIComponent(password)}`).toString("base64")}`

/** A provider with one fault, for a client with keys. */
const opened = async (fault: string): Promise<Misbehaving> => {
  const client = { client_id: "app", client_secret: secret, redirect_uris: [redirect_uri], scope: "openid email" }
  const op = await startMisbehaving({ clients: [client], faults: [fault] })
  onTestFinished(() => op.stop())
  return op
}

/** Begins a sign-in, and has it answered. */
const begun = async (op: Misbehaving, settings: Partial<openid.ClientMetadata> = {}, authentication = openid.ClientSecretBasic(secret)) => {
  const configuration = await openid.discovery(new URL(op.issuer), "app", settings, authentication, {
    execute: [openid.allowInsecureRequests],
  })
  const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()]
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: "openid email",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const callback = await new Surfer().authorize(url.href, "alice", "alice")
  return { configuration, callback, checks: { pkceCodeVerifier, expectedState } }
}

const verdictOn = (op: Misbehaving, id: string) =>
  op.scores().find(({ misbehavior, client }) => misbehavior.id === id && client === "app")?.verdict

/** A client of its own making, with a token that is bound to its key. */
const byHand = async (op: Misbehaving) => {
  const { callback, checks } = await begun(op)
  const now = Math.floor(Date.now() / 1000)
  const [token, userinfo] = [`${op.issuer}/connect/token`, `${op.issuer}/connect/userinfo`]
  const answer = await fetch(token, {
    method: "POST",
    headers: { authorization: basic("app", secret), dpop: proof(now, "POST", "", { claims: { htu: token } }) },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: callback.searchParams.get("code") ?? "",
      redirect_uri,
      code_verifier: checks.pkceCodeVerifier,
    }),
  })
  const { access_token } = (await answer.clone().json()) as { readonly access_token: string }
  const ask = (nonce: string | undefined) => {
    const claims = { htu: userinfo, ath: digest(access_token), nonce }
    return fetch(userinfo, { headers: { authorization: `DPoP ${access_token}`, dpop: proof(now, "GET", "", { claims }) } })
  }
  return { answer, ask }
}

it("RFC 9449 §9: openid-client asks once more with the nonce, and then no more", async () => {
  const op = await opened("userinfo.nonce-endless")
  const { configuration, callback, checks } = await begun(op)
  const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair())
  const tokens = await openid.authorizationCodeGrant(configuration, callback, checks, undefined, { DPoP })
  expect(tokens.token_type).toBe("dpop")
  await expect(openid.fetchUserInfo(configuration, tokens.access_token, tokens.claims()?.sub ?? "", { DPoP })).rejects.toThrow()
  expect(verdictOn(op, "userinfo.nonce-endless")).toBe("noticed")
})

it("RFC 9449 §9: one that asks on and on is found out, and gets another nonce each time", async () => {
  const op = await opened("userinfo.nonce-endless")
  const { ask } = await byHand(op)
  const nonces = new Set<string | null>()
  for (let round = 0; round < 5; round++) {
    const asked = await ask([...nonces].at(-1) ?? undefined)
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining("use_dpop_nonce")])
    nonces.add(asked.headers.get("dpop-nonce"))
  }
  expect([nonces.size, verdictOn(op, "userinfo.nonce-endless")]).toEqual([5, "accepted"])
})

it("RFC 9449 §8.2, §9: openid-client takes each new nonce, from a refusal and from a success", async () => {
  const op = await opened("userinfo.nonce-renewed")
  const { configuration, callback, checks } = await begun(op)
  const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair())
  const tokens = await openid.authorizationCodeGrant(configuration, callback, checks, undefined, { DPoP })
  const ask = () => openid.fetchUserInfo(configuration, tokens.access_token, tokens.claims()?.sub ?? "", { DPoP })
  expect([(await ask()).sub, (await ask()).sub]).toEqual(["alice-1", "alice-1"])
  expect(verdictOn(op, "userinfo.nonce-renewed")).toBe("accepted")
})

it("RFC 9449 §9: a client that keeps to its first nonce, or sends none, is never answered", async () => {
  const op = await opened("userinfo.nonce-renewed")
  const { answer, ask } = await byHand(op)
  expect((await answer.clone().json()) as object).toMatchObject({ token_type: "DPoP" })
  for (const nonce of [undefined, undefined, "nonce-1", "nonce-1"]) expect((await ask(nonce)).status).toBe(401)
  expect(verdictOn(op, "userinfo.nonce-renewed")).not.toBe("accepted")
  expect((await ask("nonce-4")).status).toBe(200)
  expect(verdictOn(op, "userinfo.nonce-renewed")).toBe("accepted")
})

it("RFC 8705 §5: openid-client with a certificate asks at the alias, and without one as before", async () => {
  const op = await opened("metadata.mtls-aliases")
  const certified = await begun(op, { use_mtls_endpoint_aliases: true }, openid.TlsClientAuth())
  await expect(openid.authorizationCodeGrant(certified.configuration, certified.callback, certified.checks)).rejects.toThrow()
  expect(verdictOn(op, "metadata.mtls-aliases")).toBe("noticed")
  const other = await opened("metadata.mtls-aliases")
  const plain = await begun(other)
  await openid.authorizationCodeGrant(plain.configuration, plain.callback, plain.checks)
  expect(verdictOn(other, "metadata.mtls-aliases")).toBe("accepted")
})
