import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "./arbitraries.ts"
import type { Trail } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { IdentityProvidersPort, TokenStorePort } from "@postern/core/ports"
import { authorize, basic, follow, post, redeem, refresh, request, userinfo, verifier } from "../support/flows.ts"
import { comeBack, fakeProviders, withUpstream } from "../support/upstream.ts"
import type { Visitor } from "../support/visitor.ts"
import { ask, askWith, assertionOf, sharedSecret, signingClients } from "../support/assertions.ts"
import { type World, password } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { quickWorld } from "./quickWorld.ts"

/** A store that keeps a copy of every command it was given, and of every row it gave. */
const watched = (): { readonly tokens: TokenStorePort; readonly seen: Array<unknown> } => {
  const seen: Array<unknown> = []
  const noted = Object.entries(memoryTokenStore()).map(([name, call]: readonly [string, (...args: ReadonlyArray<unknown>) => unknown]) => [
    name,
    (...args: ReadonlyArray<unknown>) => {
      const rows = call(...args)
      seen.push(structuredClone(name === "commit" ? args : rows))
      return rows
    },
  ])
  // Each call goes on to the same call of the store, and gives what it gives.
  return { seen, tokens: Object.fromEntries(noted) as TokenStorePort }
}

/** Finds the part of a value that must never be kept: the secret part of a handle, a JWT's seal, anything else as it is. */
const secretOf = (value: string): string => {
  if (/^[carsibdupgn]_[\w-]{59}$/.test(value)) return value.slice(-43)
  return value.split(".").length === 3 ? (value.split(".")[2] ?? value) : value
}

interface Journey {
  readonly w: World
  readonly visitor: Visitor
  /** Every secret given or taken so far. */
  readonly secrets: Set<string>
  readonly codes: Array<string>
  readonly refreshTokens: Array<string>
  readonly accessTokens: Array<string>
  readonly assertions: Array<string>
}

const clients = ["web", "opaque", "spa", "asks"] as const
type ClientId = (typeof clients)[number]
type Step = (journey: Journey, pick: number, client: ClientId) => Promise<unknown>
const at = (list: ReadonlyArray<string>, pick: number): string => list[pick % Math.max(1, list.length)] ?? "none yet"
const keep = (j: Journey, list: Array<string>, value: unknown): void => {
  if (typeof value !== "string") return
  list.push(value)
  j.secrets.add(secretOf(value))
}
const wrongPassword = "battery staple"
const upstreamCode = "code-of-another-provider"

const ann = { subject: "sub-ann", username: "ann", active: true, claims: {} }

/** Other providers, whose every nonce and verifier is a secret. */
const heard = (secrets: Set<string>, begun: () => void): IdentityProvidersPort => {
  const port = fakeProviders()
  return {
    ...port,
    begin: (asked) => {
      secrets.add(asked.codeVerifier)
      secrets.add(asked.nonce)
      begun()
      return port.begin(asked)
    },
  }
}

/** Fills in the sign-in page; someone who is signed in is not shown it. */
const submitLogin = async ({ visitor }: Journey, typed: string): Promise<void> => {
  const { page } = await visitor.get("/login")
  if (page !== undefined)
    await visitor.submit(page, [
      ["username", "alice"],
      ["password", typed],
    ])
}

