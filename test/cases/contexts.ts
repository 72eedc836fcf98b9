import { authorize, claimsOf, codeFor, post, redeem, refresh, signedIn, token } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, password } from "../support/world.ts"
import { type Case, page } from "./case.ts"

const told = (json: Record<string, unknown>): Said => ({
  status: 200,
  header: () => undefined,
  json,
  page: undefined,
  to: undefined,
  params: {},
  body: "",
})

/** The `acr` of every token that a person's sign-in comes to, and of an introspection. */
const acrs = async (w: World, clientId: string, changes: Readonly<Record<string, string>> = {}): Promise<Said> => {
  const code = await codeFor(w, clientId, { scope: "openid offline_access", ...changes })
  const first = (await redeem(w, code, clientId)).json
  const again = (await refresh(w, String(first?.["refresh_token"]), clientId)).json
  const [access, renewed] = [String(first?.["access_token"]), String(again?.["access_token"])]
  return told({
    id_token: claimsOf(String(first?.["id_token"]))["acr"],
    access_token: access.split(".").length === 3 ? claimsOf(access)["acr"] : undefined,
    renewed: claimsOf(String(again?.["id_token"]))["acr"],
    introspection: (await post(w, "/connect/introspect", clientId, { token: renewed })).json?.["acr"],
  })
}

const usual = "urn:postern:password"
const stepping = { subject: "sub-alice", username: "alice", active: true, claims: {}, tenant: null }
const fortress: WorldOptions["more"] = { acr: { password: "urn:example:loa1" }, acrValues: ["urn:example:loa2"] }

/** A provider whose authenticator reaches so much where loa3 is asked for, else the first context that is asked for. */
const ladder = (reached: string | undefined): WorldOptions => ({
  more: { acr: { password: "urn:example:loa1" }, acrValues: ["urn:example:loa2", "urn:example:loa3"] },
  authenticator: {
    verify: ({ acrValues }) => ({
      _tag: "Verified",
      person: stepping,
      amr: ["pwd"],
      acr: acrValues.includes("urn:example:loa3") ? reached : acrValues.at(0),
    }),
  },
})

const voluntary = (...values: ReadonlyArray<string>) => ({ claims: JSON.stringify({ id_token: { acr: { values } } }) })
const [loa1, loa2, loa3] = ["urn:example:loa1", "urn:example:loa2", "urn:example:loa3"] as const

/** A request of somebody whose session reached a context before. */
const standing =
  (reached: string | undefined, changes: Readonly<Record<string, string>>) =>
  async (w: World): Promise<Said> => {
    const visitor = await signedIn(w)
    if (reached !== undefined) await signInAgain(visitor, await authorize(visitor, "web", { acr_values: reached, prompt: "login" }))
    return authorize(visitor, "web", changes)
  }

const signInAgain = (visitor: Visitor, asked: Said): Promise<Said> =>
  visitor.submit(asked.page, [
    ["username", "alice"],
    ["password", password],
  ])

/** The acr of the tokens after a request that had its person sign in once more. */
const steppedUp =
  (changes: Readonly<Record<string, string>>) =>
  async (w: World): Promise<Said> => {
    const visitor = await signedIn(w)
    const answer = await signInAgain(visitor, await authorize(visitor, "web", changes))
    const { json } = await redeem(w, answer.params["code"] ?? "")
    return told({ acr: claimsOf(String(json?.["id_token"]))["acr"] })
  }

const sent: Case["expect"] = { status: 303, to: "https://app.example/cb", params: { state: "st" } }

/** Step-up that a client asks for, and does not insist on. */
const stepUps: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.1, RFC 9470 §5: acr_values above what the session has reached mean signing in",
    rule: "person.acr-voluntary",
    options: ladder(loa3),
    run: standing(undefined, { acr_values: loa2 }),
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §5.5.1.1: so does an acr that claims ask for without insisting",
    rule: "person.acr-voluntary",
    options: ladder(loa3),
    run: standing(loa2, voluntary(loa3)),
    expect: page("Login"),
  },
  ...[{ acr_values: loa3 }, voluntary(loa3)].map((changes): Case => ({
    title: `RFC 9470 §5: the new sign-in reaches it, and tokens say so (${Object.keys(changes).join()})`,
    rule: undefined,
    options: ladder(loa3),
    run: steppedUp(changes),
    expect: { status: 200, json: { acr: loa3 } },
  })),
  {
    title: "OpenID Connect Core §5.5.1.1: one that the new sign-in does not reach is no error, and nobody is asked twice",
    rule: undefined,
    options: ladder(loa2),
    run: steppedUp({ acr_values: loa3 }),
    expect: { status: 200, json: { acr: loa2 } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: with prompt=none a session below it is no error",
    rule: undefined,
    options: ladder(loa3),
    run: standing(undefined, { acr_values: loa3, prompt: "none" }),
    expect: sent,
  },
  ...(
    [
      ["one of several is reached", loa2, `${loa3} ${loa2}`],
      ["a session above it will do", loa3, loa2],
      ["the context of a plain password is below all others", loa2, loa1],
      ["what no sign-in here reaches is passed over", undefined, "urn:example:loa9"],
    ] as const
  ).map(([title, reached, acr_values]): Case => ({
    title: `OpenID Connect Core §3.1.2.1: ${title}`,
    rule: undefined,
    options: ladder(loa3),
    run: standing(reached, { acr_values }),
    expect: sent,
  })),
]

