// The floor: bare node:http that parses the request, makes the signature or the row, and answers. No rules, no log, no second thread.
// Arguments: PORT FOLDER.
import { createHash, createPrivateKey, generateKeyPairSync, hash, randomFillSync, sign, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { join } from "node:path"
import Database from "better-sqlite3"

const [port, folder] = process.argv.slice(2)
const issuer = `http://127.0.0.1:${port}`
const db = new Database(join(folder, "floor.sqlite"))
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.exec(`create table if not exists token (locator text primary key, digest text not null, client_id text not null, scope text not null,
  audience text not null, created_at integer not null, expires_at integer not null, revoked_at integer) strict, without rowid`)
const insert = db.prepare("insert into token values (?, ?, ?, ?, ?, ?, ?, null)")
const select = db.prepare("select * from token where locator = ? ")
const revoke = db.prepare("update token set revoked_at = ? where locator = ? and revoked_at is null")
const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")]

const keys = ["ES256", "RS256"].map((alg) => {
  const made = alg === "ES256" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("rsa", { modulusLength: 2048 })
  const jwk = made.publicKey.export({ format: "jwk" })
  const kid = createHash("sha256").update(JSON.stringify(jwk)).digest("base64url")
  const head = Buffer.from(JSON.stringify({ alg, typ: "at+jwt", kid })).toString("base64url")
  const key = createPrivateKey(made.privateKey.export({ format: "pem", type: "pkcs8" }))
  return { alg, head, key, jwk: { ...jwk, alg, kid, use: "sig" } }
})

const pool = Buffer.alloc(32 * 512)
let drawn = pool.length
const random = (bytes) => {
  if (drawn + bytes > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  return pool.toString("base64url", drawn, (drawn += bytes))
}
let counted = 0
// Ordered, so that a row goes to the last page of the table.
const locator = () => Date.now().toString(36) + (counted++ % 1_679_616).toString(36).padStart(4, "0")

const clients = new Map(
  ["reference", "es256", "rs256", "api"].map((id) => [
    `Basic ${Buffer.from(`${id}:${id}-secret-of-the-benchmark`).toString("base64")}`,
    id,
  ]),
)

// Requests of one turn of the event loop are written in one transaction, and answered once that is on the disk.
let waiting = []
const write = (statement, values, done) => {
  if (waiting.push([statement, values, done]) === 1) setImmediate(flush)
}
const flush = () => {
  const group = waiting
  waiting = []
  begin.run()
  for (const [statement, values] of group) statement.run(...values)
  commit.run()
  for (const [, , done] of group) done()
}

const answer = (response, json) => {
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store", "content-length": json.length })
  response.end(json)
}

const find = (value) => {
  const [at, secret = ""] = value.split(".")
  const row = select.get(at)
  return row !== undefined && timingSafeEqual(Buffer.from(row.digest), Buffer.from(hash("sha256", secret, "base64url"))) ? row : undefined
}

const token = (client, form, response) => {
  const now = Math.floor(Date.now() / 1000)
  const scope = form.get("scope") ?? ""
  const issued = (value) => answer(response, JSON.stringify({ access_token: value, token_type: "Bearer", expires_in: 3600, scope }))
  const signing = keys.find(({ alg }) => alg.toLowerCase() === client)
  if (signing === undefined) {
    const [at, secret] = [locator(), random(32)]
    const row = [at, hash("sha256", secret, "base64url"), client, scope, "https://api.example", now, now + 3600]
    return write(insert, row, () => issued(`${at}.${secret}`))
  }
  const claims = {
    iss: issuer,
    sub: client,
    aud: "https://api.example",
    client_id: client,
    scope,
    iat: now,
    exp: now + 3600,
    jti: random(16),
  }
  const content = `${signing.head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`
  issued(`${content}.${sign("sha256", Buffer.from(content), { key: signing.key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`)
}

const posts = {
  "/token": token,
  "/introspect": (_, form, response) => {
    const row = find(form.get("token") ?? "")
    const live = row !== undefined && row.revoked_at === null
    answer(
      response,
      JSON.stringify(
        live
          ? {
              active: true,
              client_id: row.client_id,
              scope: row.scope,
              aud: row.audience,
              iat: row.created_at,
              exp: row.expires_at,
              iss: issuer,
              token_type: "Bearer",
            }
          : { active: false },
      ),
    )
  },
  "/revoke": (_, form, response) => {
    const row = find(form.get("token") ?? "")
    if (row === undefined) return answer(response, "")
    write(revoke, [Math.floor(Date.now() / 1000), row.locator], () => answer(response, ""))
  },
}

const metadata = JSON.stringify({
  issuer,
  token_endpoint: `${issuer}/token`,
  introspection_endpoint: `${issuer}/introspect`,
  revocation_endpoint: `${issuer}/revoke`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  // As much as a provider has to say.
  ...Object.fromEntries(
    Array.from({ length: 45 }, (_, at) => [`supported_${at}`, ["authorization_code", "refresh_token", "client_credentials"]]),
  ),
})
const gets = {
  "/.well-known/openid-configuration": (_, response) => answer(response, metadata),
  "/jwks": (_, response) => answer(response, published),
  "/userinfo": ({ headers: { authorization = "" } }, response) => {
    const row = find(authorization.slice("Bearer ".length))
    if (row === undefined) return response.writeHead(401, { "content-length": 0 }).end()
    answer(response, JSON.stringify({ sub: row.client_id, name: row.client_id }))
  },
}
const published = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

const server = createServer((request, response) => {
  if (request.method === "GET") return gets[request.url](request, response)
  let body = ""
  request.setEncoding("latin1")
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    const client = clients.get(request.headers.authorization)
    if (client === undefined) return response.writeHead(401, { "content-length": 0 }).end()
    posts[request.url](client, new URLSearchParams(body), response)
  })
})
server.listen(Number(port), "127.0.0.1")
process.on("SIGTERM", () => {
  server.close(() => process.exit(0))
  server.closeAllConnections()
})
