import type { Confirmation } from "@postern/core/model"
import { confirmingFeatures, confirmingTwice, proving } from "../support/confirming.ts"
import { codeFor, redeem, refresh, request, token, userinfo } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients } from "../support/world.ts"
import { type Case, refused, sentBack } from "./case.ts"

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

/** Presents a bound token that was rotated 30 s ago, and tells of that, or of its successor with its key. */
const replaying = (
  title: string,
  proved: Confirmation | undefined,
  told: "own" | "next",
  expect: Case["expect"],
  rule = expect.status === 200 ? undefined : "refresh.confirmation",
): Case => ({
  title: `RFC 9449 §5, RFC 9700 §4.14.2: a rotated token that comes back too late ${title}`,
  rule,
  options,
  run: async (w) => {
    const own = String((await boundTokens(w, "spa"))["refresh_token"])
    const next = await refresh(w, own, "spa", proving(key))
    w.pass(30)
    const answer = await refresh(w, own, "spa", proving(proved))
    return told === "own" ? answer : refresh(w, String(next.json?.["refresh_token"]), "spa", proving(key))
  },
  expect,
})

const unboundToken = async (w: World) =>
  String((await redeem(w, await codeFor(w, "spa", { scope: "openid offline_access" }), "spa")).json?.["refresh_token"])

/** Clients whose tokens must all be bound. */
const must: WorldOptions = {
  ...options,
  clients: clients
    .filter(({ client_id }) => ["web", "hybrid"].includes(client_id))
    .map((each) => ({ ...each, tokens_must_be_bound: true })),
}
const machineToken = (w: World, proof: Readonly<Record<string, string>>) =>
  token(w, "web", { grant_type: "client_credentials", scope: "api.read", ...proof })

/** Asks for userinfo with a token that is bound to a key. */
const presenting = async (w: World, scheme: string, proved: string | undefined, clientId = "web", bound: Confirmation = key) => {
  const tokens = (await redeem(w, await codeFor(w, clientId, { scope: "openid" }), clientId, proving(bound))).json
  const authorization = `${scheme} ${String(tokens?.["access_token"])}`
  return said(
    await w.send({ method: "GET", path: "/connect/userinfo", headers: { authorization, ...(proved === undefined ? {} : { proved }) } }),
  )
}
const invalidToken = refused("invalid_token", "The access token is not valid.", 401)

const invalid = refused("invalid_grant", "The refresh token is not valid.")

/** Tokens that are bound to a key or a certificate: RFC 9449, RFC 8705. */
export const cases: ReadonlyArray<Case> = [
  refreshing("RFC 9449 §5: a public client's bound refresh token is taken with a proof of its key", key),
  refreshing("RFC 9449 §5: but not without one", undefined, invalid),
  refreshing("RFC 9449 §5: nor with a proof of another key", other, invalid),
  refreshing("RFC 8705 §4: nor with a certificate whose digest is the key's thumbprint", certificate, invalid),
  replaying("without a proof is refused", undefined, "own", invalid),
  replaying("with a proof of another key is refused", other, "own", invalid),
  replaying("with a proof of another key ends nothing: its family lives on", other, "next", { status: 200, json: { token_type: "DPoP" } }),
  replaying("with its key is a replay", key, "own", refused("invalid_grant", "The refresh token has been used."), "refresh.unrotated"),
  replaying(
    "with its key revokes its family",
    key,
    "next",
    refused("invalid_grant", "The refresh token has been revoked."),
    "refresh.grant-live",
  ),
  {
    title: "RFC 9449 §5: an unbound token, rotated a moment ago with a proof, gets its bound successor again with that key alone",
    rule: "refresh.successor-confirmation",
    options,
    run: async (w) => {
      const own = await unboundToken(w)
      await refresh(w, own, "spa", proving(key))
      return refresh(w, own, "spa")
    },
    expect: invalid,
  },
  {
    title: "RFC 9700 §4.14.2: an unbound token whose successor is bound is replayed by anybody, and its family is revoked",
    rule: "refresh.unrotated",
    options,
    run: async (w) => {
      const own = await unboundToken(w)
      await refresh(w, own, "spa", proving(key))
      w.pass(30)
      return refresh(w, own, "spa")
    },
    expect: refused("invalid_grant", "The refresh token has been used."),
  },
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
  ...["web", "opaque"].map((clientId): Case => ({
    title: `RFC 9449 §7.1: userinfo takes a bound token with a proof of its key (${clientId})`,
    rule: undefined,
    options,
    run: async (w) => presenting(w, "dpop", JSON.stringify(key), clientId),
    expect: { status: 200, json: { sub: "sub-alice" } },
  })),
  {
    title: "RFC 8705 §3: userinfo takes a token that is bound to a certificate as a bearer's, with the certificate",
    rule: undefined,
    options,
    run: async (w) => presenting(w, "Bearer", JSON.stringify(certificate), "web", certificate),
    expect: { status: 200, json: { sub: "sub-alice" } },
  },
  {
    title: "RFC 9449 §7.1: userinfo takes no bound token with a proof of another key, and names its scheme",
    rule: "userinfo.token-bearer",
    options,
    run: async (w) => presenting(w, "DPoP", JSON.stringify(other)),
    expect: {
      ...invalidToken,
      headers: {
        "www-authenticate": 'DPoP realm="postern", error="invalid_token", error_description="The access token is not valid."',
      },
    },
  },
  {
    title: "RFC 9449 §7.1: a proof that is none is refused by the rule of its feature, with its own error",
    rule: "confirming.legible",
    options,
    run: async (w) => presenting(w, "DPoP", "nonsense"),
    expect: refused("invalid_dpop_proof", "The proof is not valid.", 401),
  },
  {
    title: "RFC 9449 §7.2: userinfo takes no token that is bound to a key by the scheme of bearers",
    rule: "userinfo.token-scheme",
    options,
    run: async (w) => presenting(w, "Bearer", JSON.stringify(key)),
    expect: invalidToken,
  },
  {
    title: "RFC 9449 §5.2: a client whose tokens must be bound gets none without a proof",
    rule: "token.confirmation",
    options: must,
    run: async (w) => machineToken(w, {}),
    expect: refused("invalid_request", "The client's tokens must be bound to a key or a certificate."),
  },
  {
    title: "RFC 7800 §3.1: a client whose tokens must be bound in two ways gets none that is bound in one",
    rule: "token.confirmation-one",
    options: {
      more: { features: confirmingTwice() },
      clients: (must.clients ?? []).map((each) => ({ ...each, tokens_must_be_bound_too: true })),
    },
    run: async (w) => machineToken(w, proving(key)),
    expect: refused("unauthorized_client", "The client's tokens cannot be bound in two ways."),
  },
  {
    title: "RFC 9449 §5.2: and gets them with one",
    rule: undefined,
    options: must,
    run: async (w) => machineToken(w, proving(key)),
    expect: { status: 200, json: { token_type: "DPoP" } },
  },
  {
    title: "RFC 9449 §5.2: a client whose tokens must be bound gets no access token from the authorization endpoint",
    rule: "authorize.token-bound",
    options: must,
    run: async (w) => w.visitor().get("/connect/authorize", request("hybrid", { response_type: "code token", nonce: "n" })),
    expect: sentBack("unauthorized_client", "The client may not use this response_type."),
  },
]
