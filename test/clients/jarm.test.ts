import { compactDecrypt } from "jose"
import * as oauth from "oauth4webapi"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config, sealedKey } from "./config.ts"

const redirectUri = "https://app.example/cb"
const secret = "a secret with : % + and ü"
const own = { client_secret: secret, redirect_uris: [redirectUri], scope: "openid", require_consent: false }
const signing = { authorization_signed_response_alg: "ES256" }
const sealing = { ...signing, authorization_encrypted_response_alg: "ECDH-ES", jwks: { keys: [sealedKey.publicJwk] } }

const insecure = { [oauth.allowInsecureRequests]: true }
const opening = {
  ...insecure,
  [oauth.jweDecrypt]: async (jwe: string) => new TextDecoder().decode((await compactDecrypt(jwe, sealedKey.privateKey)).plaintext),
}

let server: RunningServer
let as: oauth.AuthorizationServer
/** A browser in which Alice has signed in, so that requests are answered at once. */
const surfer = new Surfer()

beforeAll(async () => {
  server = await serve({
    ...config,
    clients: [
      { ...own, ...signing, client_id: "signed" },
      { ...own, ...sealing, client_id: "sealed" },
    ],
  })
  const issuer = new URL(server.url)
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  await surfer.authorize((await asked("signed", "query.jwt")).url, ...alice)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

/** Makes an authorization request. */
const asked = async (client_id: string, response_mode: string, more: Readonly<Record<string, string>> = {}) => {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(as.authorization_endpoint ?? "")
  url.search = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    response_mode,
    scope: "openid",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    ...more,
  }).toString()
  return { verifier, state, url: url.href }
}

/** Places in which a client receives its response: query and fragment of the redirect, fields of a form that a page posts. */
type Place = "query" | "fragment" | "form"

/** Reads what the client receives in each place. */
const receivedIn = async (response: Response): Promise<Readonly<Record<Place, ReadonlyArray<readonly [string, string]>>>> => {
  const location = response.headers.get("location")
  const page = location === null ? await response.text() : ""
  const [, action] = /<form method="post" action="([^"]*)"/.exec(page) ?? []
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  )
  const url = new URL(location ?? action ?? "")
  expect(url.origin + url.pathname).toBe(redirectUri)
  return { query: [...url.searchParams], fragment: [...new URLSearchParams(url.hash.slice(1))], form: fields }
}

const modes: ReadonlyArray<readonly [mode: string, place: Place]> = [
  ["query.jwt", "query"],
  ["fragment.jwt", "fragment"],
  ["form_post.jwt", "form"],
  ["jwt", "query"],
]

describe.each([
  ["signed", 3, insecure],
  ["sealed", 5, opening],
] as const)("JARM over sockets: responses to the client %s", (client_id, parts, options) => {
  const client: oauth.Client = { client_id, ...signing }

  const ask = (mode: string, more?: Readonly<Record<string, string>>) => asked(client_id, mode, more)

  /** The response as it is received: one parameter, in one place, a JWT of so many parts. */
  const jwtAt = async (place: Place, response: Response): Promise<URLSearchParams> => {
    const { [place]: received, ...elsewhere } = await receivedIn(response)
    expect(Object.values(elsewhere).flat()).toEqual([])
    expect(received.map(([name, value]) => [name, value.split(".").length])).toEqual([["response", parts]])
    return new URLSearchParams(received.map(([name, value]) => [name, value]))
  }

  test.each(modes)("JARM §2.3, §2.4: %s brings a code, in the %s alone, that is redeemed", async (mode, place) => {
    const { verifier, state, url } = await ask(mode)
    const received = await jwtAt(place, await surfer.go(url))
    const back = await oauth.validateJwtAuthResponse(as, client, received, state, options)
    const auth = oauth.ClientSecretBasic(secret)
    const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, back, redirectUri, verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { requireIdToken: true })
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ iss: as.issuer, aud: client_id })
  })

  test.each(modes)("JARM §2.1, §2.3: %s brings an error, in the %s alone", async (mode, place) => {
    const { state, url } = await ask(mode, { prompt: "none" })
    const received = await jwtAt(place, await fetch(url, { redirect: "manual" }))
    await expect(oauth.validateJwtAuthResponse(as, client, received, state, options)).rejects.toMatchObject({ error: "login_required" })
  })
})
