import { createHash, randomBytes } from "node:crypto"
import { Surfer } from "../support/surfer.ts"

type Members = Readonly<Record<string, unknown>>

/** A request of a credulous client: its registration decides what it may. */
export interface Asking {
  readonly client: string
  readonly secret: string
  readonly redirectUri: string
  readonly parameters?: Readonly<Record<string, string>>
  /** True where it sends no PKCE challenge. */
  readonly bare?: boolean
}

const membersOf = (text: string): Members => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Members) : {}
  } catch {
    return {}
  }
}

/** The payload of a token, by a parser that takes anything. */
const payloadOf = (jwt: unknown, part: 0 | 1): Members => membersOf(Buffer.from(String(jwt).split(".")[part] ?? "", "base64url").toString())

/** Asks, and asks once more where no answer or a bad one came: it never knows when to stop. */
const insisting = async (url: string, init: RequestInit): Promise<string> => {
  let text = ""
  for (let turn = 0; turn < 3; turn++) {
    const answer = await fetch(url, init).catch(() => undefined)
    text = (await answer?.text()) ?? ""
    if (answer?.ok === true) return text
  }
  return text
}

/** Fetches an address and follows whatever redirect, forty of them. */
const fetched = async (url: string): Promise<Members> => {
  let at = url
  for (let turn = 0; turn < 40; turn++) {
    const answer = await fetch(at, { redirect: "manual" })
    const next = answer.headers.get("location")
    if (next === null) return membersOf(await answer.text())
    at = new URL(next, at).href
  }
  return {}
}

/** Takes a response out of its JWT, where it is in one (JARM §2.3.1). */
const unwrapped = (back: URLSearchParams): URLSearchParams => {
  const response = back.get("response")
  if (response === null) return back
  return new URLSearchParams(Object.entries(payloadOf(response, 1)).map(([name, value]) => [name, String(value)]))
}

/** Opens an authorization request as alice, and reads the response wherever it stands. */
const responded = async (url: string): Promise<URLSearchParams> => {
  const surfer = new Surfer()
  const { origin } = new URL(url)
  let at = await surfer.follow(url)
  for (let page = 0; page < 5; page++) {
    const gone = new URL(at.url)
    if (gone.origin !== origin) return unwrapped(new URLSearchParams(`${gone.search.slice(1)}&${gone.hash.slice(1)}`))
    const html = await at.response.text()
    if (html.includes('id="form-post"')) {
      const fields = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
      return new URLSearchParams([...fields].map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]))
    }
    const fields: Record<string, string> = html.includes('name="password"')
      ? { username: "alice", password: "alice" }
      : { decision: "allow" }
    at = await surfer.submit(html, at.url, fields)
  }
  throw new Error("the sign-in does not end")
}

const endpoint = (metadata: Members, name: string, fallback: string): string =>
  typeof metadata[name] === "string" ? metadata[name] : fallback

