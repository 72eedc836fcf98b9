import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { decodeProtectedHeader } from "jose"
import * as client from "openid-client"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Surfer } from "../support/surfer.ts"
import { freePort } from "../support/server.ts"
import { posternLine } from "./lines.ts"
import { folder, patience } from "./run.ts"
import { listening, serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

const redirectUri = "http://127.0.0.1:3000/callback"

/** Serves what `init --yes` wrote, at a free port, after its client was changed. */
const served = async (changed: (client: string) => string) => {
  const own = folder(null)
  onTestFinished(own.remove)
  expect(await posternLine(["init", "--yes"], own)).toMatchObject({ code: 0 })
  const [file, port] = [join(own.cwd, "postern.jsonc"), await freePort()]
  const text = changed(readFileSync(file, "utf8")).replaceAll("8080", String(port))
  writeFileSync(file, text)
  expect(await posternLine(["user", "add", "alice"], { ...own, input: "correct horse battery\n" })).toMatchObject({ code: 0 })
  return { url: listening(await serve(own)), secret: /"client_secret": "([^"]+)"/.exec(text)?.[1] ?? "" }
}

/** Signs alice in with openid-client, which is told nothing of algorithms and verifies signatures by discovery. */
const signedIn = async (url: string, secret: string) => {
  const config = await client.discovery(new URL(url), "web", secret, undefined, { execute: [client.allowInsecureRequests] })
  client.enableNonRepudiationChecks(config)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const target = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid",
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const back = await new Surfer().authorize(target.href, "alice", "correct horse battery")
  const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier })
  return {
    metadata: config.serverMetadata(),
    algs: [tokens.id_token, tokens.access_token].map((jwt) => decodeProtectedHeader(jwt ?? "").alg),
  }
}

describe("tokens of the client that init writes", () => {
  it("are signed with ES256, which openid-client verifies without a setting (OpenID Connect Core §3.1.3.7)", async () => {
    const { url, secret } = await served((text) => text)
    const { algs, metadata } = await signedIn(url, secret)
    expect(algs).toEqual(["ES256", "ES256"])
    // Every provider must have it, whatever its clients choose.
    expect(metadata.id_token_signing_alg_values_supported).toContain("RS256")
  })

  it("are signed with RS256 where the client names no algorithm (OpenID Connect Registration §2)", async () => {
    const { url, secret } = await served((text) => text.replaceAll(/ *"\w+_signed_response_alg": "ES256",?\n/g, ""))
    expect((await signedIn(url, secret)).algs).toEqual(["RS256", "RS256"])
  })
})