/** Context that is reached if none of the acr_values that are asked for fits. */
export const cases: ReadonlyArray<Case> = [
  ...stepUps,
  ...[{}, { acr_values: "urn:example:gold urn:example:silver" }, { acr_values: usual }].map((changes): Case => ({
    title: `OpenID Connect Core §2, §3.1.2.1, RFC 9068 §2.2.1: asked for ${Object.values(changes).join() || "nothing"}, a password answers with the acr that it reached`,
    rule: undefined,
    run: (w) => acrs(w, "web", changes),
    expect: { status: 200, json: { id_token: usual, access_token: usual, renewed: usual, introspection: usual } },
  })),
  {
    title: "RFC 9470 §6.2: an introspection tells the acr and the auth_time of a reference token",
    rule: undefined,
    run: async (w) => {
      const answer = await redeem(w, await codeFor(w, "opaque"), "opaque")
      return post(w, "/connect/introspect", "opaque", { token: String(answer.json?.["access_token"]) })
    },
    expect: { status: 200, json: { acr: usual, auth_time: beginning } },
  },
  ...["web", "opaque"].map((clientId): Case => ({
    title: `RFC 9470 §6: an access token that was refreshed has the auth_time and the acr of the sign-in, not of the refresh (${clientId})`,
    rule: undefined,
    run: async (w) => {
      const { json } = await redeem(w, await codeFor(w, clientId, { scope: "openid offline_access" }), clientId)
      w.pass(500)
      const value = String((await refresh(w, String(json?.["refresh_token"]), clientId)).json?.["access_token"])
      const { acr, auth_time } = value.split(".").length === 3 ? claimsOf(value) : {}
      const introspected = (await post(w, "/connect/introspect", clientId, { token: value })).json
      return told({ ...introspected, ...(acr === undefined ? {} : { inToken: [acr, auth_time] }) })
    },
    expect: {
      status: 200,
      json: { acr: usual, auth_time: beginning, ...(clientId === "web" ? { inToken: [usual, beginning] } : {}) },
    },
  })),
  {
    title: "RFC 9470 §4, §5: a resource that wants a higher acr gets it by a new sign-in, whose tokens say so",
    rule: undefined,
    options: { authenticator: { verify: ({ acrValues }) => ({ _tag: "Verified", person: stepping, amr: ["pwd"], acr: acrValues.at(0) }) } },
    run: async (w) => {
      const visitor = await signedIn(w)
      const gold = { acr_values: "gold", claims: JSON.stringify({ id_token: { acr: { essential: true, value: "gold" } } }), max_age: "600" }
      const { page: form } = await authorize(visitor, "web", gold)
      const answer = await visitor.submit(form, [
        ["username", "alice"],
        ["password", password],
      ])
      const { json } = await redeem(w, answer.params["code"] ?? "")
      return told({ acr: claimsOf(String(json?.["access_token"]))["acr"] })
    },
    expect: { status: 200, json: { acr: "gold" } },
  },
  {
    title: "OpenID Connect Core §2: the acr of a password is what the provider is told",
    rule: undefined,
    options: { more: fortress },
    run: (w) => acrs(w, "web"),
    expect: { status: 200, json: { id_token: "urn:example:loa1", introspection: "urn:example:loa1" } },
  },
  {
    title: "OpenID Connect Core §5.5.1.1: an essential acr that a password reaches is met by a session",
    rule: undefined,
    run: async (w) =>
      authorize(await signedIn(w), "web", {
        prompt: "none",
        claims: JSON.stringify({ id_token: { acr: { essential: true, value: usual } } }),
      }),
    expect: { status: 303, to: "https://app.example/cb", params: { state: "st" } },
  },
  {
    title: "OpenID Connect Core §2: the password grant and a device give the acr of the sign-in too",
    rule: undefined,
    run: async (w) => {
      const byName = await token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid" })
      const started = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
      const visitor = await signedIn(w)
      const asked = await visitor.get("/device", { user_code: String(started.json?.["user_code"]) })
      await visitor.submit(asked.page, [["decision", "allow"]])
      const device = await token(w, "tv", {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: String(started.json?.["device_code"]),
      })
      return told({
        password: claimsOf(String(byName.json?.["id_token"]))["acr"],
        device: claimsOf(String(device.json?.["id_token"]))["acr"],
      })
    },
    expect: { status: 200, json: { password: usual, device: usual } },
  },
  {
    title:
      "OpenID Connect Discovery §3: acr_values_supported names what a sign-in here reaches, and nothing of other providers where there are none",
    rule: undefined,
    run: async (w) => w.visitor().get("/.well-known/openid-configuration"),
    expect: { status: 200, json: { acr_values_supported: [usual] } },
  },
  {
    title: "OpenID Connect Discovery §3: acr_values_supported names what the provider is told, and what other providers reach",
    rule: undefined,
    options: { more: { ...fortress, upstream: [{ name: "corp", displayName: "Corp" }] } },
    run: async (w) => w.visitor().get("/.well-known/openid-configuration"),
    expect: { status: 200, json: { acr_values_supported: ["urn:example:loa1", "urn:postern:upstream", "urn:example:loa2"] } },
  },
]
