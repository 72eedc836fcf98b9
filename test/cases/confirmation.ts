import type { Confirmation } from "@postern/core/model"
import { confirmingFeatures, proving } from "../support/confirming.ts"
import { codeFor, redeem, refresh, userinfo } from "../support/flows.ts"
import type { World, WorldOptions } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const options: WorldOptions = { more: { features: confirmingFeatures } }
const key: Confirmation = { jkt: "k".repeat(43) }
const other: Confirmation = { jkt: "o".repeat(43) }
const certificate: Confirmation = { "x5t#S256": "k".repeat(43) }

const boundTokens = async (w: World, clientId: string) =>
  (await redeem(w, await codeFor(w, clientId, { scope: "openid offline_access" }), clientId, proving(key))).json ?? {}

const refreshing = (title: string, proved: Confirmation | undefined, expect?: Case["expect"]): Case => ({
  title,
  rule: expect === undefined ? undefined : "refresh.confirmation",
  options,
  run: async (w) => refresh(w, String((await boundTokens(w, "spa"))["refresh_token"]), "spa", proving(proved)),
  expect: expect ?? { status: 200, json: { token_type: "DPoP" } },
})
const invalid = refused("invalid_grant", "The refresh token is not valid.")

/** Tokens that are bound to a key or a certificate: RFC 9449, RFC 8705. */
export const cases: ReadonlyArray<Case> = [
  refreshing("RFC 9449 §5: a public client's bound refresh token is taken with a proof of its key", key),
  refreshing("RFC 9449 §5: but not without one", undefined, invalid),
  refreshing("RFC 9449 §5: nor with a proof of another key", other, invalid),
  refreshing("RFC 8705 §4: nor with a certificate whose digest is the key's thumbprint", certificate, invalid),
  {
    title: "RFC 9449 §5: a confidential client's refresh token is bound by its authentication, not by a key",
    rule: undefined,
    options,
    run: async (w) => refresh(w, String((await boundTokens(w, "web"))["refresh_token"]), "web", proving(other)),
    expect: { status: 200, json: { token_type: "DPoP" } },
  },
  ...["web", "opaque"].map((clientId): Case => ({
    title: `RFC 9449 §7.1: userinfo takes no bound token as a bearer's (${clientId})`,
    rule: "userinfo.token-bearer",
    options,
    run: async (w) => userinfo(w, String((await boundTokens(w, clientId))["access_token"])),
    expect: refused("invalid_token", "The access token is not valid.", 401),
  })),
]
