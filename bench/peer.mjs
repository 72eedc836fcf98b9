// The peer: oidc-provider on better-sqlite3, as durable as Postern's own store (WAL, synchronous=FULL).
// Arguments: PORT FILE. Prints one JSON line when it listens: the refresh tokens it seeded.
import Database from "better-sqlite3"
import { Provider } from "oidc-provider"

const [port, file] = process.argv.slice(2)
const db = new Database(file)
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.exec(`create table item (id text primary key, payload text not null, grant_id text, user_code text, uid text, expires_at integer) without rowid;
  create index item_grant on item (grant_id) where grant_id is not null; create index item_uid on item (uid) where uid is not null`)
const upsert = db.prepare("insert or replace into item values (?, ?, ?, ?, ?, ?)")
const select = db.prepare("select payload from item where id = ?")
const byUid = db.prepare("select payload from item where uid = ?")
const consume = db.prepare("update item set payload = json_set(payload, '$.consumed', ?) where id = ?")
const destroy = db.prepare("delete from item where id = ?")
const revoke = db.prepare("delete from item where grant_id = ?")

class Adapter {
  constructor(name) {
    this.name = name
  }
  key(id) {
    return `${this.name}:${id}`
  }
  async upsert(id, payload, expiresIn) {
    upsert.run(
      this.key(id),
      JSON.stringify(payload),
      payload.grantId ?? null,
      payload.userCode ?? null,
      payload.uid ?? null,
      expiresIn ?? null,
    )
  }
  async find(id) {
    const row = select.get(this.key(id))
    return row && JSON.parse(row.payload)
  }
  async findByUid(uid) {
    const row = byUid.get(uid)
    return row && JSON.parse(row.payload)
  }
  async findByUserCode() {}
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

const machine = (id) => ({
  client_id: id,
  client_secret: `${id}-secret-of-the-benchmark`,
  grant_types: ["client_credentials"],
  response_types: [],
  redirect_uris: [],
})
const formats = {
  reference: { accessTokenFormat: "opaque" },
  es256: { accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } },
  rs256: { accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } },
}
const { generateKeyPair, exportJWK } = await import("jose")
const key = async (alg) => ({ ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)), alg, use: "sig" })
const issuer = `http://127.0.0.1:${port}`

const provider = new Provider(issuer, {
  adapter: Adapter,
  jwks: { keys: [await key("RS256"), await key("ES256")] },
  cookies: { keys: ["benchmark"] },
  scopes: ["openid", "offline_access"],
  clients: [
    ...Object.keys(formats).map(machine),
    {
      client_id: "web",
      client_secret: "web-secret-of-the-benchmark",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: ["https://app.example/cb"],
      id_token_signed_response_alg: "ES256",
    },
  ],
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_, client) => (client?.clientId in formats ? "https://api.example" : undefined),
      getResourceServerInfo: (_, __, client) => ({
        scope: "api.read",
        audience: "https://api.example",
        accessTokenTTL: 3600,
        ...formats[client.clientId],
      }),
    },
  },
})

const seeded = []
for (let at = 0; at < 64; at++) {
  const grant = new provider.Grant({ accountId: "alice", clientId: "web" })
  grant.addOIDCScope("openid offline_access")
  const grantId = await grant.save()
  const client = await provider.Client.find("web")
  const token = new provider.RefreshToken({
    client,
    accountId: "alice",
    grantId,
    gty: "authorization_code",
    scope: "openid offline_access",
    authTime: Math.floor(Date.now() / 1000),
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  })
  seeded.push(await token.save())
}
const server = provider.listen(Number(port), "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ refreshTokens: seeded })}\n`))
process.on("SIGTERM", () => server.close(() => process.exit(0)))
