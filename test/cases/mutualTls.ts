import type { ClientMetadata } from "@postern/core"
import { createHash } from "node:crypto"
import { type Made, makeCertificate } from "../support/certificates.ts"
import { authorize, basic, claimsOf, codeFor, request, signedIn, verifier } from "../support/flows.ts"
import { ownKey, proof } from "../support/proofs.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, issuer, world } from "../support/world.ts"
import { type Case, refused, sentBack } from "./case.ts"

type Fields = Readonly<Record<string, string>>

/** A certificate as a connection has it. */
interface Shown {
  readonly der: Uint8Array
  readonly verified: boolean
}

const [cn, organization, ou, country] = ["2.5.4.3", "2.5.4.10", "2.5.4.11", "2.5.4.6"]
const own = makeCertificate({
  subject: [
    [country, "DE", 19],
    [organization, "Example Grün"],
    [
      [ou, "Apps"],
      [cn, "app"],
    ],
  ],
  names: [
    [1, "Ops@APP.example"],
    [2, "app.example"],
    [6, "urn:example:app"],
    [7, Uint8Array.of(192, 0, 2, 7)],
    [7, Uint8Array.of(0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)],
  ],
})
const other = makeCertificate({ subject: [[cn, "other"]] })
const shown = ({ der }: Made, verified = true): Shown => ({ der, verified })
const thumbprint = ({ der }: Made): string => createHash("sha256").update(der).digest("base64url")
const jwk = ({ publicKey }: Made): Record<string, string> => publicKey.export({ format: "jwk" }) as Record<string, string>

/** A world with a client that authenticates by a certificate. */
const certified = (more: object, method = "tls_client_auth"): WorldOptions => ({
  clients: [
    {
      client_id: "robot",
      token_endpoint_auth_method: method,
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api.read",
      ...more,
    } as ClientMetadata,
  ],
})

const ask = async (w: World, fields: Fields, certificate: Shown | undefined, authorization?: string, more?: Fields): Promise<Said> =>
  said(
    await w.send({
      method: "POST",
      path: "/connect/token",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...(authorization === undefined ? {} : { authorization }), ...more },
      ...(certificate === undefined ? {} : { peerCertificate: certificate }),
    }),
  )

const robot = { grant_type: "client_credentials", scope: "api.read", client_id: "robot" }
const granted = { status: 200, json: { token_type: "Bearer" } }
const failed = refused("invalid_client", "Client authentication failed.", 401)

const asRobot = (
  title: string,
  more: object,
  certificate: Shown | undefined,
  rule: string | undefined,
  method?: string,
  options: WorldOptions = {},
): Case => ({
  title,
  rule,
  options: { ...certified(more, method), ...options },
  run: (w) => ask(w, robot, certificate),
  expect:
    rule === undefined
      ? granted
      : rule === "mutual-tls.certificate-shown"
        ? refused("invalid_client", "The client must show a certificate.", 401)
        : failed,
})

const subject = "tls_client_auth_subject_dn"
const dn = "OU=Apps+CN=app,O=Example Grün,C=DE"

