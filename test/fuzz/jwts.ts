import { createHmac } from "node:crypto"
import fc from "fast-check"
import { tokensFor } from "../support/flows.ts"
import { claimsFor, decrypting, objectClients, setOf, signed } from "../support/requestObjects.ts"
import { type World, beginning, clients, issuer, world } from "../support/world.ts"
import { said } from "../support/visitor.ts"
import { corpus } from "./corpus.ts"
import { broken } from "./laws.ts"
import type { Sent } from "./mutations.ts"
import { type Forged, type Use, forged, spoil, uses } from "./forged.ts"

/** A world with real signatures, and sound JWTs of it. */
export interface Mint {
  readonly w: World
  readonly tokens: { readonly access: string; readonly hint: string }
  /** Assertions and objects are used once: each has a number of its own. */
  count: number
}

const prover = {
  client_id: "proves",
  token_endpoint_auth_method: "private_key_jwt",
  jwks: setOf("p256", "rsa"),
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
} as const

/** Makes a world for JWTs. */
export const mint = async (): Promise<Mint> => {
  const w = await world({ clients: [...clients, ...objectClients, prover], signer: decrypting })
  const { access_token, id_token } = await tokensFor(w, "web", "openid")
  return { w, tokens: { access: access_token, hint: id_token }, count: 0 }
}

const parts = (jwt: string): readonly [header: Record<string, unknown>, claims: Record<string, unknown>, signature: string] => {
  const [header = "", payload = "", signature = ""] = jwt.split(".")
  const read = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>
  return [read(header), read(payload), signature]
}
const written = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A sound JWT of a use, with other claims where they are given. */
const sound = async (m: Mint, use: Use, changed: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const jti = `fuzz ${m.count++}`
  if (use === "object") return signed(claimsFor("signs", { jti, ...changed }))
  if (use === "assertion") {
    const own = { iss: "proves", sub: "proves", aud: issuer, iat: beginning, exp: beginning + 60, jti, ...changed }
    return signed(own, { header: { typ: "JWT" } })
  }
  const token = m.tokens[use]
  if (Object.keys(changed).length === 0) return token
  const [header, own] = parts(token)
  return m.w.signer.sign({ alg: "RS256", typ: String(header["typ"]), claims: { ...own, ...changed } } as Parameters<
    World["signer"]["sign"]
  >[0])
}

/** The text of a forged JWT, and whether it is one that whoever may sign has signed. */
export const forge = async (
  m: Mint,
  { use, header, claims: changed, by, spoilt: how }: Forged,
): Promise<{ readonly jwt: string; readonly genuine: boolean }> => {
  const before = await sound(m, use)
  const after = by === "right" ? await sound(m, use, changed) : before
  let jwt = after
  const [ownHeader, ownClaims, signature] = parts(jwt)
  if (by !== "right" || header !== undefined) {
    const input = `${written({ ...ownHeader, ...header })}.${written(by === "right" ? ownClaims : { ...ownClaims, ...changed })}`
    const keys = JSON.stringify(await m.w.signer.keys())
    const seal = by === "none" ? "" : by === "public" ? createHmac("sha256", keys).update(input).digest("base64url") : signature
    jwt = `${input}.${seal}`
  }
  if (how !== undefined) jwt = spoil(jwt, how)
  return { jwt, genuine: isSame(jwt, before) || isSame(jwt, after) }
}

/** Tells if two texts are the same JWT: the signed text is equal, and so are the signature's bytes, whatever its unused bits are. */
const isSame = (one: string, other: string): boolean => {
  const cut = (jwt: string): readonly [string, string] => [jwt.slice(0, jwt.lastIndexOf(".")), jwt.slice(jwt.lastIndexOf(".") + 1)]
  const [[input, seal], [otherInput, otherSeal]] = [cut(one), cut(other)]
  return input === otherInput && Buffer.from(seal, "base64url").equals(Buffer.from(otherSeal, "base64url"))
}

const post = (path: string, fields: Readonly<Record<string, string>>): Sent => ({
  method: "POST",
  path,
  body: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
})

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** The request that carries a JWT. */
export const carrying = (use: Use, jwt: string): Sent => {
  switch (use) {
    case "object":
      return { method: "GET", path: "/connect/authorize", query: new URLSearchParams({ client_id: "signs", request: jwt }).toString() }
    case "assertion":
      return post("/connect/token", { grant_type: "client_credentials", client_assertion_type: assertionType, client_assertion: jwt })
    case "hint":
      return {
        method: "GET",
        path: "/connect/endsession",
        query: new URLSearchParams({ id_token_hint: jwt, post_logout_redirect_uri: "https://app.example/out" }).toString(),
      }
    case "access":
      return { method: "GET", path: "/connect/userinfo", headers: { authorization: `Bearer ${jwt}` } }
  }
}

/** Tells if an answer gives what only a genuine JWT may get. */
const honored = async (w: World, use: Use, sent: Sent): Promise<boolean> => {
  const { status, header } = said(await w.send(sent))
  const location = header("location") ?? ""
  switch (use) {
    case "object":
      return location.startsWith("/")
    case "hint":
      return location.startsWith("https://app.example/out")
    case "assertion":
    case "access":
      return status === 200
  }
}

/** Finds the fault of the answer to a forged JWT; undefined when there is none. */
export const wrongJwt = async (m: Mint, each: Forged): Promise<string | undefined> => {
  const { jwt, genuine } = await forge(m, each)
  const sent = carrying(each.use, jwt)
  m.w.trails.length = 0
  const wrong = await broken(m.w, sent)
  if (wrong !== undefined) return `${wrong}\n${jwt.slice(0, 2_000)}`
  return !genuine && (await honored(m.w, each.use, sent))
    ? `a JWT that nobody signed is taken for genuine\n${jwt.slice(0, 2_000)}`
    : undefined
}

/** Finds the uses that are not honored with a sound JWT: then forging one would show nothing. */
export const unhonored = async (): Promise<ReadonlyArray<string>> => {
  const m = await mint()
  const asked = uses.map(async (use) => ((await honored(m.w, use, carrying(use, await sound(m, use)))) ? [] : [use]))
  return (await Promise.all(asked)).flat()
}

/** Forges so many JWTs. Throws with seed, path and the least one that breaks a law; gives back how many there were. */
export const forgery = async (seed: number, count: number): Promise<number> => {
  const m = await mint()
  await fc.assert(
    fc.asyncProperty(forged, async (each) => {
      const wrong = await wrongJwt(m, each)
      if (wrong !== undefined) throw new Error(wrong)
    }),
    { seed, numRuns: count },
  )
  return m.count
}

/** Every forged JWT that once mattered, with what is wrong with its answer now. */
export const replayJwts = async (): Promise<ReadonlyArray<readonly [why: string, wrong: string]>> => {
  const m = await mint()
  const wrong: Array<readonly [string, string]> = []
  for (const { why, ...each } of corpus.jwts) {
    const found = await wrongJwt(m, { name: why, ...each })
    if (found !== undefined) wrong.push([why, found])
  }
  return wrong
}
