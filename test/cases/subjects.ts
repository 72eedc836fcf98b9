import { createHash } from "node:crypto"
import { type ClientMetadata, type OutboundAnswer, secretOf } from "@postern/core"
import { OutwardRefused } from "@postern/core/ports"
import { authorize, claimsOf, post, redeem, refresh, signedIn, token, tokensFor, userinfo } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, password } from "../support/world.ts"
import { exchange, world as exchanging } from "./tokenExchange.ts"
import { type Case, page, refused, sentBack, shown } from "./case.ts"

const salt = "a salt of thirty-two characters, at least"
const web = clients.find(({ client_id }) => client_id === "web") ?? { client_id: "web" }
const pairwise = { ...web, subject_type: "pairwise" as const }

const uris = ["https://app.example/cb", "https://app.example/cb?tab=1"]

/** Answers every sector_identifier_uri with a document. */
const listing = (body: unknown, status = 200): OutboundAnswer => ({
  _tag: "Fetched",
  status,
  contentType: "application/json",
  body: typeof body === "string" ? body : JSON.stringify(body),
})

/** `web` and `twin` share a sector, `far` has its own, `named` is of the sector it names. */
const options: WorldOptions = {
  more: { pairwiseSalt: secretOf(salt), outbound: { fetch: () => listing(uris) } },
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

/** A world whose sector_identifier_uri answers as told, one answer after the other; the last one stays. */
const withSectors = (...answers: ReadonlyArray<OutboundAnswer | Error>): WorldOptions => ({
  ...options,
  more: {
    pairwiseSalt: secretOf(salt),
    // Each world is answered from the first on.
    get outbound() {
      const left = [...answers]
      return {
        fetch: (): OutboundAnswer => {
          const answer = (left.length > 1 ? left.shift() : left[0]) ?? gone
          if (answer instanceof Error) throw answer
          return answer
        },
      }
    },
  },
  clients: (options.clients ?? []).map((each) =>
    each.client_id === "ropc" ? { ...each, redirect_uris: uris, sector_identifier_uri: "https://far.example/sector" } : each,
  ),
})

/** A host that nobody asks for a while. */
const alone = new OutwardRefused("far.example failed 3 times in a row", 5)
const gone: OutboundAnswer = { _tag: "Unfetched", reason: "no such host" }
const byPassword = (w: World) => token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid" })

const all = (sub: string) => ({ id_token: sub, userinfo: sub, introspection: sub, refreshed: sub })

/** A world with token exchange for a pairwise client. */
const exchangingFor = (client: Partial<ClientMetadata>, answer: OutboundAnswer): WorldOptions => {
  const base = exchanging({ clients: ["web"], impersonation: true }, client)
  return { ...base, more: { ...base.more, pairwiseSalt: secretOf(salt), outbound: { fetch: () => answer } } }
}

/** A pairwise client of devices, which names a sector. */
const devices = (answer: OutboundAnswer, more: Partial<ClientMetadata>): WorldOptions => ({
  more: { pairwiseSalt: secretOf(salt), outbound: { fetch: () => answer } },
  clients: clients.map((each) =>
    each.client_id === "tv" ? { ...each, subject_type: "pairwise", sector_identifier_uri: "https://far.example/sector", ...more } : each,
  ),
})

const approve = async (w: World): Promise<Said> => {
  const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
  const visitor = await signedIn(w)
  const asked = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
  return visitor.submit(asked.page, [["decision", "allow"]])
}

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
  {
    title: "OpenID Connect Core §8.1: the sid of a pairwise client is its sector's own, in ID token and access token, first and renewed",
    rule: undefined,
    options,
    run: async (w) => {
      const visitor = await signedIn(w)
      const sids = async (clientId: string) => {
        const { params } = await authorize(visitor, clientId, { scope: "openid offline_access api.read" })
        const first = (await redeem(w, params["code"] ?? "", clientId)).json
        const again = (await refresh(w, String(first?.["refresh_token"]), clientId)).json
        return [first, again]
          .flatMap((tokens) => [claimsOf(String(tokens?.["id_token"])), claimsOf(String(tokens?.["access_token"]))])
          .map(({ sid }) => sid)
      }
      const [web, twin, far, other] = [await sids("web"), await sids("twin"), await sids("far"), await sids("other")]
      const [session] = await w.tokens.sessionsOf("sub-alice")
      const one = (values: ReadonlyArray<unknown>) => new Set(values).size
      return asJson({
        each: [one(web), one(twin), one(far), one(other)].join(),
        sector: web[0] === twin[0],
        apart: new Set([web[0], far[0], other[0]]).size,
        public: other[0] === session?.locator,
      })
    },
    expect: { status: 200, json: { each: "1,1,1,1", sector: true, apart: 3, public: true } },
  },
  {
    title: "RP-Initiated Logout §2, OpenID Connect Core §8.1: the sid of an id_token_hint is the session's as its client's sector knows it",
    rule: undefined,
    options,
    run: async (w) => {
      const visitor = await signedIn(w)
      const { params } = await authorize(visitor, "far")
      const { json } = await redeem(w, params["code"] ?? "", "far")
      return visitor.get("/connect/endsession", { id_token_hint: String(json?.["id_token"]) })
    },
    expect: page("SignedOut"),
  },
  {
    title: "RP-Initiated Logout §6, OpenID Connect Core §8.1: the sid of another session of the same person signs nobody out unasked",
    rule: "end-session.asked",
    options,
    run: async (w) => (await signedIn(w)).get("/connect/endsession", { id_token_hint: (await tokensFor(w, "far")).id_token }),
    expect: page("Logout"),
  },
  ...(
    [
      ["is no JSON", "nonsense"],
      ["is no array", { redirect_uris: uris }],
      ["holds something else than strings", [...uris, 1]],
      ["lists some of the redirect URIs only", uris.slice(1)],
      ["lists a redirect URI but for a letter", ["https://app.example/CB", uris[1]]],
    ] as const
  ).map(([what, body]): Case => ({
    title: `OpenID Connect Dynamic Client Registration §5: no subject of a sector whose document ${what}`,
    rule: "authorize.sector",
    options: withSectors(listing(body)),
    run: async (w) => authorize(await signedIn(w), "far"),
    expect: sentBack("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs."),
  })),
  ...([gone, listing(uris, 404), listing(uris, 302)] as const).map((answer, at): Case => ({
    title: `OpenID Connect Dynamic Client Registration §5: no subject of a sector whose document cannot be had (${at + 1})`,
    rule: "authorize.sector",
    options: withSectors(answer),
    run: async (w) => authorize(await signedIn(w), "far"),
    expect: sentBack("temporarily_unavailable", "The sector_identifier_uri of the client cannot be read."),
  })),
  {
    title: "OpenID Connect Dynamic Client Registration §5: the fault of one client's sector stops no other client",
    rule: undefined,
    options: withSectors(gone),
    run: async (w) => {
      const visitor = await signedIn(w)
      await authorize(visitor, "far")
      const { params } = await authorize(visitor, "twin")
      return redeem(w, params["code"] ?? "", "twin")
    },
    expect: { status: 200 },
  },
  ...(
    [
      ["when the document cannot be had", gone],
      ["while its sector's host is left alone", alone],
    ] as const
  ).map(([when, answer]): Case => ({
    title: `OpenID Connect Dynamic Client Registration §5: a client that was verified loses nothing ${when}`,
    rule: undefined,
    options: withSectors(listing(uris), answer),
    run: async (w) => {
      await tokensFor(w, "far")
      w.pass(90_000)
      return asJson({ sub: claimsOf((await tokensFor(w, "far")).id_token)["sub"] })
    },
    expect: { status: 200, json: { sub: subAt("far.example") } },
  })),
  {
    title: "OpenID Connect Dynamic Client Registration §5: a client that its sector no longer lists is refused within a day",
    rule: "authorize.sector",
    options: withSectors(listing(uris), listing([])),
    run: async (w) => {
      await tokensFor(w, "far")
      w.pass(90_000)
      return authorize(await signedIn(w), "far")
    },
    expect: sentBack("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs."),
  },
  {
    title: "OpenID Connect Dynamic Client Registration §5: within a day the document is not read again",
    rule: undefined,
    options: withSectors(listing(uris), listing([])),
    run: async (w) => {
      await tokensFor(w, "far")
      w.pass(80_000)
      return asJson({ sub: claimsOf((await tokensFor(w, "far")).id_token)["sub"] })
    },
    expect: { status: 200, json: { sub: subAt("far.example") } },
  },
  {
    title: "OpenID Connect Core §8.1: the password grant makes no subject of a sector that does not list the client",
    rule: "password.sector",
    options: withSectors(listing([])),
    run: byPassword,
    expect: refused("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs."),
  },
  {
    title: "OpenID Connect Core §8.1: a sector whose document cannot be had is told as such at the token endpoint",
    rule: "password.sector",
    options: withSectors(gone),
    run: byPassword,
    expect: refused("temporarily_unavailable", "The sector_identifier_uri of the client cannot be read.", 503),
  },
  {
    title: "NIST SP 800-63B §3.2.2: a client that is refused for its sector spends no try of the person",
    rule: undefined,
    options: withSectors(gone, gone, gone, alone, alone, alone, listing(uris)),
    run: async (w) => {
      for (let tries = 0; tries < 6; tries++) {
        await byPassword(w)
        w.pass(20)
      }
      return byPassword(w)
    },
    expect: { status: 200 },
  },
  {
    title: "OpenID Connect Core §8.1, RFC 8693 §2.2: no token is exchanged for a person of a sector that does not list the client",
    rule: "extension.sector",
    options: exchangingFor({ subject_type: "pairwise", redirect_uris: uris, sector_identifier_uri: "https://far.example/sector" }, gone),
    run: async (w) => exchange(w, (await tokensFor(w, "web", "openid api.read")).access_token),
    expect: refused("temporarily_unavailable", "The sector_identifier_uri of the client cannot be read.", 503),
  },
  {
    title: "OpenID Connect Core §8.1, RFC 8693 §2.2: an exchanged token has the sub and the sid of its own client's sector",
    rule: undefined,
    options: exchangingFor({ subject_type: "pairwise" }, gone),
    run: async (w) => {
      const { access_token, id_token } = await tokensFor(w, "web", "openid api.read")
      const { json } = await exchange(w, access_token)
      const [before, after] = [claimsOf(id_token), claimsOf(String(json?.["access_token"]))]
      return asJson({ sub: after["sub"], sid: typeof after["sid"], same: after["sid"] === before["sid"] })
    },
    expect: { status: 200, json: { sub: subAt("orders", "sub-alice", "client"), sid: "string", same: false } },
  },
  {
    title: "OpenID Connect CIBA Core §4: a client without redirect URIs proves its sector by its jwks_uri",
    rule: undefined,
    options: devices(listing(["https://far.example/jwks"]), { jwks_uri: "https://far.example/jwks" }),
    run: approve,
    expect: page("DeviceDone", 200, { approved: true }),
  },
  ...(
    [
      ["that does not list its jwks_uri", listing(uris), { jwks_uri: "https://far.example/jwks" }, 400, "request_invalid"],
      ["that nothing of it could be listed by", listing([]), {}, 400, "request_invalid"],
      ["whose document cannot be had", gone, {}, 503, "unavailable"],
    ] as const
  ).map(([what, answer, more, status, trouble]): Case => ({
    title: `OpenID Connect Core §8.1: a device is not approved for a client of a sector ${what}`,
    rule: "device-page.sector",
    options: devices(answer, more),
    run: approve,
    expect: shown(trouble, status === 503 ? "temporarily_unavailable" : "unauthorized_client", status),
  })),
]
