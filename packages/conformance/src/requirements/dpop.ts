import { decodeJwt } from "jose"
import { type Received, json, objectOf, textOf } from "../exchange/exchange.ts"
import { type Finding, first, hasStatus, holds, oneOf, same, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type ProofChanges, type ProofKey, ath, proofKey, proved } from "../steps/dpop.ts"
import { unsigned, withBrokenSignature } from "../steps/signed.ts"
import { type Steps, tokensOf, told } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleName } from "../target/roles.ts"

const offered = { dpop_signing_alg_values_supported: undefined } as const
const needs: Needs = { clients: ["public"], person: true, metadata: offered }
const atUserinfo: Needs = { ...needs, metadata: { ...offered, userinfo_endpoint: undefined } }
const refreshing: Needs = { ...needs, metadata: { ...offered, grant_types_supported: "refresh_token" } }
const dpop = area("dpop", needs)

/** Redeems a client's code with a DPoP proof. */
const redeemed = async (
  t: Steps,
  key: ProofKey,
  changes: ProofChanges = {},
  request: Readonly<Record<string, string>> = {},
  role: RoleName = "public",
) => {
  const authorized = await t.code(role, request)
  const redirect = authorized.asked.find(([name]) => name === "redirect_uri")?.[1]
  const fields = { grant_type: "authorization_code", code: authorized.code, redirect_uri: redirect, code_verifier: authorized.verifier }
  return asked(t, key, fields, changes, role)
}

/** Sends a token request with a DPoP proof. */
const asked = (
  t: Steps,
  key: ProofKey,
  fields: Readonly<Record<string, string | undefined>>,
  { claims = {}, ...changes }: ProofChanges = {},
  role: RoleName = "public",
): Promise<Received> =>
  proved(
    (proof) => t.post("token_endpoint", fields, role, { dpop: proof }),
    (nonce) => key.proof("POST", t.endpoint("token_endpoint"), t.now(), { ...changes, claims: { ...nonce, ...claims } }),
  )

/** Tokens that are bound to a key. */
const bound = async (t: Steps, key: ProofKey, request: Readonly<Record<string, string>> = {}) => {
  const tokens = tokensOf(await redeemed(t, key, {}, request))
  if (textOf(tokens["token_type"]).toLowerCase() !== "dpop") throw new Inconclusive("the access token is bound to no key")
  return tokens
}

/** Sends a userinfo request with a token and a DPoP proof. */
const userinfo = (t: Steps, token: unknown, key: ProofKey, changes: ProofChanges = {}): Promise<Received> =>
  proved(
    (proof) => t.get(t.endpoint("userinfo_endpoint"), { authorization: `DPoP ${textOf(token)}`, dpop: proof }),
    (nonce) =>
      key.proof("GET", t.endpoint("userinfo_endpoint"), t.now(), {
        ...changes,
        claims: { ath: ath(textOf(token)), ...nonce, ...changes.claims },
      }),
  )

const refused = (received: Received): Finding =>
  first(
    status(received, 400),
    oneOf(json(received)?.["error"], ["invalid_dpop_proof", "invalid_request"], "the error"),
    holds(json(received)?.["access_token"] === undefined, "an access token came"),
  )

const unauthorized = (received: Received): Finding => status(received, 400, 401)

/** A proof that the token endpoint must refuse. */
const wrong = (id: string, title: string, changes: (t: Steps, key: ProofKey) => ProofChanges, paragraph = "RFC 9449 §4.3"): Requirement =>
  dpop(
    id,
    paragraph,
    title,
    async (t) => {
      const key = await proofKey()
      return redeemed(t, key, changes(t, key))
    },
    refused,
  )

/**
 * A proof with another `iat` that the token endpoint must refuse, unless the server determines the time by its own nonces (RFC 9449 §4.3,
 * item 11).
 */
