import { codeFor, post, redeem, refresh, signedIn, token, tokensFor } from "../support/flows.ts"
import { type World, password } from "../support/world.ts"
import { type Case, refused } from "./case.ts"
import { acmeAlone } from "./specification.ts"

type Fields = Readonly<Record<string, string>>

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** A device that its person has approved. */
const approvedDevice = async (w: World, fields: Fields = {}): Promise<string> => {
  const { json } = await post(w, "/connect/deviceauthorization", "tv", fields)
  const visitor = await signedIn(w)
  await visitor.submit((await visitor.get(`/device?user_code=${String(json?.["user_code"])}`)).page, [["decision", "allow"]])
  return String(json?.["device_code"])
}

const byPassword = (w: World, more: Fields = {}) => token(w, "ropc", { grant_type: "password", username: "alice", password, ...more })

/** Each grant, done as its client does it, and the members of the answer. */
const grants: Readonly<Record<string, readonly [(w: World) => ReturnType<typeof token>, string]>> = {
  authorization_code: [
    async (w) => redeem(w, await codeFor(w, "web", { scope: "openid offline_access" })),
    "access_token expires_in id_token refresh_token scope token_type",
  ],
  "authorization_code without openid": [
    async (w) => redeem(w, await codeFor(w, "web", { scope: "api.read" })),
    "access_token expires_in scope token_type",
  ],
  client_credentials: [(w) => token(w, "machine", { grant_type: "client_credentials" }), "access_token expires_in scope token_type"],
  password: [(w) => byPassword(w), "access_token expires_in id_token refresh_token scope token_type"],
  refresh_token: [
    async (w) => refresh(w, (await tokensFor(w)).refresh_token),
    "access_token expires_in id_token refresh_token scope token_type",
  ],
  [deviceGrant]: [
    async (w) => token(w, "tv", { grant_type: deviceGrant, device_code: await approvedDevice(w) }),
    "access_token expires_in id_token refresh_token scope token_type",
  ],
}

const grantCases: ReadonlyArray<Case> = Object.entries(grants).map(([grant, [run, members]]): Case => ({
  title: `specification §4: the answer to ${grant} has ${members}, and nothing else`,
  rule: undefined,
  run: async (w) => {
    const answer = await run(w)
    return {
      ...answer,
      json: {
        ...answer.json,
        members: Object.keys(answer.json ?? {})
          .sort()
          .join(" "),
      },
    }
  },
  expect: {
    status: 200,
    json: { token_type: "Bearer", expires_in: 3600, members },
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" },
  },
}))

/** The parameter each grant needs, sent empty: RFC 6749 §3.2 counts it as left out. */
const empty: ReadonlyArray<readonly [string, string, string, Fields]> = [
  ["code", "code.present", "web", { grant_type: "authorization_code", redirect_uri: "https://app.example/cb" }],
  ["username", "password.username-present", "ropc", { grant_type: "password", password }],
  ["password", "password.password-present", "ropc", { grant_type: "password", username: "alice" }],
  ["refresh_token", "refresh.present", "web", { grant_type: "refresh_token" }],
  ["device_code", "device.present", "tv", { grant_type: deviceGrant }],
]

const parameterCases: ReadonlyArray<Case> = [
  ...empty.map(([name, rule, client, fields]): Case => ({
    title: `specification §2.2 ${name}: an empty one counts as none, and is refused`,
    rule,
    run: (w) => token(w, client, { ...fields, [name]: "" }),
    expect: refused("invalid_request", `The ${name} is missing.`),
  })),
  {
    title: "specification §2.4 token: an empty one counts as none, and is refused",
    rule: "revocation.token-present",
    run: (w) => post(w, "/connect/revocation", "web", { token: "" }),
    expect: refused("invalid_request", "The token is missing."),
  },
  {
    title: "specification §2.2 redirect_uri: an empty one counts as none, and is refused",
    rule: "code.redirect-uri",
    run: async (w) => redeem(w, await codeFor(w), "web", { redirect_uri: "" }),
    expect: refused("invalid_grant", "The redirect_uri is missing."),
  },
  ...(
    [
      ["api.write", "api.write"],
      ["api.write api.read", "api.write api.read"],
      ["", "api.read api.write"],
    ] as const
  ).map(([scope, granted]): Case => ({
    title: `specification §2.2 scope: client_credentials asking for "${scope}" gets ${granted}`,
    rule: undefined,
    run: (w) => token(w, "machine", { grant_type: "client_credentials", scope }),
    expect: { status: 200, json: { scope: granted } },
  })),
  {
    title: "specification §2.2 scope: omitted with a code or a refresh token, the scope is the grant's, and a code takes no other",
    rule: undefined,
    run: async (w) => {
      const asked = { scope: "openid offline_access api.read" }
      const silent = await redeem(w, await codeFor(w, "web", asked))
      const narrower = await redeem(w, await codeFor(w, "web", asked), "web", { scope: "openid" })
      const refreshed = await refresh(w, String(silent.json?.["refresh_token"]))
      return { ...refreshed, json: { scopes: [silent, narrower, refreshed].map(({ json }) => json?.["scope"]) } }
    },
    expect: { status: 200, json: { scopes: Array.from({ length: 3 }, () => "openid offline_access api.read") } },
  },
  {
    title: "specification §2.3 scope: a device gets the scopes it asked for, and no more",
    rule: undefined,
    run: async (w) => token(w, "tv", { grant_type: deviceGrant, device_code: await approvedDevice(w, { scope: "openid api.read" }) }),
    expect: { status: 200, json: { scope: "openid api.read" } },
  },
  {
    title: "specification §2.2 acr_values: tenant:NAME reaches the authenticator of the password grant",
    rule: undefined,
    options: acmeAlone,
    run: (w) => byPassword(w, { acr_values: "tenant:acme" }),
    expect: { status: 200 },
  },
  {
    title: "specification §2.2 acr_values: in another tenant the person is as unknown as any",
    rule: "password.verified",
    options: acmeAlone,
    run: (w) => byPassword(w, { acr_values: "tenant:other" }),
    expect: refused("invalid_grant", "The username or password is not right."),
  },
  {
    title: "specification §2.2 acr_values: other grants do not look at it",
    rule: undefined,
    run: (w) => token(w, "machine", { grant_type: "client_credentials", acr_values: "tenant:acme idp:other" }),
    expect: { status: 200, json: { scope: "api.read api.write" } },
  },
]

/** Lines of the specification on the token endpoint and the device flow that no other file shows: §2.2, §2.3, §4. */
export const cases: ReadonlyArray<Case> = [...grantCases, ...parameterCases]