/** All that a person or a client does with secrets, right and wrong. */
const steps: Readonly<Record<string, Step>> = {
  signIn: (j) => submitLogin(j, password),
  signInWrongly: (j) => submitLogin(j, wrongPassword),
  signInThroughAForm: (j) =>
    j.visitor.post("/login", [
      ["csrf", "guessed"],
      ["username", "alice"],
      ["password", password],
    ]),
  authorize: async (j, _, client) => {
    const answer = await authorize(j.visitor, client, { scope: "openid profile offline_access" })
    if (answer.page?.["_tag"] === "Consent" || answer.page?.["_tag"] === "Login") {
      const { hidden } = answer.page["form"] as { hidden: ReadonlyArray<readonly [string, string]> }
      for (const [, value] of hidden) j.secrets.add(secretOf(value))
    }
    if (answer.page?.["_tag"] === "Consent")
      await j.visitor.submit(answer.page, [
        ["decision", "allow"],
        ["scope", "profile"],
      ])
    keep(j, j.codes, answer.params["code"])
  },
  authorizeBadly: (j, pick, client) =>
    j.visitor.get(
      "/connect/authorize",
      request(client, { prompt: "none", scope: "openid api.read", id_token_hint: at(j.accessTokens, pick) }),
    ),
  redeem: async (j, pick, client) => {
    const { json } = await redeem(j.w, at(j.codes, pick), client)
    keep(j, j.accessTokens, json?.["access_token"])
    keep(j, j.refreshTokens, json?.["refresh_token"])
  },
  redeemWrongly: (j, pick, client) => redeem(j.w, at(j.codes, pick), client, { code_verifier: `${verifier}w` }),
  refresh: async (j, pick, client) => {
    const { json } = await refresh(j.w, at(j.refreshTokens, pick), client)
    keep(j, j.accessTokens, json?.["access_token"])
    keep(j, j.refreshTokens, json?.["refresh_token"])
  },
  misplace: (j, pick, client) =>
    redeem(j.w, at(j.refreshTokens, pick), client, { code_verifier: at(j.codes, pick), refresh_token: at(j.accessTokens, pick) }),
  wrongSecret: (j, pick) =>
    post(
      j.w,
      "/connect/token",
      undefined,
      { grant_type: "authorization_code", code: at(j.codes, pick), code_verifier: verifier },
      { authorization: basic("web", "secret of nobody") },
    ),
  secretTwice: (j) => post(j.w, "/connect/token", "web", { grant_type: "client_credentials", client_secret: "secret of web" }),
  secretInTheUrl: (j, pick, client) =>
    j.visitor.get("/connect/authorize", {
      ...request(client),
      prompt: "login",
      client_secret: "secret of web",
      password,
      code_verifier: verifier,
      refresh_token: at(j.refreshTokens, pick),
    }),
  secretWithoutScheme: (j) =>
    post(j.w, "/connect/token", undefined, { grant_type: "client_credentials" }, { authorization: wrongPassword.replace(" ", "-") }),
  bearerForBasic: (j, pick) =>
    post(j.w, "/connect/token", undefined, { grant_type: "client_credentials" }, { authorization: `Bearer ${at(j.accessTokens, pick)}` }),
  signInElsewhere: async (j, pick) => {
    const away = await authorize(j.visitor, "work", { acr_values: "idp:corp", ...(pick % 2 === 0 ? {} : { prompt: "login" }) })
    if (away.to !== "https://corp.example/authorize") return
    j.secrets.add(secretOf(away.params["state"] ?? ""))
    const answer = pick % 3 === 0 ? { error: "access_denied" } : { code: upstreamCode }
    await follow(j.visitor, await comeBack(j.visitor, away, answer))
    await comeBack(j.visitor, away, { code: upstreamCode })
  },
  passwordElsewhere: (j, pick) =>
    post(j.w, "/connect/token", "ropc-work", {
      grant_type: "password",
      username: "ann",
      password: pick % 2 === 0 ? "corp secret" : wrongPassword,
      acr_values: "idp:corp",
    }),
  assertion: async (j) => {
    const assertion = await assertionOf(j.w, "hmac")
    keep(j, j.assertions, assertion)
    const { json } = await askWith(j.w, assertion)
    keep(j, j.accessTokens, json?.["access_token"])
  },
  assertionAgain: (j, pick) => askWith(j.w, at(j.assertions, pick), {}),
  assertionMisplaced: (j, pick) => askWith(j.w, at([...j.accessTokens, ...j.codes], pick), { client_id: "hmac" }),
  assertionWronglySigned: (j) => ask(j.w, "hmac", { key: new TextEncoder().encode(`${sharedSecret}!`) }),
  signerInTheClear: (j) =>
    post(j.w, "/connect/token", undefined, { grant_type: "client_credentials", client_id: "hmac", client_secret: sharedSecret }),
  userinfo: (j, pick) => userinfo(j.w, at([...j.accessTokens, ...j.refreshTokens], pick)),
  userinfoByUrl: (j, pick) => j.w.send({ path: "/connect/userinfo", query: `access_token=${at(j.accessTokens, pick)}` }),
  introspect: (j, pick, client) =>
    post(j.w, "/connect/introspect", client, { token: at([...j.accessTokens, ...j.refreshTokens, ...j.codes], pick) }),
  revoke: (j, pick, client) =>
    post(j.w, "/connect/revocation", client, { token: at([...j.refreshTokens, ...j.accessTokens], pick), token_type_hint: "access_token" }),
  wait: async (j, pick) => j.w.pass([1, 31, 61, 3601][pick % 4] ?? 1),
  goHome: (j) => j.visitor.get("/"),
  signOut: async (j) => {
    const { page } = await j.visitor.get("/logout")
    if (page?.["_tag"] === "Logout") await j.visitor.submit(page)
  },
}

const plan = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(20), fc.constantFrom(...clients)), {
  minLength: 2,
  maxLength: 12,
})
const opening: ReadonlyArray<readonly [string, number, ClientId]> = [
  ["signIn", 0, "web"],
  ["authorize", 0, "web"],
  ["redeem", 0, "web"],
]

describe("secrets", () => {
  test(
    "architecture laws 8 and 9: whatever is done, no password, secret, code, token, verifier or cookie is in any row, command or trail",
    patient,
    async () => {
      const found = { secrets: 0, trails: 0, rows: 0, elsewhere: 0 }
      await fc.assert(
        fc.asyncProperty(plan, async (rest) => {
          const { tokens, seen } = watched()
          const secrets = new Set([
            password,
            "corp secret",
            upstreamCode,
            wrongPassword,
            wrongPassword.replace(" ", "-"),
            verifier,
            `${verifier}w`,
            "secret of web",
            "secret of opaque",
            "secret of asks",
            "secret of nobody",
            sharedSecret,
            basic("web").slice(6),
          ])
          const w = quickWorld({
            tokens,
            clients: [...(withUpstream().clients ?? []), ...signingClients],
            admit: () => ({ _tag: "Verified", person: ann, amr: [], acr: undefined }),
            more: { identityProviders: heard(secrets, () => found.elsewhere++) },
          })
          const journey: Journey = { w, visitor: w.visitor(), secrets, codes: [], refreshTokens: [], accessTokens: [], assertions: [] }
          for (const [name, pick, client] of [...opening, ...rest]) {
            await steps[name]?.(journey, pick, client)
            for (const cookie of journey.visitor.cookies.values()) secrets.add(secretOf(cookie))
          }
          const kept = JSON.stringify(seen) + JSON.stringify(w.trails satisfies ReadonlyArray<Trail>)
          for (const secret of secrets) expect(kept.includes(secret), `${secret} is kept`).toBe(false)
          found.secrets += secrets.size
          found.trails += w.trails.length
          found.rows += seen.length
        }),
        { numRuns: runs(1000) },
      )
      expect(found.secrets).toBeGreaterThan(runs(7000, 500))
      expect(found.trails).toBeGreaterThan(runs(7000, 500))
      expect(found.rows).toBeGreaterThan(runs(7000, 500))
      expect(found.elsewhere).toBeGreaterThan(runs(150, 5))
    },
  )
})
