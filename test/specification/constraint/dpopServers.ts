import { type Clause, api, apiProofs, bound, clause, confirmation, dpop, mutualTls, proofs } from "./clause.ts"
import { from } from "../line.ts"

/** DPoP at the provider's endpoints and at resources: RFC 9449 §5 to §10. */
export const dpopServers: ReadonlyArray<Clause> = [
  clause("DA-1", "RFC 9449 §5", "a bad proof is 400 invalid_dpop_proof wherever it is sent, and takes nothing from its grant", {
    rules: "dpop.method",
    tests: [
      ...dpop(
        "RFC 9449 §5: a wrong proof pushes nothing",
        "RFC 9449 §5: a device request with a proof for another method is refused",
        "RFC 9449 §5: a backchannel request with a proof for another method is refused",
      ),
      ...proofs(
        "whatever is wrong, in any order and however often: nothing is written, and the request succeeds after all",
        "RFC 9449 §5, §7: these endpoints judge the proof of whatever request has one; others of those that need it",
      ),
    ],
  }),
  clause("DA-2", "RFC 9449 §5, §5.2", "a bound token has the type DPoP, another Bearer; dpop_bound_access_tokens demands a proof", {
    rules: "token.confirmation authorize.token-bound",
    asked: "dpop.token-type dpop.bearer",
    tests: [
      ...dpop("RFC 9449 §5: without a proof a token is a bearer's", "RFC 9449 §5.2: and takes one with a proof"),
      ...bound("RFC 9449 §5.2, RFC 8705 §3.4: no grant and no response type gives an unbound token to a client whose tokens must be bound"),
    ],
  }),
  clause("DA-3", "RFC 9449 §6.1, §6.2", "a token carries the thumbprint of its key, in its claims or its row, and introspection tells it", {
    reason: "The content of tokens and of introspections.",
    asked: "dpop.jkt",
    tests: [
      ...bound("RFC 9449 §5, §6, RFC 8705 §3: is bound in every form to what the request has proved, and stays so"),
      ...dpop("RFC 9449 §6.2: introspection tells the key and the type of a bound token"),
    ],
  }),
  clause(
    "DA-4",
    "RFC 9449 §5",
    "a public client's refresh token is bound; the token says so, wherever it is presented, whatever its client says",
    {
      rules: "refresh.confirmation refresh.successor-confirmation revocation.confirmation",
      asked: "dpop.refresh dpop.refresh-key dpop.refresh-unproved",
      tests: [
        ...confirmation("RFC 9449 §5: a public client's bound refresh token is taken with a proof of its key"),
        ...bound("RFC 9449 §5: a public client's refresh token that was a bearer's is bound once a request has proved a key"),
        ...from("test/core/boundTokens.test.ts")("binds what the matrix says, and so does each rotation"),
      ],
    },
  ),
  clause(
    "DA-5",
    "RFC 9449 §5",
    "a confidential client's refresh token is bound by its authentication, and a new key binds its new tokens",
    {
      reason: "The client's authentication is its proof.",
      tests: [
        ...confirmation("RFC 9449 §5: a confidential client's refresh token is bound by its authentication, not by a key"),
        ...dpop("RFC 9449 §5: that of a confidential client is revoked by whoever authenticates as the client"),
      ],
    },
  ),
  clause("DA-6", "RFC 9449 §8", "use_dpop_nonce comes with a nonce, everywhere, and consumes nothing", {
    rules: "dpop.nonce",
    tests: [
      ...dpop(
        "RFC 9449 §8: pushed requests are asked for a nonce too",
        "RFC 9449 §8: a device request without a nonce is asked for it, where the provider demands one",
        "RFC 9449 §8: a backchannel request without a nonce is asked for it, where the provider demands one",
        "RFC 9449 §8: the poll of a device that is asked for a nonce may be sent again at once, with it",
      ),
      ...proofs("nor does any refusal of a proof: the same request succeeds after all of them"),
    ],
  }),
  clause("DA-7", "RFC 9449 §8.2", "an answer brings a fresh nonce, and the one before stays good for a period", {
    reason: "The header of an answer that passed.",
    tests: [
      ...dpop("RFC 9449 §8: a proof with the nonce of the answer is taken", "RFC 9449 §8.2: and for a period after the next has begun"),
      ...apiProofs("§8.2: one is good for its period and the next, on every machine that has the key, and on none that has another"),
    ],
  }),
  clause("DA-8", "RFC 9449 §11.3", "where nonces are demanded, no proof without one passes", { rules: "dpop.nonce" }),
  clause("DA-9", "RFC 9449 §10", "a code whose request names a key is redeemed with no other", {
    rules: "code.confirmation dpop.jkt-form",
    tests: [
      ...dpop("RFC 9449 §10: a code whose request named a key by dpop_jkt is redeemed with it"),
      ...mutualTls(
        "RFC 9449 §10, RFC 8705 §3.4: a code that is bound to a key is redeemed by its proof, though tokens are bound to the certificate beside it",
        "RFC 9449 §5, RFC 8705 §4: a refresh token that is bound to a key is taken with its proof, though its client's tokens are bound to certificates since",
      ),
    ],
  }),
  clause("DA-10", "RFC 9449 §10.1", "the proof of a pushed request binds its code, and agrees with dpop_jkt", {
    rules: "dpop.jkt-proved code.confirmation",
    tests: dpop("RFC 9449 §10.1: to the key that it is of", "RFC 9449 §10.1: a pushed dpop_jkt does too"),
  }),
  clause(
    "DA-11",
    "RFC 9449 §5, RFC 8693 §2.2.2",
    "every grant binds in the same way, and a bound token is exchanged by who proves its key",
    {
      rules: "token-exchange.subject-proved token-exchange.actor-proved",
      tests: [
        ...bound("RFC 9449 §5, §6, RFC 8705 §3: is bound in every form to what the request has proved, and stays so"),
        ...proofs("RFC 8693 §2.1, RFC 9449 §7.1: a bound token is exchanged by who proves its key, and by nobody else"),
      ],
    },
  ),
  clause("DA-12", "Fetch §3.2", "scripts may send DPoP, and read DPoP-Nonce and WWW-Authenticate", {
    reason: "Headers of the adapter, from what features declare.",
    tests: [
      ...from("test/core/metadata.test.ts")("Fetch §3.2: scripts may call %s, without credentials"),
      ...from("test/core/features.test.ts")("Fetch §3.2: scripts of other origins may send and read the headers of every feature"),
    ],
  }),
  clause("DR-1", "RFC 9449 §7.1, §7.2", "a bound token comes by the scheme DPoP, and an unbound one does not", {
    rules: "userinfo.token-scheme resource.token-scheme userinfo.token-bearer resource.token-bearer",
    asked: "dpop.userinfo dpop.userinfo-bearer dpop.userinfo-unproved",
    tests: [
      ...dpop("RFC 9449 §7.1: the scheme may be written in any case"),
      ...api("RFC 9449 §7.1: a bound token with its proof, whatever the case of its scheme"),
      ...bound(
        "RFC 9449 §7.1, RFC 8705 §3: no endpoint takes a bound token that nothing was proved of, unless its client proves itself there",
      ),
    ],
  }),
  clause("DR-2", "RFC 9449 §7.1, §9", "the challenge is by the scheme DPoP, with its error and algs", {
    rules: "dpop.access-token dpop.nonce",
    tests: [
      ...dpop(
        "RFC 9449 §4.3 (12): nor with a proof for another token, and says by which algorithms proofs are signed",
        "RFC 9449 §9: and takes its own",
      ),
      ...from("test/verify/answers.test.ts")("name DPoP alone where every token must be bound to a key, and Bearer alone for certificates"),
    ],
  }),
  clause("DR-3", "RFC 6750 §2, RFC 9700 §4.3.2", "two Authorization headers, two ways and a token in the URL are refused", {
    rules:
      "userinfo.header-form userinfo.token-once userinfo.token-not-in-url resource.header-form resource.token-once resource.token-not-in-url",
    asked: "userinfo.query userinfo.two-ways",
  }),
  clause("DR-4", "RFC 9449 §6.2", "an introspection of the type DPoP names the key, or its token passes nowhere", {
    rules: "resource.introspection-key resource.token-confirmation",
  }),
]
