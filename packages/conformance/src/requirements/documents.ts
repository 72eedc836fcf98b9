import { type JWK, exportJWK, generateKeyPair } from "jose"
import { json, textOf } from "../exchange/exchange.ts"
import { first, hasStatus, holds, oneOf, status } from "../oracle/finding.ts"
import { type Level, type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Steps, outcome } from "../steps/steps.ts"
import type { Published } from "../target/web.ts"
import { type RoleClient, callback } from "../target/roles.ts"
import { Inconclusive, Untried } from "../target/target.ts"
import { asWeb } from "./registering.ts"
import { noCode } from "./answer.ts"

const specification = "Client ID Metadata Document"
const needs: Needs = { person: true, metadata: { client_id_metadata_document_supported: true } }
const tried = area("document", needs)

type Members = Readonly<Record<string, unknown>>

/** A path without an earlier document. */
const freshPath = (t: Steps): string => `/clients/${t.random(9)}/client.json`

/** The client of a document, for use in a role. */
const clientAt = (client_id: string, more: Partial<RoleClient> = {}): RoleClient => ({
  client_id,
  token_endpoint_auth_method: "none",
  redirect_uris: [callback],
  scope: "openid",
  ...more,
})

const contentAt = (client_id: string, changes: Members = {}): Members => ({
  client_id,
  client_name: "Conformance: documents",
  redirect_uris: [callback],
  grant_types: ["authorization_code"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  ...changes,
})

/** Publishes a client's document at a path, with changed members and a changed response. Returns its URL, which is the client's id. */
const publish = (t: Steps, path: string, changes: Members = {}, answer: Partial<Published> = {}): string => {
  const origin = t.publish(path, { status: 404, contentType: "text/plain", body: "" })
  const usual = { status: 200, contentType: "application/json", body: JSON.stringify(contentAt(origin, changes)) }
  return t.publish(path, { ...usual, ...answer })
}

/** Steps in which the client of a document has the role `web`. */
const as = (t: Steps, id: string, more: Partial<RoleClient> = {}): Steps => asWeb(t, clientAt(id, more))

/** Throws `Untried` if the provider does not accept even a valid document that is published here. */
const believed = async (t: Steps): Promise<void> => {
  const authorized = await as(t, publish(t, freshPath(t))).authorize("web")
  if (authorized.params["code"] === undefined) throw new Untried(`no document that is published here is believed: ${outcome(authorized)}`)
}

/** Runs the steps only if the provider accepts a valid document. */
const whereBelieved =
  <Seen>(steps: (t: Steps) => Promise<Seen>) =>
  async (t: Steps): Promise<Seen> => {
    await believed(t)
    return steps(t)
  }

/** A document that must be rejected. */
const wrong = (id: string, paragraph: string, title: string, published: (t: Steps) => string, level: Level = "MUST"): Requirement =>
  tried(
    id,
    `${specification} ${paragraph}`,
    title,
    whereBelieved((t) => as(t, published(t)).authorize("web")),
    noCode,
    level,
  )

const key = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: "document", alg: "ES256", use: "sig" }
}

/** A client whose document contains a key, and an authorization code for it. */
const withKey = async (t: Steps) => {
  await believed(t)
  const own = await key()
  const { d: _d, ...published } = own
  const id = publish(t, freshPath(t), { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [published] } })
  const steps = as(t, id, { token_endpoint_auth_method: "private_key_jwt", key: { ...own } })
  return { steps, id, code: await steps.code("web") }
}

/** A client whose document contains a key, and that redeems its code without proving the key. */
const unproved = (id: string, title: string, proof: () => Promise<Partial<RoleClient>>): Requirement =>
  tried(
    id,
    `${specification} §4.1`,
    title,
    async (t) => {
      const { id: client, code } = await withKey(t)
      return as(t, client, await proof()).redeem("web", code)
    },
    (received) => oneOf(json(received)?.["error"], ["invalid_client"], "the error"),
  )

