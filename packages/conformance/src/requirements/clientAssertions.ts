import { refused } from "../oracle/finding.ts"
import { area, type Requirement } from "../requirement/requirement.ts"
import { assertion } from "../steps/proof.ts"
import type { Steps } from "../steps/steps.ts"
import { asked, failed, proved } from "./clients.ts"

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

const bySigning = area("client", { clients: ["signing"] })
const byOthers = area("client", {})

const withAssertion = async (
  t: Steps,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
) => {
  const client = t.client("signing")
  const client_assertion = await assertion(client, t.target.issuer, t.now(), claims, header)
  return asked(t, undefined, { client_assertion_type: assertionType, client_assertion, ...more })
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Client authentication at the token endpoint by assertions. */
export const clientAssertions: ReadonlyArray<Requirement> = [
  bySigning("assertion", "RFC 7523 §3", "A client proves itself with an assertion that it signed", (t) => withAssertion(t, {}), proved),
  byOthers(
    "assertion-mac",
    "OpenID Connect Core §9",
    "A client proves itself with an assertion made with its secret",
    (t) => asked(t, t.client("mac")),
    proved,
    "MUST",
    { clients: ["mac"] },
  ),
  bySigning(
    "assertion-token-endpoint",
    "RFC 7523 §3",
    "The token endpoint's address may be the audience of an assertion",
    (t) => withAssertion(t, { aud: t.endpoint("token_endpoint") }),
    proved,
    "SHOULD",
  ),
  bySigning(
    "assertion-aud",
    "RFC 7523 §3",
    "An assertion for another audience is refused",
    (t) => withAssertion(t, { aud: "https://other.conformance.test" }),
    failed,
  ),
  bySigning(
    "assertion-aud-missing",
    "RFC 7523 §3",
    "An assertion without an audience is refused",
    (t) => withAssertion(t, { aud: undefined }),
    failed,
  ),
  bySigning(
    "assertion-expired",
    "RFC 7523 §3",
    "An assertion that has expired is refused",
    (t) => withAssertion(t, { exp: t.now() - 600 }),
    failed,
  ),
  bySigning(
    "assertion-exp-missing",
    "RFC 7523 §3",
    "An assertion without exp is refused",
    (t) => withAssertion(t, { exp: undefined }),
    failed,
  ),
  bySigning(
    "assertion-nbf",
    "RFC 7523 §3",
    "An assertion that is not valid yet is refused",
    (t) => withAssertion(t, { nbf: t.now() + 3600 }),
    failed,
  ),
  bySigning(
    "assertion-iss",
    "RFC 7523 §3",
    "An assertion of another issuer is refused",
    (t) => withAssertion(t, { iss: "somebody-else" }),
    failed,
  ),
  bySigning(
    "assertion-sub",
    "RFC 7523 §3",
    "An assertion about another subject is refused",
    (t) => withAssertion(t, { sub: "somebody-else" }),
    failed,
  ),
  bySigning(
    "assertion-sub-missing",
    "RFC 7523 §3",
    "An assertion without sub is refused",
    (t) => withAssertion(t, { sub: undefined }),
    failed,
  ),
  byOthers(
    "assertion-other-client",
    "RFC 7523 §3",
    "An assertion is refused where the form names another client",
    (t) => withAssertion(t, {}, {}, { client_id: t.client("web").client_id }),
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
    "MUST",
    { clients: ["signing", "web"] },
  ),
  bySigning(
    "assertion-signature",
    "RFC 7515 §5.2",
    "An assertion with a broken signature is refused",
    async (t) => {
      const whole = await assertion(t.client("signing"), t.target.issuer, t.now())
      const cut = whole.lastIndexOf(".") + 1
      const broken = `${whole.slice(0, cut)}${whole[cut] === "A" ? "B" : "A"}${whole.slice(cut + 1)}`
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion: broken })
    },
    failed,
  ),
  bySigning(
    "assertion-none",
    "RFC 8725 §3.2",
    "An assertion that nobody signed is refused",
    async (t) => {
      const { client_id } = t.client("signing")
      const claims = { iss: client_id, sub: client_id, aud: t.target.issuer, jti: t.random(), iat: t.now(), exp: t.now() + 60 }
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion: `${part({ alg: "none" })}.${part(claims)}.` })
    },
    failed,
  ),
  bySigning(
    "assertion-type",
    "RFC 7521 §4.2",
    "An assertion of an unknown type is refused",
    async (t) => {
      const client_assertion = await assertion(t.client("signing"), t.target.issuer, t.now())
      return asked(t, undefined, { client_assertion_type: "urn:conformance:unknown", client_assertion })
    },
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
  ),
  bySigning(
    "assertion-once",
    "RFC 7523 §3",
    "An assertion proves a client once",
    async (t) => {
      const client_assertion = await assertion(t.client("signing"), t.target.issuer, t.now())
      await asked(t, undefined, { client_assertion_type: assertionType, client_assertion })
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion })
    },
    failed,
    "SHOULD",
  ),
  bySigning(
    "assertion-array",
    "RFC 7523 §3",
    "An audience that is a list is accepted where it holds the issuer",
    (t) => withAssertion(t, { aud: [t.target.issuer] }),
    (received) => refused(received, [400, 401], "invalid_grant", "invalid_client"),
    "MAY",
  ),
  bySigning(
    "assertion-jti",
    "OpenID Connect Core §9",
    "An assertion without jti is refused",
    (t) => withAssertion(t, { jti: undefined }),
    failed,
  ),
]
