import type { ClientMetadata } from "@postern/core"
import { type Confirmation, readHandle } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { type ClientKind, bindings } from "../../packages/core/src/features/dpop/binding.ts"
import { claimsOf, codeFor, post, verifier } from "../support/flows.ts"
import { otherKey, ownKey, prove } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { type World, clients, world } from "../support/world.ts"

const path = "/connect/token"
const clientOf: Readonly<Record<ClientKind, string>> = { public: "spa", confidential: "web" }

/** A world in which a policy is stated by one client, or by the provider for all of them. */
const wanting = (wanted: string, by: "client" | "provider", more: object = {}): Promise<World> => {
  const stated = wanted === "unstated" ? {} : { dpop_bound_tokens: wanted }
  return world({
    clients: clients.map((each) => ({ ...each, ...(by === "client" ? stated : {}), ...more }) as ClientMetadata),
    more: by === "provider" ? { settings: stated } : {},
  })
}

const confirmationOf = async (w: World, refreshToken: unknown): Promise<Confirmation | undefined> =>
  (await w.tokens.findRefreshToken(readHandle("r", String(refreshToken))?.locator ?? ""))?.token.confirmation

const redeemed = async (w: World, clientId: string): Promise<Said> => {
  const code = await codeFor(w, clientId, { scope: "openid offline_access api.read" })
  return prove(w, path, clientId, {
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://app.example/cb",
    code_verifier: verifier,
  })
}

/** Expects an answer to be bound to the usual key, in each token by its own. */
const expectBound = async (w: World, { status, json }: Said, bound: { readonly access: boolean; readonly refresh: boolean }) => {
  const cnf = { jkt: ownKey.jkt }
  expect([status, json?.["token_type"]]).toEqual([200, bound.access ? "DPoP" : "Bearer"])
  expect(claimsOf(String(json?.["access_token"]))["cnf"]).toEqual(bound.access ? cnf : undefined)
  expect(await confirmationOf(w, json?.["refresh_token"])).toEqual(bound.refresh ? cnf : undefined)
}

const rows = Object.entries(bindings).flatMap(([wanted, kinds]) =>
  Object.entries(kinds).flatMap(([kind, bound]) =>
    (["client", "provider"] as const).map((by) => [wanted, by, kind as ClientKind, bound] as const),
  ),
)

describe.each(rows)("RFC 9449 §5: dpop_bound_tokens %s of the %s, for a %s client", (wanted, by, kind, bound) => {
  test("binds what the matrix says, and so does each rotation", async () => {
    const w = await wanting(wanted, by)
    const first = await redeemed(w, clientOf[kind])
    await expectBound(w, first, bound)
    const refresh = { grant_type: "refresh_token", refresh_token: String(first.json?.["refresh_token"]) }
    // The token itself says what it is bound to: no other key, and no request without one, gets anything for it.
    const [none, other] = [await post(w, path, clientOf[kind], refresh), await prove(w, path, clientOf[kind], refresh, { key: otherKey })]
    if (bound.refresh) expect([none, other].map(({ json }) => json?.["error"])).toEqual(["invalid_grant", "invalid_grant"])
    else expect(none.status).toBe(200)
    if (bound.refresh) await expectBound(w, await prove(w, path, clientOf[kind], refresh), bound)
  })
})

test("RFC 9449 §5.2: a client that must have bound access tokens has them, though the provider would bind refresh tokens alone", async () => {
  const w = await wanting("refresh", "provider", { dpop_bound_access_tokens: true })
  for (const clientId of Object.values(clientOf)) await expectBound(w, await redeemed(w, clientId), { access: true, refresh: true })
})

test("RFC 9449 §5: a client's own wish comes before the provider's", async () => {
  const w = await world({
    clients: clients.map((each) => ({ ...each, dpop_bound_tokens: "both" }) as ClientMetadata),
    more: { settings: { dpop_bound_tokens: "refresh" } },
  })
  await expectBound(w, await redeemed(w, "web"), { access: true, refresh: true })
})

test("RFC 9449 §5: without a proof nothing is bound, whatever is wanted", async () => {
  for (const wanted of Object.keys(bindings)) {
    const w = await wanting(wanted, "client")
    const code = await codeFor(w, "spa", { scope: "openid offline_access" })
    const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
    const { json } = await post(w, path, "spa", fields)
    expect([json?.["token_type"], await confirmationOf(w, json?.["refresh_token"])]).toEqual(["Bearer", undefined])
  }
})
