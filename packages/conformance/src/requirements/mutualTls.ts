import { decodeJwt } from "jose"
import { encoded, json, pairsOf, type Received, textOf } from "../exchange/exchange.ts"
import { type Finding, first, hasStatus, holds, refused, same, shown, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Certificate, certificate } from "../exchange/certificate.ts"
import { Steps, tokensOf } from "../steps/steps.ts"
import { callback, roles } from "../target/roles.ts"
import { Inconclusive, Untried } from "../target/target.ts"

const needs: Needs = {
  person: true,
  metadata: {
    tls_client_certificate_bound_access_tokens: true,
    registration_endpoint: undefined,
    token_endpoint_auth_methods_supported: "self_signed_tls_client_auth",
  },
}
const tried = area("mutual-tls", needs)

const aliasesOf = ({ metadata }: Steps): Readonly<Record<string, unknown>> => {
  const { mtls_endpoint_aliases: aliases } = metadata
  return typeof aliases === "object" && aliases !== null ? (aliases as Readonly<Record<string, unknown>>) : {}
}

/** The endpoint at which a client presents its certificate: the mutual TLS alias, if the metadata has one (RFC 8705 §5). */
const place = (t: Steps, member: string): string => textOf(aliasesOf(t)[member]) || t.endpoint(member)

/** A client registered with a self-signed certificate, and steps in which it has the role `web`. */
interface Certified {
  readonly steps: Steps
  readonly id: string
  readonly own: Certificate
}

