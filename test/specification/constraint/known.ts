import { type Clause, apiProofs, assertions, bound, clause, confirmation, dpop, nginx, proofs, pushed } from "./clause.ts"
import { from } from "../line.ts"

/** Faults that other providers and their clients have had with bound tokens, each with what keeps it from here. */
const faults: ReadonlyArray<Clause> = [
  clause("X-1", "RFC 9449 §8", "a refresh without a nonce uses its token up, so the second one with it fails", {
    rules: "dpop.nonce",
    tests: proofs("nor does any refusal of a proof: the same request succeeds after all of them"),
  }),
  clause("X-2", "RFC 9449 §7.1", "userinfo takes a stolen token with any proof", {
    rules: "userinfo.token-bearer",
    tests: dpop("RFC 9449 §7.1: userinfo takes no stolen token with a proof of the thief's own key"),
  }),
  clause("X-3", "RFC 9449 §5", "a bound refresh token passes unproved once its client's flag is off", {
    rules: "refresh.confirmation revocation.confirmation",
    tests: dpop(
      "RFC 9449 §5: a refresh token of a public client that was bound is not revoked without its key, whatever the client says by then",
      "RFC 9449 §5: and is with it",
    ),
  }),
  clause("X-4", "RFC 9449 §5, §7.1", "an endpoint that takes a bound token reads no proof", {
    reason: "Endpoints are derived from the features, and asked one by one.",
    tests: [
      ...proofs("RFC 9449 §5, §7: these endpoints judge the proof of whatever request has one; others of those that need it"),
      ...bound(
        "RFC 9449 §7.1, RFC 8705 §3: no endpoint takes a bound token that nothing was proved of, unless its client proves itself there",
      ),
    ],
  }),
  clause("X-5", "RFC 9126 §2.2", "a sign-in of 90 s outlives a request_uri of 60 s, and fails", {
    reason: "Whoever was asked something has an interaction, whose own life counts.",
    tests: pushed("RFC 9126 §2.2: expires_in limits the first visit alone: 90 s on the sign-in page are not too long"),
  }),
  clause("X-6", "RFC 9126 §4", "a dead request_uri fails after the password", {
    rules: "pushed-request.known pushed-request.fresh",
    tests: pushed("RFC 9126 §4: an unknown request_uri is refused before any page"),
  }),
  clause("X-7", "RFC 9449 §4.3", "two DPoP headers, and twenty other wrong proofs at a resource", {
    rules: `dpop.once dpop.jwt dpop.type dpop.algorithm dpop.key dpop.key-public dpop.claims dpop.method dpop.address dpop.fresh dpop.access-token dpop.signature
      dpop.unused`,
    tests: from("test/verify/adapters.test.ts")(
      "RFC 6750 §2, RFC 9449 §4.3 (1): two Authorization fields and two DPoP fields arrive as two, as bytes",
    ),
  }),
  clause("X-8", "RFC 9126 §2.1", "PKCE that is missing is found after the request was pushed", {
    rules: "authorize.challenge-required",
    tests: pushed("RFC 9126 §2.1, §2.3: PKCE that is missing is refused when it is pushed"),
  }),
  clause("X-9", "RFC 9449 §8", "errors of pushed requests lack DPoP-Nonce", {
    rules: "dpop.nonce",
    tests: dpop("RFC 9449 §8: pushed requests are asked for a nonce too"),
  }),
  clause("X-10", "RFC 9449 §4.2, §11.1", "a jti of another key collides, a flood leaves rows, an end is off by one", {
    rules: "dpop.unused",
    tests: [
      ...dpop(
        "RFC 9449 §4.2: the same jti of another key is another proof",
        "RFC 9449 §11.1: and still is when it is as old as it may be",
        "RFC 9449 §11.1: the same jti may come again once the first could not",
      ),
      ...proofs("RFC 9449 §11.1: nobody who does not authenticate, and no proof that is not sound, leaves a row"),
    ],
  }),
  clause("X-11", "RFC 9449 §11.1", "an API looks whether there is a jti, and not whether it was used", {
    rules: "dpop.unused",
    tests: apiProofs("counts once for two machines that share their uses, as in the token store of a provider"),
  }),
  clause("X-12", "RFC 8705 §6.5", "a proxy drops the certificate, and the bound token passes as a bearer's", {
    rules: "userinfo.token-bearer token.confirmation mutual-tls.certificate-shown",
    tests: from("test/cases/mutualTls.ts")(
      "RFC 8705 §3.4, §6.5: a client whose tokens are bound gets none without a certificate",
      "RFC 8705 §2, §6.5: without a certificate it is refused, and never by something else",
    ),
  }),
  clause("X-13", "RFC 8705 §6.5", "a header that a caller writes counts for a certificate", {
    rules: "mutual-tls.certificate-shown",
    tests: [
      ...nginx("RFC 8705 §6.5: headers that a caller forges are replaced by nginx; postern proxy-check says so"),
      ...from("test/clients/mutualTls.test.ts")(
        "RFC 8705 §6.1: the host asks and does not require; the issuer's own host does not ask, and believes no header",
      ),
    ],
  }),
  clause("X-14", "RFC 7523 §3 (3), FAPI 2.0 Security Profile §5.3.2.1 (8)", "an assertion for two servers is taken by either", {
    rules: "assertion.audience",
    tests: [
      ...from("test/cases/fapi.ts")("FAPI 2.0 Security Profile §5.3.2.1 (8): nor to a list, be the issuer all that is in it"),
      ...assertions(
        'RFC 7523bis: a client that must name the issuer alone may not name ["https://op.example","https://elsewhere.example"]',
      ),
    ],
  }),
  clause("X-15", "RFC 9449 §9", "a client keeps a stale nonce, or asks without end", {
    reason: "Faults of clients, which `postern misbehave` shows to them.",
    tests: from("test/conformance/misbehaveBound.test.ts")(
      "RFC 9449 §9: one that asks on and on is found out, and gets another nonce each time",
      "RFC 9449 §9: a client that keeps to its first nonce, or sends none, is never answered",
    ),
  }),
  clause("X-16", "RFC 9449 §5", "only access tokens can be bound, or only all tokens", {
    rules: "registration.dpop-refresh-alone registration.dpop-public-refresh",
    tests: from("test/core/boundTokens.test.ts")(
      "binds what the matrix says, and so does each rotation",
      "RFC 9449 §5: a client's own wish comes before the provider's",
    ),
  }),
  clause("X-17", "RFC 9449 §11.1", "one request that passes two guards is taken for a replay", {
    reason: "A second guard judges its needs alone.",
    tests: from("test/verify/guards.test.ts")(
      "it is let in, a replay of it is not, and the second guard still judges its needs",
      "a request that another API has let in is judged by this one from the start",
    ),
  }),
  clause("X-18", "RFC 9449 §5, RFC 9700 §4.14.2", "whoever lacks the key ends a family with a rotated token", {
    rules: "refresh.confirmation refresh.unrotated",
    tests: confirmation(
      "RFC 9449 §5, RFC 9700 §4.14.2: a rotated token that comes back too late with a proof of another key ends nothing: its family lives on",
    ),
  }),
]

