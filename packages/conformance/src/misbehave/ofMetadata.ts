import { delivered, instead, isFine, members, withBody } from "./change.ts"
import { type Misbehavior, misbehavior } from "./misbehavior.ts"

const issuer = "OpenID Connect Discovery §4.3"
const answered = "OpenID Connect Discovery §4.2"
const mixUp = "RFC 9700 §4.4"

/** 50 MB of white space before the document. It is valid JSON, but larger than any real metadata. */
const muchSpace = (): string => " ".repeat(50_000_000)

/** Faults of the metadata. */
export const ofMetadata: ReadonlyArray<Misbehavior> = [
  misbehavior("metadata.issuer-other", "the metadata names another issuer", issuer, {
    metadata: members(() => ({ issuer: "https://other.example" })),
  }),
  misbehavior("metadata.issuer-slash", "the issuer in the metadata has a slash more", issuer, {
    metadata: members((_, { issuer: own }) => ({ issuer: `${own}/` })),
  }),
  misbehavior("metadata.issuer-case", "the scheme of the issuer in the metadata is in upper case", "RFC 8414 §3.3", {
    metadata: members((_, { issuer: own }) => ({ issuer: own.replace(/^http/, "HTTP") })),
  }),
  misbehavior("metadata.issuer-missing", "the metadata names no issuer", issuer, { metadata: members(() => ({ issuer: undefined })) }),
  misbehavior("metadata.failure", "the metadata is an error 500 with a page", answered, {
    metadata: instead(500, "text/html", "<!doctype html><title>Error</title>"),
  }),
  misbehavior("metadata.html", "the metadata is a page with status 200", answered, {
    metadata: instead(200, "text/html", "<!doctype html><title>Welcome</title>"),
  }),
  misbehavior(
    "metadata.huge",
    "the metadata is 50 MB long",
    "RFC 9110 §17.5",
    { metadata: ({ answer }) => (isFine(answer) ? withBody(answer, muchSpace() + answer.body) : undefined) },
    "SHOULD",
  ),
  misbehavior(
    "metadata.slow",
    "the metadata comes after the provider's patience, 40 seconds unless it was told otherwise",
    "RFC 9110 §17.5",
    { metadata: delivered("slow") },
    "SHOULD",
  ),
  misbehavior(
    "metadata.redirect-loop",
    "the metadata redirects to itself",
    "RFC 9110 §15.4",
    {
      metadata: ({ answer, issuer: own }) => ({
        ...answer,
        status: 302,
        headers: [["location", `${own}/.well-known/openid-configuration`]],
        body: "",
      }),
    },
    // Browsers follow 20 redirects (Fetch §4.4).
    { level: "SHOULD", calm: true, most: ["metadata", 25] },
  ),
  misbehavior(
    "metadata.retry-after",
    "the metadata is 503 with Retry-After: 3600",
    "RFC 9110 §10.2.3",
    { metadata: instead(503, "text/plain", "later\n", [["retry-after", "3600"]]) },
    {
      level: "SHOULD",
      calm: true,
      most: ["metadata", 5],
    },
  ),
  misbehavior("metadata.endpoint-plain", "an issuer of https announces a token endpoint without TLS", "RFC 6749 §3.2", {
    metadata: members((_, { plain }) => (plain === undefined ? undefined : { token_endpoint: `${plain}/token` })),
  }),
  misbehavior(
    "metadata.endpoint-of-other",
    "the authorization endpoint is another provider's, whose code this one is to get (mix-up)",
    mixUp,
    { metadata: members((_, { other }) => ({ authorization_endpoint: `${other}/connect/authorize` })) },
    { observe: { metadata: ["token"] } },
  ),
  misbehavior(
    "metadata.mtls-aliases",
    "there are mtls_endpoint_aliases: a client with a certificate asks for tokens there, any other as before",
    "RFC 8705 §5",
    {
      metadata: members((_, { planted }) => ({
        tls_client_certificate_bound_access_tokens: true,
        mtls_endpoint_aliases: { token_endpoint: `${planted}/certificates/token` },
      })),
    },
    // The provider does not know whether the client has a certificate.
    { level: "MAY", leads: true, observe: { metadata: ["token", "device"] } },
  ),
]
