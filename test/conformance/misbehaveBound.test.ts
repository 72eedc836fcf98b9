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
  const { access_token } = (await answer.json()) as { readonly access_token: string }
  const nonces = new Set<string | null>()
  for (let round = 0; round < 5; round++) {
    const claims = { htu: userinfo, ath: digest(access_token), nonce: [...nonces].at(-1) ?? undefined }
    const asked = await fetch(userinfo, { headers: { authorization: `DPoP ${access_token}`, dpop: proof(now, "GET", "", { claims }) } })
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining("use_dpop_nonce")])
    nonces.add(asked.headers.get("dpop-nonce"))
  }
  expect([nonces.size, verdictOn(op, "userinfo.nonce-endless")]).toEqual([5, "accepted"])
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