/** A client that believes everything: it reads metadata, keys and tokens, checks none of it, follows every address, and never stops asking. */
export const credulous = async (issuer: string, { client, secret, redirectUri, parameters = {}, bare = false }: Asking): Promise<void> => {
  const metadata = await fetched(`${issuer}/.well-known/openid-configuration`)
  for (let turn = 0; turn < 7; turn++) await fetched(`${issuer}/.well-known/openid-configuration`)
  const verifier = randomBytes(32).toString("base64url")
  const challenge = { code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" }
  const asked = new URLSearchParams({
    client_id: client,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid email offline_access",
    state: randomBytes(8).toString("hex"),
    nonce: randomBytes(8).toString("hex"),
    ...(bare ? {} : challenge),
    ...parameters,
  })
  const back = await responded(`${endpoint(metadata, "authorization_endpoint", `${issuer}/connect/authorize`)}?${asked.toString()}`)
  // A page of the client that shows a description as it came loads its pictures.
  const picture = /<img src='([^']+)'/.exec(back.get("error_description") ?? "")?.[1]
  if (picture !== undefined) await fetched(picture)
  const authorization = `Basic ${Buffer.from(`${client}:${encodeURIComponent(secret)}`).toString("base64")}`
  const token = async (fields: Readonly<Record<string, string>>): Promise<Members> =>
    membersOf(
      await insisting(endpoint(metadata, "token_endpoint", `${issuer}/connect/token`), {
        method: "POST",
        headers: { authorization },
        body: new URLSearchParams(fields),
      }),
    )
  const proof: Readonly<Record<string, string>> = bare ? {} : { code_verifier: verifier }
  const tokens = await token({ grant_type: "authorization_code", code: back.get("code") ?? "", redirect_uri: redirectUri, ...proof })
  for (const jwt of [tokens["id_token"], back.get("id_token")]) {
    for (let turn = 0; turn < 4; turn++) await fetched(`${issuer}/.well-known/openid-configuration/jwks`)
    for (const name of ["jku", "x5u"]) {
      const address = payloadOf(jwt ?? "", 0)[name]
      if (typeof address === "string") await fetched(address)
    }
  }
  const userinfo = async (accessToken: unknown): Promise<void> => {
    const text = await insisting(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${String(accessToken)}` } })
    const sources = membersOf(text)["_claim_sources"] as Readonly<Record<string, Members>> | undefined
    for (const source of Object.values(sources ?? {})) await fetched(String(source["endpoint"]))
  }
  await userinfo(tokens["access_token"] ?? back.get("access_token"))
  let refresh = tokens["refresh_token"]
  for (let turn = 0; turn < 2 && typeof refresh === "string"; turn++) {
    const renewed = await token({ grant_type: "refresh_token", refresh_token: refresh })
    if (renewed["access_token"] !== undefined) await userinfo(renewed["access_token"])
    refresh = renewed["refresh_token"] ?? refresh
  }
}

/** Polls at once for a device code, three times, whatever the answer. */
export const credulousDevice = async (issuer: string, { client, secret }: Asking): Promise<void> => {
  const authorization = `Basic ${Buffer.from(`${client}:${encodeURIComponent(secret)}`).toString("base64")}`
  const send = async (path: string, fields: Readonly<Record<string, string>>): Promise<Members> =>
    membersOf(
      await (await fetch(`${issuer}${path}`, { method: "POST", headers: { authorization }, body: new URLSearchParams(fields) })).text(),
    )
  const begun = await send("/connect/deviceauthorization", { scope: "openid" })
  for (let turn = 0; turn < 3; turn++)
    await send("/connect/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(begun["device_code"]),
    })
}

/** Asks a person by CIBA, and for the result at once, three times or so often, whatever the answer. */
export const credulousAsking = async (issuer: string, { client, secret }: Asking, person: string, times = 3): Promise<void> => {
  const authorization = `Basic ${Buffer.from(`${client}:${encodeURIComponent(secret)}`).toString("base64")}`
  const send = async (path: string, fields: Readonly<Record<string, string>>): Promise<Members> =>
    membersOf(
      await (await fetch(`${issuer}${path}`, { method: "POST", headers: { authorization }, body: new URLSearchParams(fields) })).text(),
    )
  const asked = await send("/connect/ciba", { scope: "openid", login_hint: person })
  for (let turn = 0; turn < times; turn++)
    await send("/connect/token", { grant_type: "urn:openid:params:grant-type:ciba", auth_req_id: String(asked["auth_req_id"]) })
}

/** Starts from a protected resource, as a client of the Model Context Protocol does, with what it has of before. */
export const credulousAtResource = async (issuer: string, asking: Asking): Promise<void> => {
  const challenge = (await fetch(`${issuer}/resource`)).headers.get("www-authenticate") ?? ""
  const metadata = await fetched(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "")
  const [server] = metadata["authorization_servers"] as ReadonlyArray<string>
  if (server === issuer) return credulous(issuer, asking)
  const { pathname, origin } = new URL(server ?? "")
  const found = await fetched(`${origin}/.well-known/oauth-authorization-server${pathname}`)
  const url = endpoint(found, "authorization_endpoint", `${server}/authorize`)
  await fetch(`${url}?client_id=${asking.client}&response_type=code`)
}
