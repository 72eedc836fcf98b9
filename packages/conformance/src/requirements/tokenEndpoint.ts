import { type Changes, type Pairs, type Received, encoded, json, pairsOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, notStored, openToApps, refused, refuses, shown } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { clientProof } from "../steps/proof.ts"
import type { Steps } from "../steps/steps.ts"

const tried = area("token", { clients: ["web"] })

/** A request that must be refused with one of these errors. */
const refusedFor = (id: string, paragraph: string, title: string, fields: Changes | Pairs, ...codes: ReadonlyArray<string>): Requirement =>
  tried(id, paragraph, title, (t) => t.token(fields, "web"), refuses(...codes))

const wrong = { grant_type: "authorization_code", code: "of-nobody", redirect_uri: "https://client.conformance.test/callback" }

/** A request that only its form makes wrong: the client proves itself, so that a provider that reads it looks for the code. */
const proved = async (t: Steps) => {
  const { headers, fields } = await clientProof(t.client("web"), t.target.issuer, t.now())
  return { headers, pairs: [...pairsOf(wrong), ...pairsOf(fields)] }
}

/** Requires that a request was not read: a provider that reads it finds no such code. */
const unread = (received: Received): Finding =>
  first(
    holds(received.status >= 400 && received.status < 500, `the status is ${received.status}`),
    holds(json(received)?.["error"] !== "invalid_grant", "it was read: the answer is about its code"),
  )

/** The token endpoint, independent of the grant (RFC 6749 §3.2). */
export const tokenEndpoint: ReadonlyArray<Requirement> = [
  refusedFor(
    "grant-type-missing",
    "RFC 6749 §5.2",
    "A request without grant_type is refused",
    { ...wrong, grant_type: undefined },
    "invalid_request",
  ),
  refusedFor(
    "grant-type-unknown",
    "RFC 6749 §5.2",
    "An unknown grant_type is refused",
    { grant_type: "urn:conformance:unknown" },
    "unsupported_grant_type",
  ),
  refusedFor(
    "grant-type-empty",
    "RFC 6749 §3.2",
    "A grant_type without a value is as if it were left out",
    { ...wrong, grant_type: "" },
    "invalid_request",
    "unsupported_grant_type",
  ),
  refusedFor(
    "grant-type-not-allowed",
    "RFC 6749 §5.2",
    "A client gets no grant that it is not registered for",
    { grant_type: "client_credentials" },
    "unauthorized_client",
    "unsupported_grant_type",
  ),
  refusedFor(
    "repeated",
    "RFC 6749 §3.2",
    "A parameter that comes twice is refused",
    [
      ["grant_type", "authorization_code"],
      ["grant_type", "authorization_code"],
      ["code", "of-nobody"],
    ],
    "invalid_request",
  ),
  ...["client_id", "code_verifier", "redirect_uri"].map((name) =>
    tried(
      `repeated-${name.replaceAll("_", "-")}`,
      "RFC 6749 §3.2",
      `A request with two of ${name} is refused`,
      (t) => t.token([...Object.entries(wrong), [name, t.client("web").client_id], [name, t.client("web").client_id]], "web"),
      (received) => refused(received, [400, 401], "invalid_request", "invalid_client"),
    ),
  ),
  refusedFor(
    "code-missing",
    "RFC 6749 §5.2",
    "A code grant without a code is refused",
    { grant_type: "authorization_code", redirect_uri: "https://client.conformance.test/callback" },
    "invalid_request",
  ),
  tried(
    "get",
    "RFC 6749 §3.2",
    "The token endpoint takes POST alone",
    async (t) => {
      const { headers, pairs } = await proved(t)
      return t.get(`${t.endpoint("token_endpoint")}?${encoded(pairs)}`, headers)
    },
    unread,
  ),
  tried(
    "json",
    "RFC 6749 §3.2",
    "A body that is no form is refused",
    async (t) => {
      const { headers, pairs } = await proved(t)
      return t.send({
        method: "POST",
        url: t.endpoint("token_endpoint"),
        headers: { "content-type": "application/json", accept: "application/json", ...headers },
        body: JSON.stringify(Object.fromEntries(pairs)),
      })
    },
    unread,
  ),
  refusedFor("unknown-parameter", "RFC 6749 §3.2", "An unknown parameter is ignored", { ...wrong, extra: "foobar" }, "invalid_grant"),
  tried("error-not-stored", "RFC 6749 §5.1", "Errors are kept by no cache either", (t) => t.token(wrong, "web"), notStored, "SHOULD"),
  tried(
    "cors",
    "Fetch §3.2",
    "Applications in a browser may use the token endpoint",
    (t) => t.preflight("token_endpoint", "POST"),
    (received) =>
      first(
        openToApps(received),
        holds(
          received.headers.get("access-control-allow-credentials") !== "true",
          `Access-Control-Allow-Credentials is ${shown(received.headers.get("access-control-allow-credentials"))}`,
        ),
      ),
    "SHOULD",
  ),
]
