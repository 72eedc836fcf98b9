import { post, refresh, tokensFor, userinfo } from "../support/flows.ts"
import { type World, clients } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const deviceCases: ReadonlyArray<Case> = [
  {
    title:
      "specification §2.3: the answer is a device code, a user code, where to enter it, for how long and how often to ask, and nothing else",
    rule: undefined,
    run: async (w) => {
      const answer = await post(w, "/connect/deviceauthorization", "tv", {})
      return {
        ...answer,
        json: {
          members: Object.keys(answer.json ?? {})
            .sort()
            .join(" "),
        },
      }
    },
    expect: { status: 200, json: { members: "device_code expires_in interval user_code verification_uri verification_uri_complete" } },
  },
  {
    title: "specification §4 rule 9: discovery publishes the device authorization endpoint, and every other",
    rule: undefined,
    run: (w) => w.visitor().get("/.well-known/openid-configuration"),
    expect: {
      status: 200,
      json: {
        issuer: "https://op.example",
        device_authorization_endpoint: "https://op.example/connect/deviceauthorization",
        authorization_endpoint: "https://op.example/connect/authorize",
        token_endpoint: "https://op.example/connect/token",
        userinfo_endpoint: "https://op.example/connect/userinfo",
        revocation_endpoint: "https://op.example/connect/revocation",
      },
      headers: { "content-type": "application/json" },
    },
  },
]

/** A world in which the client `web` may ask for the scope `role`. */
const roleAllowed = {
  clients: clients.map((each) => (each.client_id === "web" ? { ...each, scope: `${each.scope ?? ""} role` } : each)),
}

const userinfoOf = async (w: World, scope: string, role?: ReadonlyArray<string>) => {
  const person = w.people.get("sub-alice")
  if (person !== undefined && role !== undefined) w.people.set("sub-alice", { ...person, claims: { ...person.claims, role: [...role] } })
  const answer = await userinfo(w, (await tokensFor(w, "web", scope)).access_token)
  return { ...answer, json: { exactly: answer.body } }
}

const userinfoCases: ReadonlyArray<Case> = [
  {
    title: "specification §2.5: openid alone gives sub, and nothing else",
    rule: undefined,
    run: (w) => userinfoOf(w, "openid"),
    expect: { status: 200, json: { exactly: '{"sub":"sub-alice"}' }, headers: { "content-type": "application/json" } },
  },
  {
    title: "specification §2.5: profile gives name, given_name and family_name, as texts",
    rule: undefined,
    run: (w) => userinfoOf(w, "openid profile"),
    expect: {
      status: 200,
      json: {
        exactly: JSON.stringify({
          name: "Alice Ant",
          given_name: "Alice",
          family_name: "Ant",
          preferred_username: "alice",
          sub: "sub-alice",
        }),
      },
    },
  },
  ...Object.entries({
    email: { email: "alice@example.com", email_verified: true },
    phone: { phone_number: "+1 555 0100" },
    address: {},
    "email phone": { email: "alice@example.com", email_verified: true, phone_number: "+1 555 0100" },
  }).map(([scope, claims]): Case => ({
    title: `specification §2.5: ${scope} gives its claims as far as the person has them, and no other scope's`,
    rule: undefined,
    run: (w) => userinfoOf(w, `openid ${scope}`),
    expect: { status: 200, json: { exactly: JSON.stringify({ ...claims, sub: "sub-alice" }) } },
  })),
  ...[["admin", "editor"], ["admin"], []].map((role): Case => ({
    title: `specification §2.5: role is an array of strings, here of ${role.length}, under the scope role`,
    rule: undefined,
    options: roleAllowed,
    run: (w) => userinfoOf(w, "openid role", role),
    expect: { status: 200, json: { exactly: JSON.stringify({ role, sub: "sub-alice" }) } },
  })),
  {
    title: "specification §2.5: without its scope there is no role",
    rule: undefined,
    options: roleAllowed,
    run: (w) => userinfoOf(w, "openid", ["admin"]),
    expect: { status: 200, json: { exactly: '{"sub":"sub-alice"}' } },
  },
]

const revoke = (w: World, clientId: string, value: string, hint: string | undefined) =>
  post(w, "/connect/revocation", clientId, { token: value, ...(hint === undefined ? {} : { token_type_hint: hint }) })

const hints = [undefined, "access_token", "refresh_token"]
const hinted = (hint: string | undefined): string => (hint === undefined ? "without a hint" : `with the hint ${hint}`)

const revocationCases: ReadonlyArray<Case> = [
  ...hints.flatMap((hint) => [
    {
      title: `specification §2.4: a reference access token is revoked ${hinted(hint)}`,
      rule: "userinfo.token-live",
      run: async (w) => {
        const { access_token } = await tokensFor(w, "opaque")
        const answer = await revoke(w, "opaque", access_token, hint)
        return { ...(await userinfo(w, access_token)), params: { revocation: String(answer.status) } }
      },
      expect: { ...refused("invalid_token", "The access token has been revoked.", 401), params: { revocation: "200" } },
    } satisfies Case,
    {
      title: `specification §2.4: a refresh token is revoked ${hinted(hint)}`,
      rule: "refresh.grant-live",
      run: async (w) => {
        const { refresh_token } = await tokensFor(w)
        const answer = await revoke(w, "web", refresh_token, hint)
        return { ...(await refresh(w, refresh_token)), params: { revocation: String(answer.status) } }
      },
      expect: { ...refused("invalid_grant", "The refresh token has been revoked."), params: { revocation: "200" } },
    } satisfies Case,
    {
      title: `specification §2.4: a JWT access token is not revoked ${hinted(hint)}, and stays alive`,
      rule: "revocation.type-supported",
      run: async (w) => {
        const { access_token } = await tokensFor(w)
        const answer = await revoke(w, "web", access_token, hint)
        return { ...answer, params: { userinfo: String((await userinfo(w, access_token)).status) } }
      },
      expect: { ...refused("unsupported_token_type", "A JWT access token cannot be revoked."), params: { userinfo: "200" } },
    } satisfies Case,
  ]),
  {
    title: "specification §4: a foreign reference access token is answered 200, and stays alive",
    rule: "revocation.token-own",
    run: async (w) => {
      const { access_token } = await tokensFor(w, "opaque")
      const answer = await revoke(w, "web", access_token, undefined)
      return { ...answer, params: { userinfo: String((await userinfo(w, access_token)).status) } }
    },
    expect: { status: 200, json: {}, params: { userinfo: "200" } },
  },
  {
    title: "specification §4: a public client revokes its own token by client_id",
    rule: "refresh.grant-live",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w, "spa")
      const answer = await revoke(w, "spa", refresh_token, undefined)
      return { ...(await refresh(w, refresh_token, "spa")), params: { revocation: String(answer.status) } }
    },
    expect: { ...refused("invalid_grant", "The refresh token has been revoked."), params: { revocation: "200" } },
  },
]

/** Lines of the specification on device authorization, userinfo and revocation that no other file shows: §2.3, §2.4, §2.5, §4. */
export const cases: ReadonlyArray<Case> = [...deviceCases, ...userinfoCases, ...revocationCases]