/** The figures of the standards. */
const vectors: ReadonlyArray<Clause> = [
  clause("V-1", "RFC 9449 §4, §6.1, §7", "the proofs of figures 2 and 13, at their time", {
    reason: "Figures.",
    tests: [
      ...proofs(
        "§4.2, §6.1: that of figure 2 is taken at its time, and proves the key of its thumbprint",
        "§7.1: that of figure 13 is taken with its token, and with no other",
      ),
      ...apiProofs("§7.1, figure 13: the request with a bound token of figure 12 passes, when its issuer answers for the token"),
    ],
  }),
  clause("V-2", "RFC 8037 appendix A.3", "the thumbprint of an Ed25519 key", {
    reason: "A figure.",
    tests: proofs("RFC 8037 appendix A.3: the thumbprint of an Ed25519 key"),
  }),
  clause("V-3", "RFC 8705 appendix A", "the digest of a certificate", {
    reason: "A figure.",
    tests: from("test/core/mutualTls.test.ts")("RFC 8705 appendix A: the certificate, its thumbprint and its subject"),
  }),
  clause("V-4", "RFC 7636 appendix B", "a verifier and its challenge", {
    reason: "A figure.",
    tests: from("test/conformance/vectors.test.ts")("RFC 7636 Appendix B: the verifier proves the challenge"),
  }),
]

export const known: ReadonlyArray<Clause> = [...faults, ...vectors]
