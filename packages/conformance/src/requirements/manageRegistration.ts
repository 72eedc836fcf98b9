import { type JWK, exportJWK, generateKeyPair } from "jose"
import { json, textOf } from "../exchange/exchange.ts"
import { first, hasStatus, holds, notStored, same, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { callback } from "../target/roles.ts"
import { Inconclusive } from "../target/target.ts"
import { changed, clientOf, manage, refusedMetadata, tokensFor, web, withManaged } from "./registering.ts"

const needs: Needs = { metadata: { registration_endpoint: undefined } }
const withPerson: Needs = { ...needs, person: true }
const managed = area("manage-registration", needs)

const publicKey = ({ d: _d, ...key }: JWK): JWK => key

const signingKey = async (kid: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" }
}

/** Client registration management (RFC 7592). */
export const managedRegistrations: ReadonlyArray<Requirement> = [
  managed(
    "read",
    "RFC 7592 §2.1",
    "The registration access token shows what is registered",
    (t) => withManaged(t, {}, async (made) => ({ made, received: await manage(t, made, "GET") })),
    ({ made, received }) =>
      first(
        status(received, 200),
        same(json(received)?.["client_id"], made.id, "client_id"),
        same(json(received)?.["redirect_uris"], web["redirect_uris"], "redirect_uris"),
        notStored(received),
      ),
  ),
  managed(
    "read-token",
    "RFC 7592 §2",
    "Another token shows nothing",
    (t) => withManaged(t, {}, (made) => manage(t, { uri: made.uri, token: `${made.token.slice(0, -4)}AAAA` }, "GET")),
    hasStatus(401),
  ),
  managed(
    "read-other",
    "RFC 7592 §2",
    "The token of one client shows no other",
    (t) => withManaged(t, {}, (one) => withManaged(t, {}, (other) => manage(t, { uri: one.uri, token: other.token }, "GET"))),
    hasStatus(401, 403),
  ),
  managed(
    "change",
    "RFC 7592 §2.2",
    "A change takes the place of all that was registered",
    (t) =>
      withManaged(t, { client_uri: "https://client.conformance.test/" }, async (made) => {
        const received = await manage(t, made, "PUT", changed(made, { client_name: "Conformance: changed" }))
        return {
          received,
          read: await manage(t, { ...made, token: textOf(json(received)?.["registration_access_token"]) || made.token }, "GET"),
        }
      }),
    ({ received, read }) =>
      first(
        status(received, 200),
        same(json(read)?.["client_name"], "Conformance: changed", "client_name"),
        holds(json(read)?.["client_uri"] === undefined, "a member that was left out is still there"),
      ),
  ),
  managed(
    "change-id",
    "RFC 7592 §2.2",
    "A change that names another client is refused",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { client_id: `${made.id}x` }))),
    hasStatus(400, 401, 403),
  ),
  managed(
    "change-secret",
    "RFC 7592 §2.2",
    "A change with another secret than the client's is refused",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { client_secret: "a secret that the client has made up" }))),
    hasStatus(400, 401, 403),
  ),
  managed(
    "change-refused",
    "RFC 7592 §2.2",
    "A change is judged as a registration is",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { redirect_uris: ["javascript:alert(1)"] }))),
    refusedMetadata,
  ),
  managed(
    "change-keys",
    "RFC 7592 §2.2, OpenID Connect Core §10.1.1",
    "A client that changes its keys authenticates by the new one, and by the old one no more",
    async (t) => {
      const [old, next] = await Promise.all([signingKey("old"), signingKey("next")])
      const signing = { token_endpoint_auth_method: "private_key_jwt" }
      return withManaged(t, { ...signing, jwks: { keys: [publicKey(old)] } }, async (made) => {
        const received = await manage(t, made, "PUT", changed(made, { ...signing, jwks: { keys: [publicKey(next)] } }))
        if (received.status !== 200) throw new Inconclusive(`the keys were not changed: status ${received.status}`, received)
        const fields = { grant_type: "authorization_code", code: "none", redirect_uri: callback }
        const [byOld, byNext] = [await t.token(fields, clientOf(made, old)), await t.token(fields, clientOf(made, next))]
        return { byOld, byNext }
      })
    },
    ({ byOld, byNext }) =>
      first(
        same(json(byOld)?.["error"], "invalid_client", "the error by the old key"),
        same(json(byNext)?.["error"], "invalid_grant", "that by the new one"),
      ),
  ),
  managed(
    "delete",
    "RFC 7592 §2.3",
    "A client deletes itself",
    (t) =>
      withManaged(t, {}, async (made) => {
        const deleted = await manage(t, made, "DELETE")
        const fields = { grant_type: "authorization_code", code: "none", redirect_uri: callback }
        return { deleted, read: await manage(t, made, "GET"), asked: await t.token(fields, clientOf(made)) }
      }),
    ({ deleted, read, asked }) =>
      first(status(deleted, 204), status(read, 401), same(json(asked)?.["error"], "invalid_client", "the error of its next request")),
  ),
  managed(
    "delete-tokens",
    "RFC 7592 §2.3",
    "The tokens of a client that deleted itself are good no more",
    (t) =>
      withManaged(t, {}, async (made) => {
        const tokens = await tokensFor(t, made)
        await manage(t, made, "DELETE")
        return t.get(t.endpoint("userinfo_endpoint"), { authorization: `Bearer ${textOf(tokens["access_token"])}` })
      }),
    hasStatus(401),
    "MUST",
    withPerson,
  ),
]
