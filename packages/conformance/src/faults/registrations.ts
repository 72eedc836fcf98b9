import { type Change, at, beside, fault, lacking, members, typed, withStatus, without } from "./change.ts"
import type { Fault } from "./fault.ts"

const registering = (id: string, title: string, paragraph: string, change: Change): Fault =>
  fault(`registration.${id}`, title, paragraph, ["registration"], at("/connect/register", change))

const managing = (id: string, title: string, paragraph: string, change: Change): Fault =>
  fault(`registration.${id}`, title, paragraph, ["manage-registration"], at("/connect/register/client", change))

/** Changes only the responses to requests with one method. */
const only =
  (method: string, change: Change): Change =>
  (answer, request) =>
    request.method === method ? change(answer, request) : answer

/** Wrong metadata of mutual TLS. */
export const certificateFaults: ReadonlyArray<Fault> = [
  fault(
    "mutual-tls.alias-plain",
    "publishes an alias without TLS",
    "RFC 8705 §5",
    ["mutual-tls"],
    at(
      "/openid-configuration",
      members(() => ({ mtls_endpoint_aliases: { token_endpoint: "http://mtls.op.conformance.test/connect/token" } })),
    ),
  ),
  fault(
    "mutual-tls.alias-unknown",
    "publishes an alias of an endpoint that it has not",
    "RFC 8705 §5",
    ["mutual-tls"],
    at(
      "/openid-configuration",
      members(() => ({ mtls_endpoint_aliases: { other_endpoint: "https://mtls.op.conformance.test/other" } })),
    ),
  ),
  fault(
    "mutual-tls.aliases-list",
    "publishes its aliases as a list",
    "RFC 8705 §5",
    ["mutual-tls"],
    at(
      "/openid-configuration",
      members(() => ({ mtls_endpoint_aliases: ["https://mtls.op.conformance.test/connect/token"] })),
    ),
  ),
  fault(
    "mutual-tls.type-other",
    "calls tokens that are bound to a certificate by another type",
    "RFC 8705 §3",
    ["mutual-tls"],
    at("/connect/token", beside("access_token", { token_type: "mtls" })),
  ),
]

/** Wrong responses to client registration and registration management. */
export const registrationFaults: ReadonlyArray<Fault> = [
  registering("ok", "answers a registration with 200", "RFC 7591 §3.2.1", withStatus(201, 200)),
  registering("stored", "lets caches keep what it answers to a registration", "RFC 7591 §3.2.1", without("cache-control")),
  registering("no-expiry", "does not say when a secret expires", "RFC 7591 §3.2.1", lacking("client_secret_expires_at")),
  registering(
    "secret-for-all",
    "gives a secret to a client that does not authenticate",
    "RFC 7591 §2",
    beside("client_id", { client_secret: "a secret for everybody" }),
  ),
  registering("silent", "does not tell what it registered", "RFC 7591 §3.2.1", lacking("redirect_uris")),
  registering("error-status", "refuses metadata with 422", "RFC 7591 §3.2.2", withStatus(400, 422)),
  registering("html", "answers a registration in another media type", "RFC 7591 §3.2.1", typed("text/html")),
  managing("read-stored", "lets caches keep what it shows of a registration", "RFC 7592 §3", only("GET", without("cache-control"))),
  managing("no-challenge", "answers another token with 400", "RFC 7592 §2.1", withStatus(401, 400)),
  managing("deleted-ok", "answers a deletion with 200", "RFC 7592 §2.3", only("DELETE", withStatus(204, 200))),
  managing(
    "change-kept",
    "shows metadata as it was before a change",
    "RFC 7592 §2.2",
    only(
      "GET",
      members(() => ({ client_name: "Conformance: registration" })),
    ),
  ),
]
