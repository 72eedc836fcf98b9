import { createHash } from "node:crypto"
import { secretOf } from "@postern/core"
import { authorize, claimsOf, post, refresh, signedIn, token, tokensFor, userinfo } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, password } from "../support/world.ts"
import { type Case, page } from "./case.ts"

const salt = "a salt of thirty-two characters, at least"
const web = clients.find(({ client_id }) => client_id === "web") ?? { client_id: "web" }
const pairwise = { ...web, subject_type: "pairwise" as const }

/** `web` and `twin` share a sector, `far` has its own, `named` is of the sector it names. */
const options: WorldOptions = {
  more: { pairwiseSalt: secretOf(salt) },
  clients: [
    pairwise,
    { ...pairwise, client_id: "twin", client_secret: "secret of twin" },
    {
      ...pairwise,
      client_id: "far",
      client_secret: "secret of far",
      redirect_uris: ["https://app.example/cb"],
      sector_identifier_uri: "https://far.example/sector",
    },
    { ...pairwise, client_id: "opaque", client_secret: "secret of opaque", access_token_format: "reference" },
    ...clients
      .filter(({ client_id }) => ["asks", "ropc", "api", "other"].includes(client_id))
      .map((each) => (each.client_id === "ropc" ? { ...each, subject_type: "pairwise" as const } : each)),
  ],
}

const subAt = (sector: string, subject = "sub-alice", kind = "host"): string =>
  createHash("sha256")
    .update(JSON.stringify([[kind, sector], subject, salt]))
    .digest("base64url")

const asJson = (json: Record<string, unknown>): Said => ({
  status: 200,
  header: () => undefined,
  json,
  page: undefined,
  to: undefined,
  params: {},
  body: "",
})

const everywhere = async (w: World, clientId: string): Promise<Said> => {
  const { id_token, access_token, refresh_token } = await tokensFor(w, clientId)
  const again = (await refresh(w, refresh_token, clientId)).json
  return asJson({
    id_token: claimsOf(id_token)["sub"],
    userinfo: (await userinfo(w, access_token)).json?.["sub"],
    introspection: (await post(w, "/connect/introspect", clientId, { token: access_token })).json?.["sub"],
    refreshed: claimsOf(String(again?.["id_token"]))["sub"],
    access_token: access_token.split(".").length === 3 ? claimsOf(access_token)["sub"] : undefined,
  })
}
const all = (sub: string) => ({ id_token: sub, userinfo: sub, introspection: sub, refreshed: sub })

/** Pairwise subjects: OpenID Connect Core §8. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §8.1: a pairwise client knows a person by a subject of its sector, in every token and at every endpoint",
    rule: undefined,
    options,
    run: (w) => everywhere(w, "web"),
    expect: { status: 200, json: { ...all(subAt("app.example")), access_token: subAt("app.example") } },
  },
  {
    title: "OpenID Connect Core §8.1: by reference tokens too",
    rule: undefined,
    options,
    run: (w) => everywhere(w, "opaque"),
    expect: { status: 200, json: all(subAt("app.example")) },
  },
  {
    title: "OpenID Connect Core §8.1: clients of one sector know a person by one subject, another sector by another",
    rule: undefined,
    options,
    run: async (w) =>
      asJson({
        twin: claimsOf((await tokensFor(w, "twin")).id_token)["sub"],
        far: claimsOf((await tokensFor(w, "far")).id_token)["sub"],
        bob: claimsOf((await tokensFor(w, "web", "openid", "bob")).id_token)["sub"],
        other: claimsOf((await tokensFor(w, "other")).id_token)["sub"],
      }),
    expect: {
      status: 200,
      json: { twin: subAt("app.example"), far: subAt("far.example"), bob: subAt("app.example", "sub-bob"), other: "sub-alice" },
    },
  },
  {
    title: "OpenID Connect Core §8.1, RFC 7662 §2.2: an introspection tells no username of a pairwise client's token",
    rule: undefined,
    options,
    run: async (w) => {
      const told = async (clientId: string) =>
        (await post(w, "/connect/introspect", clientId, { token: (await tokensFor(w, clientId, "openid profile")).access_token })).json ??
        {}
      return asJson({ web: "username" in (await told("web")), other: "username" in (await told("other")) })
    },
    expect: { status: 200, json: { web: false, other: true } },
  },
  {
    title: "OpenID Connect Core §8.1: an app on its person's own machine is a sector by itself: every such app has that host",
    rule: undefined,
    options: {
      ...options,
      clients: clients.map((each) => (each.client_id === "native" ? { ...each, subject_type: "pairwise" as const } : each)),
    },
    run: async (w) => asJson({ native: claimsOf((await tokensFor(w, "native")).id_token)["sub"] }),
    expect: { status: 200, json: { native: subAt("native", "sub-alice", "client") } },
  },
  {
    title: "OpenID Connect Core §8.1: the password grant gives the same subject, of a client without a host its own",
    rule: undefined,
    options,
    run: async (w) => {
      const { json } = await token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid" })
      return asJson({ sub: claimsOf(String(json?.["id_token"]))["sub"] })
    },
    expect: { status: 200, json: { sub: subAt("ropc", "sub-alice", "client") } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1, §8: an id_token_hint with a pairwise subject names the session's person",
    rule: undefined,
    options,
    run: async (w) => {
      const { id_token } = await tokensFor(w)
      return authorize(await signedIn(w), "web", { id_token_hint: id_token, prompt: "none" })
    },
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "OpenID Connect Core §3.1.2.1, §8: an id_token_hint of another person is noticed behind its pairwise subject",
    rule: "person.hinted",
    options,
    run: async (w) => {
      const { id_token } = await tokensFor(w)
      return authorize(await signedIn(w, "bob"), "web", { id_token_hint: id_token })
    },
    expect: page("Login"),
  },
  {
    title: "RP-Initiated Logout §2, OpenID Connect Core §8: an id_token_hint with a pairwise subject ends the session unasked",
    rule: undefined,
    options,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { id_token } = await tokensFor(w)
      const { sid: _other, ...hinted } = claimsOf(id_token)
      const hint = await w.signer.sign({ alg: "RS256", typ: "JWT", claims: hinted as Record<string, string> })
      return visitor.get("/connect/endsession", { id_token_hint: hint })
    },
    expect: page("SignedOut"),
  },
]
