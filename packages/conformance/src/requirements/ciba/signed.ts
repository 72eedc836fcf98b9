import type { Changes, Received } from "../../exchange/exchange.ts"
import { type Finding, refused, status } from "../../oracle/finding.ts"
import { type Requirement, area, changed } from "../../requirement/requirement.ts"
import { signedBy, unsigned, withBrokenSignature } from "../../steps/signed.ts"
import type { Steps } from "../../steps/steps.ts"
import { Untried } from "../../target/target.ts"
import { ask, needsOf } from "./asking.ts"

const section = "CIBA Core §7.1.1"

const tried = area("ciba-request", needsOf("asking"))

type Members = Readonly<Record<string, unknown>>

/** The claims of a valid request, with changes. Undefined removes a claim. */
const claimsOf = (t: Steps, changes: Members = {}): Record<string, unknown> => {
  const { client_id } = t.client("asking")
  const now = t.now()
  const own = { iss: client_id, aud: t.target.issuer, iat: now, nbf: now, exp: now + 300, jti: t.random() }
  const parameters = { scope: "openid", login_hint: t.target.person?.username, binding_message: t.random(6) }
  return Object.fromEntries(Object.entries({ ...own, ...parameters, ...changes }).filter(([, value]) => value !== undefined))
}

const signed = (t: Steps, claims: Members): Promise<string> => signedBy(t.client("asking"), claims)

/** Sends a signed request with only the client authentication beside it. */
const send = async (t: Steps, request: string, beside: Changes = {}): Promise<Received> => {
  const received = await t.post("backchannel_authentication_endpoint", { request, ...beside }, "asking")
  if (received.status === 429) throw new Untried("the provider asks the person no more for now (status 429)")
  return received
}

const invalid = (received: Received): Finding => refused(received, [400], "invalid_request", "invalid_request_object")

/** A signed request that must be refused. */
const wrong = changed(tried, async (t, changes: (t: Steps) => Members) => send(t, await signed(t, claimsOf(t, changes(t)))), invalid)

/** Signed authentication requests (CIBA Core §7.1.1). */
export const cibaSignedRequests: ReadonlyArray<Requirement> = [
  tried(
    "honored",
    section,
    "A signed request is taken",
    async (t) => send(t, await signed(t, claimsOf(t))),
    (received) => status(received, 200),
  ),
  tried(
    "audience-list",
    `${section}, RFC 7519 §4.1.3`,
    "An audience that is a list with the issuer is taken",
    async (t) => send(t, await signed(t, claimsOf(t, { aud: [t.target.issuer] }))),
    (received) => status(received, 200),
  ),
  tried(
    "expiry-number",
    section,
    "requested_expiry may be a number in a signed request",
    async (t) => send(t, await signed(t, claimsOf(t, { requested_expiry: 60 }))),
    (received) => status(received, 200),
  ),
  tried("unsigned", "CIBA Core §4", "A client that is registered to sign its requests must", (t) => ask(t, {}, "asking"), invalid),
  tried("alg-none", section, "A request that nobody signed is refused", (t) => send(t, unsigned(claimsOf(t))), invalid),
  tried(
    "signature",
    section,
    "A request with a broken signature is refused",
    async (t) => send(t, withBrokenSignature(await signed(t, claimsOf(t)))),
    invalid,
  ),
  tried("garbage", section, "A request that is no JWT is refused", (t) => send(t, "not.a.jwt"), invalid),
  tried(
    "beside",
    section,
    "Parameters outside of a signed request are refused",
    async (t) => send(t, await signed(t, claimsOf(t)), { binding_message: "of the form" }),
    invalid,
    "SHOULD",
  ),
  wrong("issuer", section, "A request of another issuer is refused", () => ({ iss: "somebody-else" })),
  wrong("issuer-missing", section, "A request without iss is refused", () => ({ iss: undefined })),
  wrong("audience", section, "A request for another server is refused", () => ({ aud: "https://other.conformance.test" })),
  wrong("audience-missing", section, "A request without aud is refused", () => ({ aud: undefined })),
  wrong("expired", section, "A request that has expired is refused", (t) => ({
    exp: t.now() - 120,
    nbf: t.now() - 300,
    iat: t.now() - 300,
  })),
  wrong("exp-missing", section, "A request without exp is refused", () => ({ exp: undefined })),
  wrong("iat-missing", section, "A request without iat is refused", () => ({ iat: undefined })),
  wrong("nbf-missing", section, "A request without nbf is refused", () => ({ nbf: undefined })),
  wrong("not-yet", section, "A request that is not valid yet is refused", (t) => ({ nbf: t.now() + 900, exp: t.now() + 1000 })),
  wrong("jti-missing", section, "A request without jti is refused", () => ({ jti: undefined })),
  wrong(
    "long-lived",
    "FAPI-CIBA §5.2.2",
    "A request that lives for more than an hour is refused",
    (t) => ({ nbf: t.now(), exp: t.now() + 7200 }),
    "SHOULD",
  ),
  tried(
    "once",
    section,
    "A request is taken once: its jti is its own",
    async (t) => {
      const request = await signed(t, claimsOf(t))
      await send(t, request)
      return send(t, request)
    },
    invalid,
    "SHOULD",
  ),
]
