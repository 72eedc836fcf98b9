import { expect } from "vitest"
import { claimsOf } from "../../support/flows.ts"
import { idTokenHolds, unguessable } from "../contract.ts"
import { type Module, Suite } from "../suite.ts"

const offline = { scope: "openid offline_access", prompt: "consent" }

/** Refreshing as the suite's first client, which repeats the scope, and its second, which does not. */
const refreshed = async (suite: Suite, repeatsScope: boolean): Promise<string> => {
  const { document, client, w } = suite
  const { idToken, pages, token } = await suite.login(offline)
  expect(pages.at(-1)).toBe("Consent")
  expect(document["grant_types_supported"]).toContain("refresh_token")
  const refreshToken = token?.refresh_token ?? ""
  unguessable(refreshToken)
  const before = claimsOf(token?.id_token ?? "")
  w.pass(1)
  const scope = repeatsScope ? { scope: offline.scope } : {}
  const { status, json, header } = await suite.token({ grant_type: "refresh_token", refresh_token: refreshToken, ...scope })
  expect(status).toBe(200)
  expect(header("cache-control")).toBe("no-store")
  expect(json?.["token_type"]).toBe("Bearer")
  expect(json?.["expires_in"]).toBeGreaterThan(0)
  unguessable(json?.["access_token"])
  unguessable(json?.["refresh_token"])
  const after = await idTokenHolds(w, json?.["id_token"], {
    clientId: client.client_id,
    nonce: claimsOf(String(json?.["id_token"]))["nonce"] as string | undefined,
    code: undefined,
    accessToken: String(json?.["access_token"]),
    frontChannel: false,
    userClaims: [],
  })
  for (const claim of ["iss", "sub", "aud", "azp", "auth_time"]) expect(after[claim]).toEqual(before[claim])
  if ("nonce" in after) expect(after["nonce"]).toBe(before["nonce"])
  expect(after["iat"]).not.toBe(before["iat"])
  await suite.userinfo(String(json?.["access_token"]), idToken["sub"], [])
  return String(json?.["refresh_token"])
}

/** Refresh tokens. */
export const refresh: ReadonlyArray<Module> = [
  {
    name: "oidcc-refresh-token",
    in: (plan) => plan.kind !== "implicit",
    run: async (plan) => {
      const first = await Suite.start(plan)
      expect(first.document["scopes_supported"]).toContain("offline_access")
      await refreshed(first, true)
      const ofSecond = await refreshed(first.as("suite-two"), false)
      first.refused(await first.token({ grant_type: "refresh_token", refresh_token: ofSecond }), "invalid_grant")
    },
  },
]