/** Clients identified by the URL of their metadata document. */
export const documents: ReadonlyArray<Requirement> = [
  tried(
    "used",
    `${specification} §3`,
    "A client that is known by its document gets a code and tokens",
    whereBelieved(async (t) => {
      const steps = as(t, publish(t, freshPath(t)))
      return steps.redeem("web", await steps.code("web"))
    }),
    (received) => first(status(received, 200), holds(textOf(json(received)?.["access_token"]) !== "", "no access token came")),
  ),
  tried(
    "own-code",
    "RFC 6749 §4.1.3",
    "Its code is good for no other client that has a document",
    whereBelieved(async (t) => {
      const code = await as(t, publish(t, freshPath(t))).code("web")
      return as(t, publish(t, freshPath(t))).redeem("web", code)
    }),
    (received) => oneOf(json(received)?.["error"], ["invalid_grant", "invalid_client"], "the error"),
  ),
  tried(
    "unknown-members",
    `${specification} §4.1, RFC 7591 §2`,
    "Members that the provider does not know, and grants that it does not give, are ignored",
    whereBelieved(async (t) => {
      const more = { conformance_unknown_member: [1], grant_types: ["authorization_code", "urn:conformance:grant"] }
      return as(t, publish(t, freshPath(t), more)).authorize("web")
    }),
    (authorized) => holds(authorized.params["code"] !== undefined, `no code came: ${outcome(authorized)}`),
    "SHOULD",
  ),
  tried(
    "challenge",
    "OAuth 2.1 §7.5.1",
    "A client without a secret must send a challenge",
    whereBelieved((t) => as(t, publish(t, freshPath(t))).authorize("web", { code_challenge: undefined, code_challenge_method: undefined })),
    noCode,
  ),
  wrong("other-id", "§4.1", "A document that names another client_id is not believed", (t) =>
    publish(t, freshPath(t), { client_id: "https://client.conformance.test/client.json" }),
  ),
  wrong("id-slash", "§4.1", "Nor is one whose client_id differs by a slash", (t) => {
    const path = freshPath(t)
    return publish(t, path, { client_id: `${publish(t, path)}/` })
  }),
  wrong("id-missing", "§4.1", "Nor one without a client_id", (t) => publish(t, freshPath(t), { client_id: undefined })),
  wrong("secret", "§4.1", "A document with a client_secret is not believed", (t) =>
    publish(t, freshPath(t), { client_secret: "a secret that everybody can read" }),
  ),
  wrong("secret-method", "§4.1", "Nor is one of a client that proves itself by a secret", (t) =>
    publish(t, freshPath(t), { token_endpoint_auth_method: "client_secret_basic" }),
  ),
  wrong("redirected", "§4", "A redirect in the place of a document is not followed", (t) => {
    const [from, to] = [freshPath(t), freshPath(t)]
    const id = publish(t, from)
    publish(t, to, { client_id: id })
    return publish(t, from, {}, { status: 302, body: "", location: to })
  }),
  wrong("not-found", "§4", "A document with the status 404 is not believed", (t) => publish(t, freshPath(t), {}, { status: 404 })),
  wrong("accepted", "§4", "Nor is one with another status of success than 200", (t) => publish(t, freshPath(t), {}, { status: 203 })),
  wrong(
    "html",
    "§4.1",
    "A page in the place of a document is not believed",
    (t) => publish(t, freshPath(t), {}, { contentType: "text/html" }),
    "SHOULD",
  ),
  wrong("garbage", "§4.1", "A document that is no JSON is not believed", (t) => publish(t, freshPath(t), {}, { body: "{" })),
  wrong("list", "§4.1", "Nor is one that is a list", (t) => publish(t, freshPath(t), {}, { body: "[]" })),
  wrong(
    "huge",
    "§6.6",
    "A document of more than a hundred thousand bytes is not read",
    (t) => publish(t, freshPath(t), { tos_note: "x".repeat(150_000) }),
    "SHOULD",
  ),
  wrong("fragment", "§3", "A client_id with a fragment is invalid", (t) => {
    const path = freshPath(t)
    const id = `${publish(t, path)}#a`
    publish(t, path, { client_id: id })
    return id
  }),
  wrong("user-name", "§3", "An id with a user name is none", (t) => {
    const path = freshPath(t)
    const id = publish(t, path).replace("://", "://somebody@")
    publish(t, path, { client_id: id })
    return id
  }),
  wrong("dot-segments", "§3", "An id whose path has a segment .. is none", (t) => {
    const name = t.random(9)
    const id = publish(t, `/clients/${name}.json`).replace("/clients/", "/clients/x/../")
    publish(t, `/clients/${name}.json`, { client_id: id })
    publish(t, `/clients/x/../${name}.json`, { client_id: id })
    return id
  }),
  wrong("no-path", "§3", "An id without a path is none", (t) => {
    const id = publish(t, "/").replace(/\/$/, "")
    publish(t, "/", { client_id: id })
    publish(t, "", { client_id: id })
    return id
  }),
  tried(
    "redirect-unregistered",
    "RFC 6749 §3.1.2.4",
    "Codes are sent to no address that is not in the document",
    whereBelieved((t) => as(t, publish(t, freshPath(t))).authorize("web", { redirect_uri: "https://client.conformance.test/elsewhere" })),
    noCode,
  ),
  tried(
    "loopback-port",
    "RFC 8252 §7.3",
    "An application on the person's device may use any port of a loopback address in its document",
    whereBelieved(async (t) => {
      const id = publish(t, freshPath(t), { application_type: "native", redirect_uris: ["http://127.0.0.1/callback"] })
      return as(t, id, { redirect_uris: ["http://127.0.0.1:53682/callback"] }).authorize("web")
    }),
    (authorized) => holds(authorized.params["code"] !== undefined, `no code came: ${outcome(authorized)}`),
  ),
  tried(
    "key",
    `${specification} §4.1, RFC 7523 §3`,
    "A client whose document has a key proves itself by it",
    async (t) => {
      const { steps, code } = await withKey(t)
      return steps.redeem("web", code)
    },
    hasStatus(200),
  ),
  unproved("key-needed", "Without a proof by its key such a client gets nothing", async () => ({})),
  unproved("key-other", "Nor does it by another key", async () => ({
    token_endpoint_auth_method: "private_key_jwt",
    key: { ...(await key()) },
  })),
  tried(
    "consent-host",
    `${specification} §6.4`,
    "The page that asks for consent shows the host of the id",
    whereBelieved(async (t) => {
      const id = publish(t, freshPath(t))
      const { last, leaving } = await as(t, id).authorize("web", {}, { choices: { consent: "stop" } })
      if (leaving !== undefined) throw new Inconclusive("a client that nobody registered got its answer without consent", last)
      return { host: new URL(id).host, last }
    }),
    ({ host, last }) => holds(last.body.includes(host), `the page does not show ${host}`),
    "SHOULD",
  ),
]
