import { type Clause, api, apiProofs, clause, dpop, plans, proofs } from "./clause.ts"
import { from } from "../line.ts"

/** The checks of a DPoP proof, at the provider and at APIs: RFC 9449 §4.3, §11. */
export const dpopProofs: ReadonlyArray<Clause> = [
  clause("D-1", "RFC 9449 §4.3 (1)", "one DPoP header, with one proof", {
    rules: "dpop.once",
    asked: "dpop.two",
    tests: from("test/verify/adapters.test.ts")(
      "RFC 6750 §2, RFC 9449 §4.3 (1): two Authorization fields and two DPoP fields arrive as two, as bytes",
    ),
  }),
  clause("D-2", "RFC 9449 §4.3 (2)", "one compact JWS", { rules: "dpop.jwt", asked: "dpop.garbage" }),
  clause("D-3", "RFC 9449 §4.3 (3)", "jti, htm, htu and iat are there, each of its type", {
    rules: "dpop.claims",
    asked: "dpop.jti-missing dpop.method-missing dpop.time-missing",
  }),
  clause("D-4", "RFC 9449 §4.3 (4), RFC 7515 §4.1.9", "typ is dpop+jwt, in any case, with or without application/", {
    rules: "dpop.type",
    asked: "dpop.typ",
    tests: dpop("RFC 7515 §4.1.9: the typ of a proof may be a whole media type, in any case"),
  }),
  clause("D-5", "RFC 9449 §4.3 (5)", "alg is asymmetric, and stated in discovery", {
    rules: "dpop.algorithm",
    asked: "dpop.none dpop.algorithms",
    tests: [...dpop("RFC 9449 §4.3 (5): a proof is taken that is signed with Ed25519"), ...api("a proof by %s")],
  }),
  clause("D-6", "RFC 9449 §4.3 (6)", "the key in its header has signed it; jku, x5u and kid lead nowhere", {
    rules: "dpop.signature",
    asked: "dpop.signature",
    tests: dpop("RFC 9449 §4.3: kid and jku of the header change nothing"),
  }),
  clause("D-7", "RFC 9449 §4.3 (7)", "the key is no private and no symmetric one, and one for its alg", {
    rules: "dpop.key-public dpop.key",
    asked: "dpop.private-key",
  }),
  clause("D-8", "RFC 9449 §4.3 (8)", "htm is the method, in its case", { rules: "dpop.method", asked: "dpop.method" }),
  clause(
    "D-9",
    "RFC 9449 §4.3 (9), RFC 3986 §6.2.2, §6.2.3",
    "htu is the public URL of the request, by syntax and scheme; Host never counts",
    {
      rules: "dpop.address",
      asked: "dpop.address",
      tests: [
        ...dpop(
          "RFC 9449 §4.3 (9), RFC 3986 §6.2.2: htu is compared by syntax, without query and fragment",
          "RFC 9449 §4.3 (9): htu is compared with the public URL of the provider, whatever Host says",
        ),
        ...proofs("RFC 3986 §6.2.2, §6.2.3: addresses are equal by syntax and scheme, and by nothing that a URL parser forgives"),
        ...apiProofs("htu: the public URL with what a proxy takes off, and each of several hosts; never Host"),
        ...from("test/core/aliases.test.ts")("takes a proof for its own URL and for its alias, and for no other, whatever Host says"),
      ],
    },
  ),
  clause("D-10", "RFC 9449 §4.3 (10)", "the nonce that was demanded is a live one", { rules: "dpop.nonce" }),
  clause("D-11", "RFC 9449 §4.3 (11), §11.1", "iat is of the last minute, or the nonce tells the time", {
    rules: "dpop.fresh",
    asked: "dpop.old dpop.ahead",
    tests: dpop(
      "RFC 9449 §11.1: a proof of a clock that is 10 s ahead is taken",
      "RFC 9449 §11.1: a proof that is 60 s old is taken",
      "RFC 9449 §4.3 (11): a nonce tells the time where the client's clock is an hour behind",
      "RFC 9449 §11.1: the provider's own time for proofs holds",
    ),
  }),
  clause("D-12", "RFC 9449 §4.3 (12)", "with an access token, ath is its hash and the key is the token's", {
    rules: "dpop.access-token userinfo.token-bearer resource.token-bearer",
    asked: "dpop.userinfo-hash dpop.userinfo-key",
  }),
  clause("D-13", "RFC 9449 §4.2, RFC 7519 §4.1.4, §4.1.5", "claims that are not known are ignored, and nbf and exp hold", {
    rules: "dpop.validity",
    tests: [
      ...dpop("RFC 9449 §4.2: claims that are not known are ignored, and so is a nonce that nobody asked for"),
      ...api("FAPI 2.0 Security Profile §5.3.2.1 (13): proofs of ten seconds ahead, unknown claims, nbf and exp"),
    ],
  }),
  clause("D-14", "RFC 9110 §5.4", "a proof of more than 8 KB is not read", {
    rules: "dpop.length dpop.jti-length",
    tests: [
      ...dpop("RFC 9449 §11.1: one of 256 is"),
      ...from("test/fuzz/proofs.test.ts")(
        "RFC 9449 §4.3: whatever comes as a proof is judged without a throw, and passes only with all that a proof must say",
      ),
    ],
  }),
  clause("D-15", "RFC 9449 §11.1, §4.2", "a proof counts once, by its key and its jti, for as long as it would pass", {
    rules: "dpop.unused resource.use-known",
    tests: [
      ...dpop(
        "RFC 9449 §4.2: the same jti of another key is another proof",
        "RFC 9449 §11.1: the same jti may come again once the first could not",
        "RFC 9449 §11.1: a proof that an error came of is not used up",
      ),
      ...proofs(
        "RFC 9449 §11.1: of 16 requests with one proof at once, one gets tokens",
        "RFC 9449 §11.1: nobody who does not authenticate, and no proof that is not sound, leaves a row",
      ),
      ...apiProofs(
        "of 16 requests with one proof at once, one passes, and later none",
        "leaves no row for who has no good token, and none for a proof that is not sound",
        "is remembered as long as the proof would pass, and the second after it is not",
        "is bounded: a full memory forgets none, and refuses for now",
      ),
      ...from("test/verify/guards.test.ts")("it is let in, a replay of it is not, and the second guard still judges its needs"),
      ...from("test/store/spent.test.ts")(
        "is used up for every connection, whether or not that has looked for it, until its time is over",
        "is used up after a restart",
      ),
      ...from("test/postgres/replayRaces.test.ts")("%s gets one of them an answer"),
    ],
  }),
  clause("D-16", "RFC 9449 §8.1", "a nonce is sealed by a key that all machines have; those of tokens and of resources are apart", {
    rules: "dpop.nonce",
    tests: [
      ...dpop("RFC 9449 §9: userinfo asks for a nonce by its challenge, and takes none of the token endpoint's"),
      ...proofs("RFC 9449 §8: a nonce is good at every machine that has the key, and at none that has another"),
    ],
  }),
  clause("D-17", "FAPI 2.0 Security Profile §5.3.2.1 (13)", "with any nonce, a proof of more than 60 s ahead is refused", {
    rules: "dpop.fresh",
    tests: [
      ...dpop("FAPI 2.0 Security Profile §5.3.2.1 (13): but a proof that is more than 60 s ahead is refused with any"),
      ...plans("the same token is refused in the URL, without what it is bound to, and with what another has"),
    ],
  }),
]
