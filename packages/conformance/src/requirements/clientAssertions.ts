import { type Requirement, area } from "../requirement/requirement.ts"
import { assertion } from "../steps/proof.ts"
import { unsigned, withBrokenSignature } from "../steps/signed.ts"
import type { Steps } from "../steps/steps.ts"
import { asked, failed, failedOr, proved, proves } from "./clients.ts"

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
  return asked(t, undefined, { ...fields(t, client_assertion), ...more })
}

/** Assertions with changed claims, which must not authenticate the client. */
const wrong = (
  id: string,
  title: string,
  claims: (t: Steps) => Readonly<Record<string, unknown>>,
  paragraph = "RFC 7523 §3",
): Requirement => bySigning(`assertion-${id}`, paragraph, title, (t) => withAssertion(t, claims(t)), failed)

/** The form fields of an assertion alone, which names its client (RFC 7521 §4.2). */
const alone = (client_assertion: string, client_assertion_type = assertionType) => ({ client_assertion_type, client_assertion })

/** The form fields of an assertion beside the client's id, as most clients send them. */
const fields = (t: Steps, client_assertion: string, client_assertion_type = assertionType) => ({
  client_id: t.client("signing").client_id,
  ...alone(client_assertion, client_assertion_type),
})

const own = (t: Steps): Promise<string> => assertion(t.client("signing"), t.target.issuer, t.now())

/** Client authentication at the token endpoint by assertions. */
export const clientAssertions: ReadonlyArray<Requirement> = [
  bySigning("assertion", "RFC 7523 §3", "A client proves itself with an assertion that it signed", (t) => withAssertion(t, {}), proved),
  bySigning(
    "assertion-alone",
    "RFC 7521 §4.2",
    "A client that proves itself with an assertion need not state its client_id",
    async (t) => asked(t, undefined, alone(await own(t))),
    proved,
  ),
  proves("assertion-mac", "OpenID Connect Core §9", "A client proves itself with an assertion made with its secret", "mac"),
  bySigning(
    "assertion-token-endpoint",
    "RFC 7523 §3",
    "The token endpoint's address may be the audience of an assertion",
    (t) => withAssertion(t, { aud: t.endpoint("token_endpoint") }),
    proved,
    "SHOULD",
  ),
  wrong("aud", "An assertion for another audience is refused", () => ({ aud: "https://other.conformance.test" })),
  wrong("aud-missing", "An assertion without an audience is refused", () => ({ aud: undefined })),
  wrong("expired", "An assertion that has expired is refused", (t) => ({ exp: t.now() - 600 })),
  wrong("exp-missing", "An assertion without exp is refused", () => ({ exp: undefined })),
  wrong("nbf", "An assertion that is not valid yet is refused", (t) => ({ nbf: t.now() + 3600 })),
  wrong("iss", "An assertion of another issuer is refused", () => ({ iss: "somebody-else" })),
  bySigning(
    "assertion-sub",
    "RFC 7523 §3",
    "An assertion about another subject is refused",
    (t) => withAssertion(t, { sub: "somebody-else" }),
    // The form names another client than it does.
    failedOr("invalid_request"),
  ),
  wrong("sub-missing", "An assertion without sub is refused", () => ({ sub: undefined })),
  byOthers(
    "assertion-other-client",
    "RFC 7523 §3",
    "An assertion is refused where the form names another client",
    (t) => withAssertion(t, {}, {}, { client_id: t.client("web").client_id }),
    failedOr("invalid_request"),
    "MUST",
    { clients: ["signing", "web"] },
  ),
  bySigning(
    "assertion-signature",
    "RFC 7515 §5.2",
    "An assertion with a broken signature is refused",
    async (t) => asked(t, undefined, fields(t, withBrokenSignature(await own(t)))),
    failed,
  ),
  bySigning(
    "assertion-none",
    "RFC 8725 §3.2",
    "An assertion that nobody signed is refused",
    async (t) => {
      const { client_id } = t.client("signing")
      const claims = { iss: client_id, sub: client_id, aud: t.target.issuer, jti: t.random(), iat: t.now(), exp: t.now() + 60 }
      return asked(t, undefined, fields(t, unsigned(claims)))
    },
    failed,
  ),
  bySigning(
    "assertion-type",
    "RFC 7521 §4.2",
    "An assertion of an unknown type is refused",
    async (t) => asked(t, undefined, fields(t, await own(t), "urn:conformance:unknown")),
    failedOr("invalid_request"),
  ),
  bySigning(
    "assertion-once",
    "RFC 7523 §3",
    "An assertion proves a client once",
    async (t) => {
      const once = fields(t, await own(t))
      await asked(t, undefined, once)
      return asked(t, undefined, once)
    },
    failed,
    "SHOULD",
  ),
  bySigning(
    "assertion-array",
    "RFC 7523 §3",
    "An audience that is a list is accepted where it holds the issuer",
    (t) => withAssertion(t, { aud: [t.target.issuer] }),
    failedOr("invalid_grant"),
    "MAY",
  ),
  wrong("jti", "An assertion without jti is refused", () => ({ jti: undefined }), "OpenID Connect Core §9"),
]
