// The peer: oidc-provider on better-sqlite3, as durable as Postern's own store (WAL, synchronous=FULL), every lookup by an index.
// Arguments: a file of settings, which peer.ts writes. Its keys are kept in the folder of its rows, so that a second start finds them.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { join } from "node:path"
import Database from "better-sqlite3"
import { exportJWK, generateKeyPair } from "jose"
import { Provider } from "oidc-provider"

const { port, data: folder, issuer, clients, tls, proxied } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const db = new Database(join(folder, "peer.sqlite"))
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.exec(`create table if not exists item (id text primary key, payload text not null, grant_id text, user_code text, uid text, expires_at integer) without rowid;
  create index if not exists item_grant on item (grant_id) where grant_id is not null;
  create index if not exists item_code on item (user_code) where user_code is not null;
  create index if not exists item_uid on item (uid) where uid is not null`)
const upsert = db.prepare("insert or replace into item values (?, ?, ?, ?, ?, ?)")
const select = db.prepare("select payload from item where id = ?")
const byUid = db.prepare("select payload from item where uid = ?")
const byCode = db.prepare("select payload from item where user_code = ?")
const consume = db.prepare("update item set payload = json_set(payload, '$.consumed', ?) where id = ?")
const destroy = db.prepare("delete from item where id = ?")
const revoke = db.prepare("delete from item where grant_id = ?")

const parsed = (row) => row && JSON.parse(row.payload)

class Adapter {
  constructor(name) {
    this.name = name
  }
  key(id) {
    return `${this.name}:${id}`
  }
  async upsert(id, payload, expiresIn) {
    const { grantId = null, userCode = null, uid = null } = payload
    upsert.run(this.key(id), JSON.stringify(payload), grantId, userCode, uid, expiresIn ?? null)
  }
  async find(id) {
    return parsed(select.get(this.key(id)))
  }
  async findByUid(uid) {
    return parsed(byUid.get(uid))
  }
  async findByUserCode(userCode) {
    return parsed(byCode.get(userCode))
  }
  async consume(id) {
    consume.run(Math.floor(Date.now() / 1000), this.key(id))
  }
  async destroy(id) {
    destroy.run(this.key(id))
  }
  async revokeByGrantId(grantId) {
    revoke.run(grantId)
  }
}

const formats = {
  reference: { accessTokenFormat: "opaque" },
  es256: { accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } },
  rs256: { accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } },
}
const formatOf = (id) => formats[id] ?? (id === "asserting" || id.startsWith("many-") ? formats.es256 : undefined)
// Keeps the metadata that it knows, of all that Postern is given.
const known = ({ client_id, client_secret, grant_types, response_types, redirect_uris = [], ...other }) => ({
  client_id,
  client_secret,
  grant_types,
  response_types,
  redirect_uris,
  ...Object.fromEntries(
    ["id_token_signed_response_alg", "token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "jwks"]
      .filter((name) => other[name] !== undefined)
      .map((name) => [name, other[name]]),
  ),
})

const keyFile = join(folder, "keys.json")
const newKey = async (alg) => ({ ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)), alg, use: "sig" })
if (!existsSync(keyFile)) writeFileSync(keyFile, JSON.stringify([await newKey("RS256"), await newKey("ES256")]))

const provider = new Provider(issuer, {
  adapter: Adapter,
  jwks: { keys: JSON.parse(readFileSync(keyFile, "utf8")) },
  cookies: { keys: ["benchmark"] },
  scopes: ["openid", "offline_access"],
  claims: { openid: ["sub"], profile: ["name"] },
  clients: clients.map(known),
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, name: sub }) }),
  rotateRefreshToken: true,
  // It drops offline_access where consent is not asked for anew; Postern does not. Both answer with a refresh token this way.
  issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
    deviceFlow: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_, client) => (client && formatOf(client.clientId) ? "https://api.example" : undefined),
      getResourceServerInfo: (_, __, client) => ({
        scope: "api.read",
        audience: "https://api.example",
        accessTokenTTL: 3600,
        ...formatOf(client.clientId),
      }),
    },
  },
})

const escaped = (text) => text.replaceAll(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)
const page = (title, action, fields) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1><form method="post" action="${action}">${fields}<button type="submit">Continue</button></form></body></html>`

const bodyOf = async (request) => {
  let body = ""
  request.setEncoding("utf8")
  for await (const chunk of request) body += chunk
  return new URLSearchParams(body)
}

// The pages an application has to bring: sign-in, without looking at the password, and consent.
const interact = async (request, response) => {
  const details = await provider.interactionDetails(request, response)
  const { prompt, params, session, grantId } = details
  if (request.method === "GET") {
    const fields =
      prompt.name === "login"
        ? '<input name="username" required><input name="password" type="password" required>'
        : `<p>${escaped(String(params.client_id))}: ${escaped(String(params.scope))}</p>`
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
    return response.end(page(prompt.name === "login" ? "Sign in" : "Allow", request.url, fields))
  }
  const form = await bodyOf(request)
  if (prompt.name === "login")
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId: form.get("username") } },
      { mergeWithLastSubmission: false },
    )
  const grant =
    (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
  const { missingOIDCScope, missingOIDCClaims } = prompt.details
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "))
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims)
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true })
}

provider.proxy = proxied
const handle = provider.callback()
const secure = tls && { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certificateFile) }
const listening = (answer) => (secure ? createSecureServer(secure, answer) : createServer(answer))
const server = listening((request, response) => {
  if (!request.url.startsWith("/interaction/")) return handle(request, response)
  interact(request, response).catch((error) => response.writeHead(500).end(String(error)))
})
server.listen(Number(port), "127.0.0.1")
process.on("SIGTERM", () => {
  server.close(() => process.exit(0))
  server.closeAllConnections()
})