/** Names that are registered, and the rule that refuses the certificate above for them. */
const names: ReadonlyArray<readonly [title: string, more: object, isOwn: boolean]> = [
  ["RFC 4514 §2: the subject is compared from the innermost name on", { [subject]: dn }, true],
  ["RFC 4517 §4.2.15: attributes of one part have no order", { [subject]: "CN=app+OU=Apps,O=Example Grün,C=DE" }, true],
  ["RFC 4517 §4.2.11: without regard to case and to the number of spaces", { [subject]: "cn=APP + ou=apps, o=example  GRÜN, c=de" }, true],
  ["RFC 4514 §2.4: escapes are read", { [subject]: "OU=Apps+2.5.4.3=\\61pp,O=Example Gr\\C3\\BCn,C=#13024445" }, true],
  ["RFC 4514 §2.1: the order of parts counts", { [subject]: "C=DE,O=Example Grün,OU=Apps+CN=app" }, false],
  ["RFC 4517 §4.2.15: a part more is another name", { [subject]: `${dn},DC=example` }, false],
  ["RFC 4517 §4.2.15: a part less is another name", { [subject]: "OU=Apps+CN=app,O=Example Grün" }, false],
  ["RFC 4517 §4.2.15: an attribute less is another name", { [subject]: "CN=app,O=Example Grün,C=DE" }, false],
  ["RFC 4517 §4.2.15: another type with the value is another name", { [subject]: "OU=Apps+UID=app,O=Example Grün,C=DE" }, false],
  ["RFC 8705 §2.1.2: a DNS name, without regard to case", { tls_client_auth_san_dns: "APP.example" }, true],
  ["RFC 8705 §2.1.2: another DNS name", { tls_client_auth_san_dns: "example" }, false],
  ["RFC 8705 §2.1.2: a URI", { tls_client_auth_san_uri: "urn:example:app" }, true],
  ["RFC 8705 §2.1.2: a URI is compared character for character", { tls_client_auth_san_uri: "URN:example:app" }, false],
  ["RFC 8705 §2.1.2: an IPv4 address", { tls_client_auth_san_ip: "192.0.2.7" }, true],
  ["RFC 8705 §2.1.2: an IPv6 address, however it is written", { tls_client_auth_san_ip: "2001:DB8:0:0::7" }, true],
  ["RFC 8705 §2.1.2: another address", { tls_client_auth_san_ip: "192.0.2.70" }, false],
  ["RFC 5280 §7.5: an e-mail address, whose host has no case", { tls_client_auth_san_email: "Ops@app.EXAMPLE" }, true],
  ["RFC 5280 §7.5: the mailbox has a case", { tls_client_auth_san_email: "ops@app.example" }, false],
  ["RFC 8705 §2.1.2: a name is of its kind: a DNS name is no URI", { tls_client_auth_san_uri: "app.example" }, false],
]

const selfSigned = "self_signed_tls_client_auth"
const x5c = (made: Made): object => ({ jwks: { keys: [{ ...jwk(made), x5c: [made.der.toString("base64")] }] } })

/** Key sets behind jwks_uri, one after the other. */
const published = (...sets: ReadonlyArray<object | undefined>): WorldOptions => {
  let at = 0
  return {
    more: {
      outbound: {
        fetch: () => {
          const set = sets[Math.min(at++, sets.length - 1)]
          return set === undefined
            ? { _tag: "Unfetched", reason: "no such host" }
            : { _tag: "Fetched", status: 200, contentType: undefined, body: JSON.stringify(set) }
        },
      },
    },
  }
}
const behind = { jwks_uri: "https://app.example/jwks" }

/** The usual clients, of whom some have bound tokens. */
const bound: WorldOptions = {
  clients: clients
    .filter(({ client_id }) => ["web", "spa", "opaque", "hybrid"].includes(client_id))
    .map((each): ClientMetadata => ({ ...each, tls_client_certificate_bound_access_tokens: true })),
}

const codeFields = async (w: World, clientId: string): Promise<Fields> => ({
  grant_type: "authorization_code",
  code: await codeFor(w, clientId, { scope: "openid offline_access" }),
  redirect_uri: "https://app.example/cb",
  code_verifier: verifier,
  ...(clientId === "spa" ? { client_id: "spa" } : {}),
})

const authorizationOf = (clientId: string): string | undefined => (clientId === "spa" ? undefined : basic(clientId))

const tokensOf = async (w: World, clientId: string, certificate: Shown | undefined = shown(own, false)) =>
  (await ask(w, await codeFields(w, clientId), certificate, authorizationOf(clientId))).json ?? {}

const atUserinfo = async (w: World, clientId: string, certificate: Shown | undefined, scheme = "Bearer"): Promise<Said> => {
  const { access_token } = await tokensOf(w, clientId)
  return said(
    await w.send({
      path: "/connect/userinfo",
      headers: { authorization: `${scheme} ${String(access_token)}` },
      ...(certificate === undefined ? {} : { peerCertificate: certificate }),
    }),
  )
}

const refreshed = async (w: World, clientId: string, certificate: Shown | undefined): Promise<Said> => {
  const refresh_token = String((await tokensOf(w, clientId))["refresh_token"])
  const fields = { grant_type: "refresh_token", refresh_token, ...(clientId === "spa" ? { client_id: "spa" } : {}) }
  return ask(w, fields, certificate, authorizationOf(clientId))
}
const invalidToken = refused("invalid_token", "The access token is not valid.", 401)

