import { type JSONWebKeySet, createLocalJWKSet, decodeJwt, jwtVerify } from "jose"
import type { SigningKey } from "@postern/core/jose"
import { type ShownPage, browser, callback, issuer, makeKeys, open, person, program } from "./setting.ts"

/**
 * One flow from end to end over the web-standard handler, with what every runtime has and no more. Each step is told in words that do not
 * depend on chance or on the algorithm, so that all runtimes must tell the same.
 */

/** A step, and what it came to. */
export interface Step {
  readonly step: string
  readonly came: ReadonlyArray<unknown>
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const names = (answer: object): string => Object.keys(answer).join(" ")

/** The whole flow of one client. */
const flowOf = async (alg: string, keys: ReadonlyArray<SigningKey>): Promise<ReadonlyArray<Step>> => {
  const { provider, pass, date } = open(keys, "standing")
  const { post, userinfo, refresh } = program(provider, alg)
  const { go, submit } = browser(provider)
  const steps: Array<Step> = []
  const tell = (step: string, ...came: ReadonlyArray<unknown>): void => void steps.push({ step, came })

  const discovered: Record<string, unknown> = await (await go("/.well-known/openid-configuration")).json()
  tell("discovery", discovered["issuer"], discovered["token_endpoint"], discovered["id_token_signing_alg_values_supported"])
  const jwks: JSONWebKeySet = await (await go(String(discovered["jwks_uri"]))).json()
  tell("keys", jwks.keys.map(names))

  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))))
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" }
  const asked = {
    client_id: alg,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid profile offline_access",
    state: "st ü",
    nonce: "n",
    ...pkce,
  }
  const authorize = (): Promise<Response> => go(`/connect/authorize?${new URLSearchParams(asked)}`)
  const redemption = (answer: Response) => {
    const params = new URL(answer.headers.get("location") ?? "").searchParams
    return { grant_type: "authorization_code", code: params.get("code") ?? "", redirect_uri: callback, code_verifier: verifier }
  }

  const login: ShownPage = await (await authorize()).json()
  tell("sign-in page", login._tag, login.form.action)
  const wrong = await submit(login, [
    ["username", person.username],
    ["password", "wrong"],
  ])
  tell("wrong password", wrong.status, ((await wrong.json()) as ShownPage).problem)
  const consent: ShownPage = await (
    await submit(login, [
      ["username", person.username],
      ["password", person.password],
    ])
  ).json()
  tell("consent page", consent._tag, consent.form.action)
  const back = await submit(consent, [
    ["decision", "allow"],
    ["scope", "profile"],
    ["scope", "offline_access"],
  ])
  const { origin, pathname, searchParams } = new URL(back.headers.get("location") ?? "")
  tell("sent back", back.status, origin + pathname, searchParams.get("state"), searchParams.get("iss"))

  const first = redemption(back)
  tell("wrong secret", await post("/connect/token", first, "wrong"))
  tell("wrong verifier", await post("/connect/token", { ...first, code_verifier: challenge }))
  const { status, json: tokens } = await post("/connect/token", first)
  tell("tokens", status, names(tokens), tokens["token_type"], tokens["expires_in"], tokens["scope"])
  const key = createLocalJWKSet(jwks)
  const id = await jwtVerify(tokens["id_token"] ?? "", key, { issuer, audience: alg, typ: "JWT", currentDate: date() })
  tell("ID token", id.protectedHeader.alg === alg, names(id.payload), id.payload.sub, id.payload["nonce"], id.payload.iat)
  const access = await jwtVerify(tokens["access_token"] ?? "", key, { issuer, audience: issuer, typ: "at+jwt", currentDate: date() })
  tell("access token", access.protectedHeader.alg === alg, names(access.payload), access.payload["scope"])
  tell("userinfo", await userinfo(tokens["access_token"]))
  tell("introspection", names((await post("/connect/introspect", { token: tokens["access_token"] ?? "" })).json))
  tell("own token", (await post("/connect/token", { grant_type: "client_credentials" })).json["scope"])

  const { json: second } = await refresh(tokens["refresh_token"])
  tell("refresh", names(second), second["refresh_token"] !== tokens["refresh_token"])
  tell("refresh within the grace", (await refresh(tokens["refresh_token"])).json["refresh_token"] === second["refresh_token"])
  pass(60)
  tell("refresh after the grace", await refresh(tokens["refresh_token"]))
  tell("its family", await refresh(second["refresh_token"]), await userinfo(second["access_token"]))

  const again = redemption(await authorize())
  const { json: third } = await post("/connect/token", again)
  tell("code replayed", await post("/connect/token", again), (await userinfo(third["access_token"])).status)
  const { json: fourth } = await post("/connect/token", redemption(await authorize()))
  tell("revocation", await post("/connect/revocation", { token: fourth["refresh_token"] ?? "" }), await refresh(fourth["refresh_token"]))
  return steps
}

/** Tells if a provider that is given no clock goes by the system's. */
const tellsTheTime = async (keys: ReadonlyArray<SigningKey>): Promise<boolean> => {
  const { json } = await program(open(keys, "system").provider, "ES256").post("/connect/token", { grant_type: "client_credentials" })
  const { iat = 0 } = decodeJwt(json["access_token"] ?? "")
  return Math.abs(Date.now() / 1000 - iat) < 60
}

/** Result of a run. */
export interface Run {
  /** The flow's steps, where every algorithm came to the same. */
  readonly steps: ReadonlyArray<Step>
  /** The algorithms that did. */
  readonly algorithms: ReadonlyArray<string>
  readonly tellsTheTime: boolean
}

/** Runs the flow with each signing algorithm, on keys made here and now. */
export const run = async (): Promise<Run> => {
  const keys = await makeKeys()
  const flows = new Map<string, Array<string>>()
  for (const { alg } of keys) {
    const told = JSON.stringify(await flowOf(alg, keys))
    flows.set(told, [...(flows.get(told) ?? []), alg])
  }
  const [[told, algorithms] = ["[]", []]] = flows
  return { algorithms, steps: JSON.parse(told), tellsTheTime: await tellsTheTime(keys) }
}

/** The name and version that this runtime goes by. */
export const agent = (): string => navigator.userAgent

/** For a runtime that is asked over HTTP. */
export default { fetch: async (): Promise<Response> => Response.json({ agent: agent(), ...(await run()) }) }
