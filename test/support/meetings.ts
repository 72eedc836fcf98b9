import { authorize, codeFor, post, redeem, request, signedIn, token, tokensFor, userinfo } from "./flows.ts"
import { withUpstream } from "./upstream.ts"
import type { Said, Visitor } from "./visitor.ts"
import { type World, type WorldOptions, password } from "./world.ts"

const alice = [
  ["username", "alice"],
  ["password", password],
] as const

/** A way to meet a port: what is prepared while it answers, and what is asked once it is out of order. */
export type Meeting = readonly [port: string, operation: string, options: WorldOptions, prepare: (w: World) => Promise<() => Promise<Said>>]

const atLogin = async (w: World) => {
  const visitor = w.visitor()
  const { page } = await authorize(visitor)
  return () => visitor.submit(page, alice)
}

const upstreamAt = (finish: boolean) => async (w: World) => {
  const visitor = w.visitor()
  const shown = await authorize(visitor, "work")
  const [choice] = (shown.page?.["providers"] ?? []) as ReadonlyArray<Record<string, unknown>>
  if (!finish) return () => visitor.submit(choice)
  const sent = await visitor.submit(choice)
  return () => visitor.get("/login/callback/corp", { state: sent.params["state"] ?? "", code: "ann" })
}

const asked = (visitor: (w: World) => Promise<Visitor>, path: string) => async (w: World) => {
  const here = await visitor(w)
  return () => here.get(path)
}

const anybody = async (w: World) => w.visitor()

const redeems = async (w: World) => {
  const code = await codeFor(w)
  return () => redeem(w, code)
}

/** Every port that a request asks, by one of its operations or more. */
export const meetings: ReadonlyArray<Meeting> = [
  ["ClientStore", "find", {}, asked(anybody, `/connect/authorize?${new URLSearchParams(request()).toString()}`)],
  ["ClientStore", "verifySecret", {}, async (w) => () => token(w, "web", { grant_type: "client_credentials", scope: "api.read" })],
  ["TokenStore", "findSession", {}, asked(signedIn, "/")],
  ["TokenStore", "findInteraction", {}, atLogin],
  ["TokenStore", "commit", {}, atLogin],
  ["TokenStore", "findCode", {}, redeems],
  ["Signer", "sign", {}, redeems],
  ["Signer", "keys", {}, asked(anybody, "/.well-known/openid-configuration/jwks")],
  [
    "Signer",
    "verify",
    {},
    async (w) => {
      const { access_token } = await tokensFor(w)
      return () => userinfo(w, access_token)
    },
  ],
  ["Authenticator", "verify", {}, atLogin],
  ["Authenticator", "find", {}, asked(signedIn, "/")],
  ["IdentityProviders", "begin", withUpstream(), upstreamAt(false)],
  ["IdentityProviders", "finish", withUpstream(), upstreamAt(true)],
  ["Digest", "sha256", {}, async (w) => () => post(w, "/connect/introspect", "api", { token: `a_${"0".repeat(16)}${"s".repeat(43)}` })],
]
