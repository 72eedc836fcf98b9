import { json } from "../exchange/exchange.ts"
import { first, holds, oneOf, shown } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { answered, errorOrPage } from "./answer.ts"

const needs: Needs = { clients: ["web"], person: true }
const resource = area("resource", needs)
const unknown = "https://unknown.conformance.test/mcp"

/** Resource indicators (RFC 8707), which MCP clients send with every request, and the metadata members that these clients read. */
export const resources: ReadonlyArray<Requirement> = [
  resource(
    "unknown",
    "RFC 8707 §2",
    "A resource that the provider does not know is ignored, or refused as invalid_target",
    (t) => t.authorize("web", { resource: unknown }),
    (a) => (a.params["code"] === undefined ? errorOrPage(a, "invalid_target") : answered(a, "code")),
  ),
  resource(
    "unknown-at-token",
    "RFC 8707 §2.2",
    "So it is at the token endpoint",
    async (t) => t.redeem("web", await t.code("web"), { resource: unknown }),
    (received) => (received.status === 200 ? undefined : first(oneOf(json(received)?.["error"], ["invalid_target"], "the error"))),
  ),
  resource(
    "fragment",
    "RFC 8707 §2",
    "A resource with a fragment is ignored, or refused as invalid_target",
    (t) => t.authorize("web", { resource: `${unknown}#a` }),
    (a) => (a.params["code"] === undefined ? errorOrPage(a, "invalid_target", "invalid_request") : answered(a, "code")),
  ),
  area("discovery", {})(
    "iss-parameter",
    "RFC 9207 §3",
    "Answers of the authorization endpoint name their issuer, and the metadata says so",
    async (t) => t.metadata["authorization_response_iss_parameter_supported"],
    (value) => holds(value === true, `authorization_response_iss_parameter_supported is ${shown(value)}`),
    "SHOULD",
  ),
  area("discovery", {})(
    "documents-none",
    "Client ID Metadata Document §6",
    "Where clients are known by documents of theirs, one without a secret is accepted",
    async (t) => t.metadata["token_endpoint_auth_methods_supported"],
    (listed) =>
      holds(Array.isArray(listed) && listed.includes("none"), `token_endpoint_auth_methods_supported is ${shown(listed)}, without none`),
    "SHOULD",
    { metadata: { client_id_metadata_document_supported: true } },
  ),
]
