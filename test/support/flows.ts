import { createHash } from "node:crypto"
import type { Said, Visitor } from "./visitor.ts"
import { said } from "./visitor.ts"
import { type World, password } from "./world.ts"

export const verifier = "v".repeat(43)
export const challenge = createHash("sha256").update(verifier).digest("base64url")

/** A plain authorization request of a client, with changes; undefined removes a parameter. */
export const request = (clientId = "web", changes: Readonly<Record<string, string | undefined>> = {}): Record<string, string> => {
  const base: Record<string, string | undefined> = {
    client_id: clientId,
    redirect_uri: clientId === "native" ? "http://127.0.0.1/cb" : "https://app.example/cb",
    response_type: "code",
    scope: "openid",
    state: "st",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  }
  return Object.fromEntries(Object.entries(base).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Signs a visitor in at the provider itself. */
export const signIn = async (visitor: Visitor, username = "alice"): Promise<Said> => {
  const { page } = await visitor.get("/login")
  return visitor.submit(page, [
    ["username", username],
    ["password", password],
  ])
}

/** A visitor who is signed in. */
export const signedIn = async (w: World, username = "alice"): Promise<Visitor> => {
  const visitor = w.visitor()
  await signIn(visitor, username)
  return visitor
}

/** Follows redirects on the provider itself until a page or the client is reached. */
export const follow = async (visitor: Visitor, first: Said): Promise<Said> => {
  let answer = first
  for (let step = 0; step < 10 && answer.to?.startsWith("/") === true; step++) answer = await visitor.get(answer.header("location") ?? "")
  return answer
}

/** The handle of the request that waits behind a page. */
export const interactionOf = ({ page }: Said): string => {
  const { hidden } = (page?.["form"] ?? { hidden: [] }) as { readonly hidden: ReadonlyArray<readonly [string, string]> }
  return hidden.find(([name]) => name === "interaction")?.[1] ?? ""
}

/** Asks for authorization and follows where it leads. */
export const authorize = async (
  visitor: Visitor,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Said> => follow(visitor, await visitor.get("/connect/authorize", request(clientId, changes)))

/** Signs a person in again in a browser where somebody is signed in, by way of a client; answers with the tokens of the new session. */
export const signInAgain = async (w: World, visitor: Visitor, clientId = "web", username = "alice"): Promise<Record<string, string>> => {
  const { page } = await authorize(visitor, clientId, { prompt: "login" })
  const back = await follow(
    visitor,
    await visitor.submit(page, [
      ["username", username],
      ["password", password],
    ]),
  )
  return (await redeem(w, back.params["code"] ?? "", clientId)).json as Record<string, string>
}

/** A fresh code for a person who is signed in already. */
export const codeFor = async (
  w: World,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
  username = "alice",
): Promise<string> => {
  const answer = await authorize(await signedIn(w, username), clientId, changes)
  const code = answer.params["code"]
  if (code === undefined) throw new Error(`no code: ${answer.status} ${answer.body} ${JSON.stringify(answer.params)}`)
  return code
}

export const basic = (id: string, secret = `secret of ${id}`): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`

const isPublic = (clientId: string): boolean => ["spa", "native", "tv"].includes(clientId)

/** Posts a form to an endpoint as a client. */
export const post = async (
  w: World,
  path: string,
  clientId: string | undefined,
  fields: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>,
  headers: Record<string, string> = {},
): Promise<Said> => {
  const pairs: Array<[string, string]> = Array.isArray(fields) ? [...fields] : Object.entries(fields)
  if (clientId !== undefined && isPublic(clientId)) pairs.push(["client_id", clientId])
  return said(
    await w.send({
      method: "POST",
      path,
      body: new URLSearchParams(pairs).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(clientId === undefined || isPublic(clientId) ? {} : { authorization: basic(clientId) }),
        ...headers,
      },
    }),
  )
}

export const token = (
  w: World,
  clientId: string | undefined,
  fields: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>,
  headers: Record<string, string> = {},
): Promise<Said> => post(w, "/connect/token", clientId, fields, headers)

/** Redeems a code, with changes; undefined removes a parameter. */
export const redeem = (
  w: World,
  code: string,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Said> => {
  const fields = {
    grant_type: "authorization_code",
    code,
    redirect_uri: clientId === "native" ? "http://127.0.0.1/cb" : "https://app.example/cb",
    code_verifier: verifier,
    ...changes,
  }
  return token(
    w,
    clientId,
    Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  )
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

/** Tokens by the whole code flow. */
export const tokensFor = async (w: World, clientId = "web", scope = "openid offline_access", username = "alice"): Promise<Tokens> => {
  const answer = await redeem(w, await codeFor(w, clientId, { scope }, username), clientId)
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.body}`)
  return answer.json as unknown as Tokens
}

export const refresh = (w: World, refreshToken: string, clientId = "web", more: Readonly<Record<string, string>> = {}): Promise<Said> =>
  token(w, clientId, { grant_type: "refresh_token", refresh_token: refreshToken, ...more })

export const userinfo = async (w: World, accessToken: string | undefined, method: "GET" | "POST" = "GET"): Promise<Said> =>
  said(
    await w.send({
      method,
      path: "/connect/userinfo",
      headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
    }),
  )

/** The claims of a JWT, unverified. */
export const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>

export const headerOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as Record<string, unknown>
