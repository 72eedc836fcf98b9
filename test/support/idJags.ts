import {
  type AssertingProvider,
  type ClientMetadata,
  type IdJagOptions,
  type Json,
  type ResourceAuthorizationServer,
  defaultFeatures,
  idJag,
} from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { jwtBearerGrantType, tokenExchangeGrantType } from "@postern/core/grants"
import { token } from "./flows.ts"
import { peerClaims, peerIssuer, peerJwks, peerSigned } from "./peer.ts"
import type { Said } from "./visitor.ts"
import { type World, type WorldOptions, clients, world } from "./world.ts"

/** The type of token that is asked for. */
export const idJagTokenType = "urn:ietf:params:oauth:token-type:id-jag"

/** Another authorization server, which takes grants of the provider of every world. */
export const todoServer = "https://as.todo.example"

/** The settings for that server, with changes. */
export const todo = (changes: Partial<ResourceAuthorizationServer> = {}): ResourceAuthorizationServer => ({
  issuer: todoServer,
  clients: { wiki: { clientId: "wiki-at-todo" } },
  scope: ["todo.read", "todo.write"],
  resources: ["https://api.todo.example", "https://files.todo.example"],
  ...changes,
})

/** The peer as an identity provider whose grants are taken, with changes. */
export const asserting = (changes: Partial<AssertingProvider> = {}): AssertingProvider => ({
  issuer: peerIssuer,
  jwks: peerJwks,
  ...changes,
})

const shared = {
  grant_types: ["authorization_code", "refresh_token", tokenExchangeGrantType, jwtBearerGrantType],
  redirect_uris: ["https://app.example/cb"],
  scope: "openid email offline_access api.read api.write billing",
  require_consent: false,
} satisfies Partial<ClientMetadata>

/** A world that issues grants or takes them, where `wiki` and `gist` may ask. `spa` is public, and may use both grants. */
export const crossing = (options: IdJagOptions, client: Partial<ClientMetadata> = {}, more: WorldOptions["more"] = {}): WorldOptions => ({
  clients: [
    ...clients.filter(({ client_id }) => client_id !== "spa"),
    { client_id: "wiki", client_secret: "secret of wiki", ...shared, ...client },
    { client_id: "gist", client_secret: "secret of gist", ...shared },
    { client_id: "spa", token_endpoint_auth_method: "none", ...shared },
  ],
  more: { ...more, features: [...(more.features ?? defaultFeatures), idJag(options)] },
})

type Fields = Readonly<Record<string, string | undefined>>

const sent = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The fields of a request for a grant, by an ID token; undefined removes one. */
export const asking = (subject_token: string, changes: Fields = {}): Record<string, string> =>
  sent({
    grant_type: tokenExchangeGrantType,
    requested_token_type: idJagTokenType,
    subject_token,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    audience: todoServer,
    ...changes,
  })

/** Asks for a grant. */
export const ask = (w: World, subject: string, changes: Fields = {}, clientId = "wiki"): Promise<Said> =>
  token(w, clientId, asking(subject, changes))

/** A grant of the peer about Alice, for the client `wiki` here; undefined removes a claim. */
export const assertion = (changes: Readonly<Record<string, Json | undefined>> = {}, typ = "oauth-id-jag+jwt"): Promise<string> =>
  peerSigned(peerClaims({ client_id: "wiki", jti: "j1", scope: "api.read", ...changes }), typ)

/** Presents a grant. */
export const redeem = (w: World, jag: string, fields: Record<string, string> = {}, clientId = "wiki"): Promise<Said> =>
  token(w, clientId, { grant_type: jwtBearerGrantType, assertion: jag, ...fields })

/** Presents one grant sixteen times at once to nodes that share a store: how many were taken and refused, and the rules that refused. */
export const presentedAtOnce = async (stores: ReadonlyArray<TokenStorePort>) => {
  const nodes = await Promise.all(stores.map((tokens) => world({ ...crossing({ identityProviders: [asserting()] }), tokens })))
  const jag = await assertion()
  const turns = Array.from({ length: 16 }, (_, each) => nodes[each % nodes.length])
  const answers = await Promise.all(turns.flatMap((node) => (node === undefined ? [] : [redeem(node, jag)])))
  return {
    taken: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(({ status }) => status === 400).length,
    rules: nodes.flatMap(({ trails }) => trails.flatMap(({ steps }) => steps.flatMap(({ refused }) => refused?.rule ?? []))),
  }
}

/** The outcome of the race: one token, and fifteen replays by the rule that judges a later one. */
export const takenOnce = {
  taken: 1,
  refused: 15,
  rules: Array.from({ length: 15 }, () => "extension.unused"),
}