const untimely = (id: string, title: string, away: number): Requirement =>
  dpop(
    id,
    "RFC 9449 §4.3",
    title,
    async (t) => {
      let byNonce = false
      const whole = (proof: string): string => {
        byNonce ||= decodeJwt(proof)["nonce"] !== undefined
        return proof
      }
      const received = await redeemed(t, await proofKey(), { claims: { iat: t.now() + away }, whole })
      if (byNonce && received.status === 200) throw new Inconclusive("a nonce was asked for, which may tell the proof's time", received)
      return received
    },
    refused,
  )

/** Reports whether an access token is a JWT that is bound to a key (RFC 9449 §6.1). */
const isBound = (token: unknown): boolean => {
  const claims = objectOf(Buffer.from(textOf(token).split(".")[1] ?? "", "base64url").toString())
  const { cnf } = claims ?? {}
  return typeof cnf === "object" && cnf !== null && "jkt" in cnf
}

/** Access tokens that are bound to a key by DPoP (RFC 9449). */
export const proofsOfPossession: ReadonlyArray<Requirement> = [
  dpop(
    "algorithms",
    "RFC 9449 §5.1",
    "The algorithms of proofs are asymmetric",
    told("dpop_signing_alg_values_supported"),
    (listed) =>
      holds(
        Array.isArray(listed) && listed.length > 0 && listed.every((each) => typeof each === "string" && !/^(?:none|HS\d+)$/i.test(each)),
        `dpop_signing_alg_values_supported is ${shown(listed)}`,
      ),
    "MUST",
    { metadata: offered },
  ),
  dpop(
    "token-type",
    "RFC 9449 §5",
    "A token that is bound to the key of a proof has the type DPoP",
    async (t) => {
      const received = await redeemed(t, await proofKey())
      const { token_type: type, access_token: token } = json(received) ?? {}
      if (/^bearer$/i.test(textOf(type)) && !isBound(token))
        throw new Inconclusive("the token is of the type Bearer, as a server may decide, and nothing in it is bound", received)
      return received
    },
    (received) => first(success(received), same(textOf(json(received)?.["token_type"]).toLowerCase(), "dpop", "the token_type")),
  ),
  dpop(
    "bearer",
    "RFC 9449 §5",
    "A request without a proof is answered with a token of the type Bearer, or refused",
    async (t) => t.redeem("public", await t.code("public")),
    (received) =>
      holds(
        received.status >= 400 || /^bearer$/i.test(textOf(json(received)?.["token_type"])),
        "the token is bound to no key, and of the type DPoP",
      ),
  ),
  wrong("typ", "A proof of another typ is refused", () => ({ header: { typ: "JWT" } })),
  wrong("none", "A proof that nobody signed is refused", (_, { publicKey }) => ({
    whole: (proof) => unsigned(decodeJwt(proof), { typ: "dpop+jwt", alg: "none", jwk: publicKey }),
  })),
  wrong("signature", "A proof with a broken signature is refused", () => ({ whole: withBrokenSignature })),
  wrong("private-key", "A proof that brings a private key is refused", (_, { privateKey }) => ({ header: { jwk: privateKey } })),
  wrong("method", "A proof for another method is refused", () => ({ claims: { htm: "GET" } })),
  wrong("address", "A proof for another address is refused", () => ({ claims: { htu: "https://other.conformance.test/token" } })),
  wrong("jti-missing", "A proof without a jti is refused", () => ({ claims: { jti: undefined } })),
  wrong("method-missing", "A proof without a method is refused", () => ({ claims: { htm: undefined } })),
  wrong("time-missing", "A proof without a time is refused", () => ({ claims: { iat: undefined } })),
  untimely("old", "A proof that is an hour old is refused", -3600),
  untimely("ahead", "A proof that is an hour ahead is refused", 3600),
  wrong("two", "Two proofs are refused", () => ({ whole: (proof) => `${proof}, ${proof}` })),
  wrong("garbage", "A proof that is no JWT is refused", () => ({ whole: () => "proof" })),
  dpop(
    "jkt",
    "RFC 9449 §10",
    "A code whose request named a key by dpop_jkt is not redeemed with another",
    async (t) => redeemed(t, await proofKey(), {}, { dpop_jkt: (await proofKey()).jkt }),
    (received) => first(status(received, 400), holds(json(received)?.["access_token"] === undefined, "an access token came")),
  ),
  dpop(
    "userinfo",
    "RFC 9449 §7.1",
    "A bound token is taken with a proof of its key",
    async (t) => {
      const key = await proofKey()
      return userinfo(t, (await bound(t, key))["access_token"], key)
    },
    success,
    "MUST",
    atUserinfo,
  ),
  dpop(
    "once",
    "RFC 9449 §11.1",
    "A proof is taken once",
    async (t) => {
      const key = await proofKey()
      const token = (await bound(t, key))["access_token"]
      const taken = await userinfo(t, token, key)
      if (taken.status !== 200) throw new Inconclusive(`the first one was not taken: status ${taken.status}`, taken)
      return t.send(taken.sent)
    },
    unauthorized,
    "SHOULD",
    atUserinfo,
  ),
  dpop(
    "userinfo-bearer",
    "RFC 9449 §7.2",
    "A bound token is not taken as a bearer token",
    async (t) => t.userinfo((await bound(t, await proofKey()))["access_token"]),
    unauthorized,
    "MUST",
    atUserinfo,
  ),
  dpop(
    "userinfo-hash",
    "RFC 9449 §7.1",
    "A bound token is not taken with a proof for another token",
    async (t) => {
      const key = await proofKey()
      return userinfo(t, (await bound(t, key))["access_token"], key, { claims: { ath: ath("another") } })
    },
    unauthorized,
    "MUST",
    atUserinfo,
  ),
  dpop(
    "userinfo-key",
    "RFC 9449 §7.1",
    "A bound token is not taken with a proof of another key",
    async (t) => userinfo(t, (await bound(t, await proofKey()))["access_token"], await proofKey()),
    unauthorized,
    "MUST",
    atUserinfo,
  ),
  dpop(
    "userinfo-unproved",
    "RFC 9449 §7.1",
    "A bound token is not taken without a proof",
    async (t) =>
      t.get(t.endpoint("userinfo_endpoint"), { authorization: `DPoP ${textOf((await bound(t, await proofKey()))["access_token"])}` }),
    unauthorized,
    "MUST",
    atUserinfo,
  ),
  dpop(
    "refresh",
    "RFC 9449 §5",
    "A refresh token of a client without a secret is bound: it is taken with a proof of its key",
    async (t) => {
      const key = await proofKey()
      return asked(t, key, { grant_type: "refresh_token", refresh_token: await refreshToken(t, key) })
    },
    (received) => first(success(received), same(textOf(json(received)?.["token_type"]).toLowerCase(), "dpop", "the token_type")),
    "MUST",
    refreshing,
  ),
  dpop(
    "refresh-key",
    "RFC 9449 §5",
    "A refresh token of a client without a secret is not taken with a proof of another key",
    async (t) => asked(t, await proofKey(), { grant_type: "refresh_token", refresh_token: await refreshToken(t, await proofKey()) }),
    hasStatus(400),
    "MUST",
    refreshing,
  ),
  dpop(
    "refresh-unproved",
    "RFC 9449 §5",
    "A refresh token of a client without a secret is not taken without a proof",
    async (t) => t.token({ grant_type: "refresh_token", refresh_token: await refreshToken(t, await proofKey()) }, "public"),
    hasStatus(400),
    "MUST",
    refreshing,
  ),
]

const refreshToken = async (t: Steps, key: ProofKey): Promise<string> => {
  const token = textOf((await bound(t, key, { scope: "openid offline_access", prompt: "consent" }))["refresh_token"])
  if (token === "") throw new Inconclusive("no refresh token came for offline_access")
  return token
}