/** The discovery of mutual TLS (RFC 8705 §3.3, §5). */
const discovered: ReadonlyArray<Case> = [
  {
    title: "RFC 8705 §5: discovery states neither methods nor aliases where nobody is asked for a certificate",
    rule: undefined,
    run: async (w) => {
      const answer = said(await w.send({ path: "/.well-known/openid-configuration" }))
      const {
        token_endpoint_auth_methods_supported: methods,
        mtls_endpoint_aliases,
        tls_client_certificate_bound_access_tokens,
      } = answer.json ?? {}
      return {
        ...answer,
        json: { methods, none: [mtls_endpoint_aliases, tls_client_certificate_bound_access_tokens].every((each) => each === undefined) },
      }
    },
    expect: {
      status: 200,
      json: { methods: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"], none: true },
    },
  },
  {
    title: "RFC 8705 §3.3, §5: discovery states the endpoints for programs at the host that asks for certificates; the issuer stays",
    rule: undefined,
    options: { more: { settings: { mutual_tls_url: "https://mtls.op.example" } } },
    run: async (w) => said(await w.send({ path: "/.well-known/openid-configuration" })),
    expect: {
      status: 200,
      json: {
        issuer,
        tls_client_certificate_bound_access_tokens: true,
        mtls_endpoint_aliases: {
          userinfo_endpoint: "https://mtls.op.example/connect/userinfo",
          token_endpoint: "https://mtls.op.example/connect/token",
          revocation_endpoint: "https://mtls.op.example/connect/revocation",
          introspection_endpoint: "https://mtls.op.example/connect/introspect",
          device_authorization_endpoint: "https://mtls.op.example/connect/deviceauthorization",
          pushed_authorization_request_endpoint: "https://mtls.op.example/connect/par",
        },
      },
    },
  },
  {
    title: "RFC 8705 §5: where the issuer itself asks for certificates there are no aliases",
    rule: undefined,
    options: { more: { settings: { mutual_tls_url: issuer } } },
    run: async (w) => {
      const answer = said(await w.send({ path: "/.well-known/openid-configuration" }))
      const { mtls_endpoint_aliases, token_endpoint_auth_methods_supported: methods } = answer.json ?? {}
      return { ...answer, json: { none: mtls_endpoint_aliases === undefined, methods: (methods as ReadonlyArray<string>).slice(-2) } }
    },
    expect: { status: 200, json: { none: true, methods: ["tls_client_auth", "self_signed_tls_client_auth"] } },
  },
]

/** Mutual TLS: RFC 8705. */
export const cases: ReadonlyArray<Case> = [
  ...names.map(([title, more, isOwn]) => asRobot(title, more, shown(own), isOwn ? undefined : "mutual-tls.name")),
  ...["fapi2-security", "fapi1-advanced"].map((profile): Case => ({
    title: `FAPI 2.0 §5.3.2.1 (4, 5), FAPI 1.0 Part 2 §5.2.2 (5): the tokens of a client of ${profile} are bound to the certificate that it shows, without a word of it`,
    rule: undefined,
    options: certified({ [subject]: dn, profile, access_token_signed_response_alg: "ES256" }),
    run: async (w) => {
      const answer = await ask(w, robot, shown(own))
      return { ...answer, json: { ...answer.json, cnf: claimsOf(String(answer.json?.["access_token"]))["cnf"] } }
    },
    expect: { status: 200, json: { cnf: { "x5t#S256": thumbprint(own) } } },
  })),
  asRobot("RFC 8705 §2.1.2: a client without a registered name is nobody's", {}, shown(own), "mutual-tls.name"),
  asRobot(
    "RFC 8705 §2, §6.5: without a certificate it is refused, and never by something else",
    { [subject]: dn },
    undefined,
    "mutual-tls.certificate-shown",
  ),
  {
    title: "RFC 8705 §2: the client_id is a parameter, and no name in Basic, whatever the certificate proves",
    rule: "mutual-tls.client-id",
    options: certified({ [subject]: dn }),
    run: (w) => ask(w, { grant_type: "client_credentials", scope: "api.read" }, shown(own), `Basic ${btoa("robot:")}`),
    expect: refused("invalid_client", "The client_id is missing.", 401),
  },
  asRobot(
    "RFC 5280 §4.1: what is no certificate is refused",
    { [subject]: dn },
    { der: own.der.subarray(0, 99), verified: true },
    "mutual-tls.certificate-legible",
  ),
  asRobot(
    "RFC 8705 §2.1: a chain that was not verified is refused, whatever its names",
    { [subject]: dn },
    shown(own, false),
    "mutual-tls.chain-verified",
  ),
  {
    title: "RFC 8705 §2: the client_id is needed",
    rule: "client.present",
    options: certified({ [subject]: dn }),
    run: (w) => ask(w, { grant_type: "client_credentials", scope: "api.read" }, shown(own)),
    expect: refused("invalid_client", "The client_id is missing.", 401),
  },
  {
    title: "RFC 7591 §2: a client that is registered for a certificate authenticates by no secret",
    rule: "client.method",
    options: certified({ [subject]: dn }),
    run: (w) => ask(w, { ...robot, client_secret: "x" }, shown(own)),
    expect: failed,
  },
  asRobot("RFC 8705 §2.2: a self-signed certificate that is in the client's jwks", x5c(own), shown(own, false), undefined, selfSigned),
  asRobot(
    "RFC 8705 §2.2: a certificate of the key of the client's jwks",
    { jwks: { keys: [jwk(own)] } },
    shown(own, false),
    undefined,
    selfSigned,
  ),
  asRobot("RFC 8705 §2.2: another certificate", x5c(own), shown(other, true), "mutual-tls.own-certificate", selfSigned),
  asRobot(
    "RFC 8705 §2.2.2: where the key comes with a certificate, another certificate of that key is another",
    x5c(own),
    shown(makeCertificate({ keys: own })),
    "mutual-tls.own-certificate",
    selfSigned,
  ),
  asRobot(
    "RFC 7517 §4.2: a key to encrypt to is no key to authenticate by",
    { jwks: { keys: [{ ...jwk(own), use: "enc" }] } },
    shown(own),
    "mutual-tls.own-certificate",
    selfSigned,
  ),
  {
    title: "RFC 8705 §2.2.2: a set that lacks the certificate is fetched once more, so that a renewed one is taken at once",
    rule: undefined,
    options: { ...certified(behind, selfSigned), ...published({ keys: [jwk(other)] }, { keys: [jwk(own)] }) },
    run: async (w) => {
      await ask(w, robot, shown(other, false))
      w.pass(60)
      return ask(w, robot, shown(own, false))
    },
    expect: granted,
  },
  asRobot(
    "RFC 8705 §2.2.2: without the client's keys nothing is believed",
    behind,
    shown(own),
    "mutual-tls.keys-known",
    selfSigned,
    published(undefined),
  ),
  {
    title: "RFC 8705 §3.1: a bound token says the certificate's SHA-256 digest",
    rule: undefined,
    options: bound,
    run: async (w) => {
      const answer = await ask(w, { grant_type: "client_credentials", scope: "api.read" }, shown(own, false), basic("web"))
      return { ...answer, json: { ...answer.json, cnf: claimsOf(String(answer.json?.["access_token"]))["cnf"] } }
    },
    expect: { status: 200, json: { token_type: "Bearer", cnf: { "x5t#S256": thumbprint(own) } } },
  },
  {
    title: "RFC 8705 §3.4, §6.5: a client whose tokens are bound gets none without a certificate",
    rule: "token.confirmation",
    options: bound,
    run: (w) => ask(w, { grant_type: "client_credentials", scope: "api.read" }, undefined, basic("web")),
    expect: refused("invalid_request", "The client's tokens must be bound to a key or a certificate."),
  },
  {
    title: "RFC 8705 §3.4: a client that asks for no bound tokens gets none, whatever its connection shows",
    rule: undefined,
    run: async (w) => {
      const answer = await ask(w, { grant_type: "client_credentials", scope: "api.read" }, shown(own), basic("web"))
      return { ...answer, json: { bound: "cnf" in claimsOf(String(answer.json?.["access_token"])) } }
    },
    expect: { status: 200, json: { bound: false } },
  },
  ...["web", "opaque"].flatMap((clientId): ReadonlyArray<Case> => [
    {
      title: `RFC 8705 §3: userinfo takes a bound token with its certificate, as a bearer's (${clientId})`,
      rule: undefined,
      options: bound,
      run: (w) => atUserinfo(w, clientId, shown(own, false)),
      expect: { status: 200, json: { sub: "sub-alice" } },
    },
    {
      title: `RFC 8705 §3: userinfo takes no bound token without a certificate (${clientId})`,
      rule: "userinfo.token-bearer",
      options: bound,
      run: (w) => atUserinfo(w, clientId, undefined),
      expect: invalidToken,
    },
    {
      title: `RFC 8705 §3: userinfo takes no bound token with another certificate (${clientId})`,
      rule: "userinfo.token-bearer",
      options: bound,
      run: (w) => atUserinfo(w, clientId, shown(other)),
      expect: invalidToken,
    },
    {
      title: `RFC 8705 §3.2: introspection shows what a token is bound to (${clientId})`,
      rule: undefined,
      options: bound,
      run: async (w) => {
        const { access_token } = await tokensOf(w, clientId)
        return said(
          await w.send({
            method: "POST",
            path: "/connect/introspect",
            body: new URLSearchParams({ token: String(access_token) }).toString(),
            headers: { "content-type": "application/x-www-form-urlencoded", authorization: basic(clientId) },
          }),
        )
      },
      expect: { status: 200, json: { active: true, token_type: "Bearer", cnf: { "x5t#S256": thumbprint(own) } } },
    },
  ]),
  {
    title: "RFC 8705 §4, §7.1: a public client's refresh token is taken with its certificate",
    rule: undefined,
    options: bound,
    run: (w) => refreshed(w, "spa", shown(own, false)),
    expect: granted,
  },
  {
    title: "RFC 8705 §4, §7.1: and not with another one",
    rule: "refresh.confirmation",
    options: bound,
    run: (w) => refreshed(w, "spa", shown(other)),
    expect: refused("invalid_grant", "The refresh token is not valid."),
  },
  ...[{}, undefined].map((parts): Case => ({
    title:
      parts === undefined
        ? "RFC 9449 §10: nor is it by the certificate alone"
        : "RFC 9449 §10, RFC 8705 §3.4: a code that is bound to a key is redeemed by its proof, though tokens are bound to the certificate beside it",
    rule: parts === undefined ? "code.confirmation" : undefined,
    options: bound,
    run: async (w) => {
      const code = await codeFor(w, "web", { scope: "openid", dpop_jkt: ownKey.jkt })
      const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
      const answer = await ask(
        w,
        fields,
        shown(own, false),
        basic("web"),
        parts && { dpop: proof(w.now(), "POST", "/connect/token", parts) },
      )
      return parts === undefined ? answer : { ...answer, json: { cnf: claimsOf(String(answer.json?.["access_token"]))["cnf"] } }
    },
    expect:
      parts === undefined
        ? refused("invalid_grant", "The authorization code is bound to another key.")
        : { status: 200, json: { cnf: { "x5t#S256": thumbprint(own) } } },
  })),
  {
    title:
      "RFC 9449 §5, RFC 8705 §4: a refresh token that is bound to a key is taken with its proof, though its client's tokens are bound to certificates since",
    rule: undefined,
    options: { clients },
    run: async (w) => {
      const proved = (at: World): Fields => ({ dpop: proof(at.now(), "POST", "/connect/token", {}) })
      const { json } = await ask(w, await codeFields(w, "spa"), undefined, undefined, proved(w))
      const since = await world({ ...bound, tokens: w.tokens })
      const fields = { grant_type: "refresh_token", refresh_token: String(json?.["refresh_token"]), client_id: "spa" }
      return ask(since, fields, shown(own, false), undefined, proved(since))
    },
    expect: granted,
  },
  {
    title: "RFC 8705 §6.3, §7.1: a confidential client renews its certificate, and its tokens are bound to the new one",
    rule: undefined,
    options: bound,
    run: async (w) => {
      const answer = await refreshed(w, "web", shown(other, false))
      return { ...answer, json: { cnf: claimsOf(String(answer.json?.["access_token"]))["cnf"] } }
    },
    expect: { status: 200, json: { cnf: { "x5t#S256": thumbprint(other) } } },
  },
  {
    title: "RFC 8705 §6.4: no access token that must be bound comes from the authorization endpoint",
    rule: "authorize.token-bound",
    options: bound,
    run: async (w) => authorize(await signedIn(w), "hybrid", { response_type: "code token", nonce: "n" }),
    expect: sentBack("unauthorized_client", "The client may not use this response_type."),
  },
  {
    title: "RFC 9126 §2, RFC 8705 §2: a request is pushed by a client with its certificate",
    rule: undefined,
    options: certified({
      [subject]: dn,
      grant_types: ["authorization_code"],
      response_types: ["code"],
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
    }),
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/par",
          body: new URLSearchParams(request("robot")).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded" },
          peerCertificate: shown(own),
        }),
      ),
    expect: { status: 201, json: { expires_in: 60 } },
  },
  ...discovered,
]
