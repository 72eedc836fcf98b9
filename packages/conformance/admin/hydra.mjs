// Makes the clients of clients.json (`postern conform --prepare`) in Ory Hydra, by its admin API. Needs Node 20 and nothing else.
//
//   node hydra.mjs http://127.0.0.1:4445 clients.json [--remove]
//
// --remove deletes the clients again. Clients of the same id are replaced. Hydra has no client_secret_jwt, so that client is left out.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"

const { values, positionals } = parseArgs({ allowPositionals: true, options: { remove: { type: "boolean", default: false } } })
const [base, file] = positionals
if (file === undefined) {
  console.error("usage: node hydra.mjs ADMIN-URL clients.json [--remove]")
  process.exit(2)
}
const root = base.replace(/\/$/, "")

const ask = async (method, path, body, statuses) => {
  const response = await fetch(`${root}/admin/clients${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!statuses.includes(response.status))
    throw new Error(`${method} /admin/clients${path}: status ${response.status}: ${(await response.text()).slice(0, 300)}`)
  return response.status
}

/** A client as Hydra's admin API takes it: RFC 7591's members, and those of Hydra's own that the tests need. */
const representation = ({ require_pushed_authorization_requests: _pushes, ...client }) => ({
  ...client,
  response_types: client.response_types.length === 0 ? undefined : client.response_types,
  ...(client.token_endpoint_auth_method === "private_key_jwt" ? { token_endpoint_auth_signing_alg: "ES256" } : {}),
  skip_consent: false,
})

const main = async () => {
  const { clients } = JSON.parse(readFileSync(file, "utf8"))
  for (const client of clients) {
    const path = `/${encodeURIComponent(client.client_id)}`
    if (client.token_endpoint_auth_method === "client_secret_jwt") {
      if (!values.remove) console.log(`left out ${client.client_id}: Hydra has no client_secret_jwt`)
      continue
    }
    if (values.remove) {
      if ((await ask("DELETE", path, undefined, [204, 404])) === 204) console.log(`removed ${client.client_id}`)
      continue
    }
    const isMade = (await ask("POST", "", representation(client), [201, 409])) === 201
    if (!isMade) await ask("PUT", path, representation(client), [200])
    console.log(`${isMade ? "made" : "replaced"} ${client.client_id}`)
  }
}

try {
  await main()
} catch (error) {
  console.error(error.cause?.code === undefined ? error.message : `${root} cannot be reached: ${error.cause.code}`)
  process.exitCode = 1
}
