import { claimsOf, token, userinfo } from "../support/flows.ts"
import type { World } from "../support/world.ts"
import { clients, password } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

type Changes = Readonly<Record<string, string | undefined>>

const ask = (w: World, changes: Changes = {}, clientId = "ropc") => {
  const fields = { grant_type: "password", username: "alice", password, ...changes }
  return token(
    w,
    clientId,
    Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  )
}
const wrong = refused("invalid_grant", "The username or password is not right.")

/** The password grant: RFC 6749 §4.3, specification §2.2, §4 rule 5. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §4.3.3: a person's password is exchanged for tokens",
    rule: undefined,
    run: (w) => ask(w, { scope: "openid email" }),
    expect: {
      status: 200,
      json: { token_type: "Bearer", expires_in: 3600, scope: "openid email" },
      headers: { "cache-control": "no-store" },
    },
  },
  {
    title: "specification §4 rule 8: scope omitted gives every scope the client is explicitly allowed, and so a refresh token",
    rule: undefined,
    run: async (w) => {
      const answer = await ask(w)
      return { ...answer, json: { scope: answer.json?.["scope"], refresh: typeof answer.json?.["refresh_token"] } }
    },
    expect: { status: 200, json: { scope: "openid email offline_access api.read", refresh: "string" } },
  },
  {
    title: "specification §5: the token represents the user at userinfo",
    rule: undefined,
    run: async (w) => userinfo(w, String((await ask(w)).json?.["access_token"])),
    expect: { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  },
  {
    title: "OpenID Connect Core §2: no session stands behind it, so no sid",
    rule: undefined,
    run: async (w) => {
      const answer = await ask(w)
      return { ...answer, json: { sid: "sid" in claimsOf(String(answer.json?.["id_token"])) } }
    },
    expect: { status: 200, json: { sid: false } },
  },
  {
    title: "RFC 8707 §2.2: the password grant can be narrowed to a resource",
    rule: undefined,
    run: (w) => ask(w, { resource: "https://api.example" }),
    expect: { status: 200, json: { scope: "api.read" } },
  },
  {
    title: "RFC 6749 §5.2: off for a client until it is given",
    rule: "token.grant-type-allowed",
    run: (w) => ask(w, {}, "web"),
    expect: refused("unauthorized_client", "The client may not use this grant_type."),
  },
  {
    title: "specification §4 rule 5: no username is refused",
    rule: "password.username-present",
    run: (w) => ask(w, { username: undefined }),
    expect: refused("invalid_request", "The username is missing."),
  },
  {
    title: "specification §4 rule 5: no password is refused",
    rule: "password.password-present",
    run: (w) => ask(w, { password: undefined }),
    expect: refused("invalid_request", "The password is missing."),
  },
  {
    title: "behaviour, people: a password longer than 1024 characters is not looked at",
    rule: "password.length",
    run: async (w) => {
      const answer = await ask(w, { username: "tired", password: "x".repeat(1025) })
      return { ...answer, page: { retry: answer.header("retry-after") ?? "none" } }
    },
    expect: { ...wrong, page: { retry: "none" } },
  },
  {
    title: "RFC 6749 §3.3: a scope that names nothing is refused in the password grant",
    rule: "password.scope-form",
    run: (w) => ask(w, { scope: " " }),
    expect: refused("invalid_scope", "The scope names nothing."),
  },
  {
    title: "RFC 6749 §3.3: a scope the client is not allowed is refused in the password grant",
    rule: "password.scope-allowed",
    run: (w) => ask(w, { scope: "openid profile" }),
    expect: refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 8707 §2: in the password grant too a resource is an absolute URI",
    rule: "password.resource-form",
    run: (w) => ask(w, { resource: "nonsense" }),
    expect: refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  },
  {
    title: "RFC 8707 §2: the password grant cannot reach a resource the client has no scope of",
    rule: "password.resource-allowed",
    run: (w) => ask(w, { resource: "https://billing.example" }),
    expect: refused("invalid_target", "A resource is unknown or not allowed."),
  },
  {
    title: "specification §2.2: a client without any scope gets no empty token by password",
    rule: "password.scope-some",
    options: { clients: clients.map((each) => (each.client_id === "ropc" ? { ...each, scope: "" } : each)) },
    run: (w) => ask(w),
    expect: refused("invalid_scope", "No scope is allowed for this client."),
  },
  {
    title: "RFC 6749 §5.2: a wrong password is invalid_grant",
    rule: "password.verified",
    run: (w) => ask(w, { password: "wrong" }),
    expect: wrong,
  },
  {
    title: "RFC 6749 §5.2: an unknown person is the same invalid_grant",
    rule: "password.verified",
    run: (w) => ask(w, { username: "nobody" }),
    expect: wrong,
  },
  {
    title: "RFC 6749 §5.2: a disabled person is the same invalid_grant",
    rule: "password.person-active",
    run: (w) => ask(w, { username: "mallory" }),
    expect: wrong,
  },
  {
    title: "RFC 9700 §4.15: a person whose subject is a client_id gets no tokens by password either",
    rule: "password.apart-from-clients",
    run: (w) => ask(w, { username: "dave" }),
    expect: wrong,
  },
  {
    title: "NIST SP 800-63B §3.2.2: after five wrong passwords an account waits, with the right one too, however its name is spelled",
    rule: "password.account-attempts",
    run: async (w) => {
      for (const username of ["alice", "Alice", " ALICE", "ａｌｉｃｅ", "alice "]) await ask(w, { username, password: "wrong" })
      return ask(w)
    },
    expect: { ...refused("invalid_grant", "Too many failed attempts. Try again later.", 429), headers: { "retry-after": "30" } },
  },
  {
    title: "NIST SP 800-63B §3.2.2: an address that guessed at fifty accounts waits",
    rule: "password.address-attempts",
    run: async (w) => {
      for (let tries = 0; tries < 50; tries++) await ask(w, { username: `victim ${tries}`, password: "wrong" })
      return ask(w)
    },
    expect: { ...refused("invalid_grant", "Too many failed attempts. Try again later.", 429), headers: { "retry-after": "900" } },
  },
  {
    title: "RFC 6749 §4.3.2, RFC 6585 §4: too many attempts are 429 with Retry-After, whoever was asked for",
    rule: "password.throttled",
    run: (w) => ask(w, { username: "tired" }),
    expect: { ...refused("invalid_grant", "Too many failed attempts. Try again later.", 429), headers: { "retry-after": "7" } },
  },
]
