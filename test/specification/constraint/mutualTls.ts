import { type Clause, bound, clause, mutualTls as cases, nginx } from "./clause.ts"
import { from } from "../line.ts"

/** Certificates of clients: RFC 8705, and from proxies RFC 9440. */
export const mutualTls: ReadonlyArray<Clause> = [
  clause("MT-1", "RFC 8705 §2", "client_id is needed", {
    rules: "client.present mutual-tls.client-id",
    tests: cases(
      "RFC 8705 §2: the client_id is needed",
      "RFC 8705 §2: the client_id is a parameter, and no name in Basic, whatever the certificate proves",
    ),
  }),
  clause("MT-2", "RFC 8705 §2.1, §2.1.2", "a chain up to a configured authority, then the one name that is registered", {
    rules: "mutual-tls.chain-verified mutual-tls.name registration.certificate-name",
    tests: from("test/clients/mutualTls.test.ts")(
      "RFC 8705 §2.1, §3, §5: openid-client finds the aliases, authenticates by its certificate and gets a bound token",
    ),
  }),
  clause(
    "MT-3",
    "RFC 8705 §2.1.2, RFC 4514, RFC 5280 §7",
    "names are compared by their meaning: parts in order, types, bytes of addresses",
    {
      rules: "mutual-tls.name registration.certificate-subject registration.certificate-address",
      tests: cases(
        "RFC 4514 §2: the subject is compared from the innermost name on",
        "RFC 4517 §4.2.15: attributes of one part have no order",
        "RFC 8705 §2.1.2: an IPv6 address, however it is written",
        "RFC 5280 §7.5: an e-mail address, whose host has no case",
      ),
    },
  ),
  clause("MT-4", "RFC 8705 §2.2", "a self-signed certificate, or its key, is among the client's keys, which are fetched once more", {
    rules: "mutual-tls.own-certificate mutual-tls.keys-known registration.certificate-keys",
    tests: cases(
      "RFC 8705 §2.2: a self-signed certificate that is in the client's jwks",
      "RFC 8705 §2.2.2: a set that lacks the certificate is fetched once more, so that a renewed one is taken at once",
    ),
  }),
  clause("MT-5", "RFC 8705 §7.4", "only authorities that are configured vouch for names", {
    rules: "mutual-tls.chain-verified",
    tests: nginx("RFC 8705 §2.1: another maker's certificate with the same subject, or none, is refused"),
  }),
  clause("MT-6", "RFC 8705 §3.1, §3.2, §3.3", "a bound token says the digest of the certificate, and so does introspection", {
    reason: "The content of tokens, introspections and discovery.",
    tests: [
      ...from("test/core/mutualTls.test.ts")("RFC 8705 appendix A: the certificate, its thumbprint and its subject"),
      ...cases(
        "RFC 8705 §3.1: a bound token says the certificate's SHA-256 digest",
        "RFC 8705 §3.2: introspection shows what a token is bound to (opaque)",
        "RFC 8705 §3.3, §5: discovery states the endpoints for programs at the host that asks for certificates; the issuer stays",
      ),
    ],
  }),
  clause("MT-7", "RFC 8705 §3", "without the certificate, or with another, a bound token is 401", {
    rules: "userinfo.token-bearer resource.token-bearer",
    tests: cases("RFC 8705 §3: userinfo takes a bound token with its certificate, as a bearer's (web)"),
  }),
  clause("MT-8", "RFC 8705 §4, §7.1", "a public client's refresh token is bound to its certificate", {
    rules: "refresh.confirmation revocation.confirmation",
    tests: cases("RFC 8705 §4, §7.1: a public client's refresh token is taken with its certificate"),
  }),
  clause("MT-9", "RFC 8705 §6.3, §7.1", "a confidential client may renew its certificate", {
    reason: "The client's authentication is its proof.",
    tests: cases("RFC 8705 §6.3, §7.1: a confidential client renews its certificate, and its tokens are bound to the new one"),
  }),
  clause("MT-10", "RFC 8705 §5", "every endpoint for programs has an alias, and the issuer stays", {
    reason: "Members of discovery, derived from the endpoints.",
    tests: [
      ...cases(
        "RFC 8705 §3.3, §5: discovery states the endpoints for programs at the host that asks for certificates; the issuer stays",
        "RFC 8705 §5: where the issuer itself asks for certificates there are no aliases",
      ),
      ...from("test/core/aliases.test.ts")("RFC 8705 §5: the path of an issuer is that of its aliases"),
    ],
  }),
  clause("MT-11", "RFC 8705 §6.1", "the listener asks for a certificate, and does without", {
    reason: "The listener of the adapter; a table judges what was shown.",
    tests: from("test/clients/mutualTls.test.ts")(
      "RFC 8705 §6.1: the host asks and does not require; the issuer's own host does not ask, and believes no header",
      "RFC 8705 §2.2: oauth4webapi authenticates by a self-signed certificate; nobody else's passes for it",
    ),
  }),
  clause("MT-12", "RFC 8705 §6.4", "no token that must be bound comes from the authorization endpoint", {
    rules: "authorize.token-bound",
    tests: bound(
      "RFC 9449 §5.2, RFC 8705 §3.4: no grant and no response type gives an unbound token to a client whose tokens must be bound",
    ),
  }),
  clause("MT-13", "RFC 8705 §6.5", "a header counts from a listed proxy alone; without a certificate nothing is taken for a bearer's", {
    rules: "mutual-tls.certificate-shown token.confirmation",
    tests: [
      ...nginx(
        "RFC 8705 §2, §3, §6.5: a client is known by the certificate that it showed nginx, and gets a bound token",
        "RFC 8705 §6.5: headers that a caller forges are replaced by nginx; postern proxy-check says so",
        "RFC 8705 §6.5: a proxy that replaces all fields but that of the verification is found out, by the name of the field",
      ),
      ...from("test/http/certificates.test.ts")(
        "RFC 8705 §6.5: a server takes the fields from every request; what was believed is in their place",
      ),
      ...from("test/verify/adapters.test.ts")(
        "RFC 8705 §6.5: a certificate in a header counts from a listed proxy alone, and never without one",
      ),
    ],
  }),
  clause("MT-14", "RFC 9440 §2", "Client-Cert is one byte sequence, read strictly", {
    rules: "mutual-tls.certificate-legible",
    tests: from("test/wire/certificateHeaders.test.ts")(
      "a byte sequence, with white space around it",
      "of 32,768 characters one is read, and none longer",
    ),
  }),
  clause("MT-15", "RFC 9440 §2, RFC 7468 §5", "the forms of nginx, Envoy, HAProxy and ALB come to the same", {
    reason: "Parsers of the adapter: what cannot be read is no certificate.",
    tests: [
      ...from("test/wire/certificateHeaders.test.ts")("its hash is read, in lower case", "its first certificate is the client's"),
      ...from("test/http/certificates.test.ts")(
        "the leaf of a load balancer that passes certificates through was written by its caller",
        "whatever the header says, it is read or it is none: nothing throws",
      ),
    ],
  }),
]