/** Registers a client with a certificate, and deletes it afterwards if the provider allows it. */
const certified = async <A>(t: Steps, use: (client: Certified) => Promise<A>): Promise<A> => {
  const own = certificate()
  const received = await t.send({
    method: "POST",
    url: t.endpoint("registration_endpoint"),
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      ...roles.web,
      client_name: "Conformance: certificate",
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      tls_client_certificate_bound_access_tokens: true,
      jwks: { keys: [own.jwk] },
    }),
  })
  const answer = json(received) ?? {}
  const id = textOf(answer["client_id"])
  if (received.status !== 201 || answer["tls_client_certificate_bound_access_tokens"] !== true)
    throw new Untried(
      `no client with a certificate can register itself: status ${received.status}, error ${textOf(answer["error"]) || "none"}`,
    )
  const client = { client_id: id, token_endpoint_auth_method: "none", redirect_uris: [callback], scope: roles.web.scope }
  const steps = new Steps({ ...t.target, clients: { ...t.target.clients, web: client } }, t.metadata)
  try {
    return await use({ steps, id, own })
  } finally {
    const [url, token] = [textOf(answer["registration_client_uri"]), textOf(answer["registration_access_token"])]
    if (url !== "" && token !== "")
      await t.send({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
  }
}

const ask = (t: Steps, fields: Readonly<Record<string, string | undefined>>, shows: Certificate | undefined): Promise<Received> =>
  t.send({
    method: "POST",
    url: place(t, "token_endpoint"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encoded(pairsOf(fields)),
    certificate: shows,
  })

/** Redeems a code with a certificate, or without one. */
const redeemed = async (
  { steps, id }: Certified,
  shows: Certificate | undefined,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Received> => {
  const { code, verifier } = await steps.code("web", { scope: "openid offline_access" })
  return ask(
    steps,
    { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier, client_id: id, ...changes },
    shows,
  )
}

const tokens = async (client: Certified) => tokensOf(await redeemed(client, client.own))

const userinfo = ({ steps }: Certified, token: unknown, shows: Certificate | undefined): Promise<Received> =>
  steps.send({
    method: "GET",
    url: place(steps, "userinfo_endpoint"),
    headers: { authorization: `Bearer ${textOf(token)}` },
    certificate: shows,
  })

const unproven = (received: Received): Finding =>
  first(
    refused(received, [400, 401], "invalid_client", "invalid_request"),
    holds(json(received)?.["access_token"] === undefined, "an access token came"),
  )

const refresh = async (client: Certified, shows: Certificate | undefined): Promise<Received> => {
  const { refresh_token: token } = await tokens(client)
  if (textOf(token) === "") throw new Inconclusive("no refresh token came")
  return ask(client.steps, { grant_type: "refresh_token", refresh_token: textOf(token), client_id: client.id }, shows)
}

/** Client authentication and token binding by mutual TLS (RFC 8705). */
export const mutualTls: ReadonlyArray<Requirement> = [
  tried(
    "aliases",
    "RFC 8705 §5",
    "Each alias is of an endpoint of the metadata, and an https URL",
    async (t) => {
      if (new URL(t.target.issuer).protocol === "http:") throw new Untried("the provider itself is served without TLS")
      return { aliases: aliasesOf(t), metadata: t.metadata }
    },
    ({ aliases, metadata }) =>
      first(
        holds(
          !Array.isArray(metadata["mtls_endpoint_aliases"]) && Object.keys(aliases).length > 0,
          `mtls_endpoint_aliases is ${shown(metadata["mtls_endpoint_aliases"])}, and no object with an alias`,
        ),
        ...Object.entries(aliases).flatMap(([name, url]) => [
          holds(typeof metadata[name] === "string", `${name} is no endpoint of the metadata`),
          holds(URL.canParse(textOf(url)) && textOf(url).startsWith("https://"), `the alias of ${name} is ${shown(url)}`),
        ]),
      ),
    "MUST",
    { metadata: { mtls_endpoint_aliases: undefined } },
  ),
  tried(
    "token",
    "RFC 8705 §2.2",
    "A client is known by the certificate that it registered",
    (t) => certified(t, (client) => redeemed(client, client.own)),
    (received) => first(status(received, 200), holds(textOf(json(received)?.["access_token"]) !== "", "no access token came")),
  ),
  tried(
    "token-none",
    "RFC 8705 §2",
    "Without a certificate it gets nothing",
    (t) => certified(t, (client) => redeemed(client, undefined)),
    unproven,
  ),
  tried("token-other", "RFC 8705 §2.2", "Nor with another", (t) => certified(t, (client) => redeemed(client, certificate())), unproven),
  tried(
    "token-client-id",
    "RFC 8705 §2",
    "It names itself: a certificate alone is not enough",
    (t) => certified(t, (client) => redeemed(client, client.own, { client_id: undefined })),
    (received) => holds(received.status >= 400 && received.status < 500, `the status is ${received.status}`),
  ),
  tried(
    "bound",
    "RFC 8705 §3.1",
    "An access token that is a JWT has the digest of the certificate",
    (t) =>
      certified(t, async (client) => {
        const token = textOf((await tokens(client))["access_token"])
        if (token.split(".").length !== 3) throw new Untried("access tokens are no JWTs")
        return { claims: decodeJwt(token), thumbprint: client.own.thumbprint() }
      }),
    ({ claims, thumbprint }) => same(claims["cnf"], { "x5t#S256": thumbprint }, "cnf"),
  ),
  tried(
    "type",
    "RFC 8705 §3",
    "A token that is bound to a certificate is presented as a bearer's",
    (t) => certified(t, tokens),
    (answer) => same(textOf(answer["token_type"]).toLowerCase(), "bearer", "token_type"),
  ),
  tried(
    "userinfo",
    "RFC 8705 §3",
    "Userinfo takes it with its certificate",
    (t) => certified(t, async (client) => userinfo(client, (await tokens(client))["access_token"], client.own)),
    hasStatus(200),
  ),
  tried(
    "userinfo-none",
    "RFC 8705 §3",
    "And not without one",
    (t) => certified(t, async (client) => userinfo(client, (await tokens(client))["access_token"], undefined)),
    hasStatus(401),
  ),
  tried(
    "userinfo-other",
    "RFC 8705 §3",
    "Nor with another",
    (t) => certified(t, async (client) => userinfo(client, (await tokens(client))["access_token"], certificate())),
    hasStatus(401),
  ),
  tried(
    "refresh",
    "RFC 8705 §7.1",
    "It refreshes with its certificate",
    (t) => certified(t, (client) => refresh(client, client.own)),
    hasStatus(200),
  ),
  tried("refresh-none", "RFC 8705 §7.1", "And not without one", (t) => certified(t, (client) => refresh(client, undefined)), unproven),
  tried("refresh-other", "RFC 8705 §7.1", "Nor with another", (t) => certified(t, (client) => refresh(client, certificate())), unproven),
]
