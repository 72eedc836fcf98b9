// Makes the clients of clients.json (`postern conform --prepare`) in a realm of Keycloak, by its admin API. Needs Node 20 and nothing else.
//
//   KEYCLOAK_PASSWORD=… node keycloak.mjs http://127.0.0.1:8080 REALM clients.json [--user NAME] [--person alice] [--create-realm] [--remove]
//
// Signs in to the realm `master` as `admin`, or as --user. --person makes a person with that name, whose password is in CONFORMANCE_PASSWORD.
// --remove deletes the clients, the scopes and the person again. Clients of the same id are replaced. A person or a scope that has the name already, and
// not the mark by which this script knows its own, is left alone, and nothing is made or removed.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    user: { type: "string", default: "admin" },
    person: { type: "string" },
    "create-realm": { type: "boolean", default: false },
    remove: { type: "boolean", default: false },
  },
})
const [base, realm, file] = positionals
const { KEYCLOAK_PASSWORD: password, CONFORMANCE_PASSWORD: personPassword } = process.env
if (file === undefined || password === undefined || (values.person !== undefined && !values.remove && personPassword === undefined)) {
  console.error(
    "usage: KEYCLOAK_PASSWORD=… node keycloak.mjs URL REALM clients.json [--user NAME] [--person NAME] [--create-realm] [--remove]",
  )
  console.error("       --person also needs CONFORMANCE_PASSWORD")
  process.exit(2)
}
const root = base.replace(/\/$/, "")

/** Signs in; a token lives for a minute, so each part of the work has its own. */
const signIn = async () => {
  const response = await fetch(`${root}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "password", client_id: "admin-cli", username: values.user, password }),
  })
  if (!response.ok) throw new Error(`no sign-in as ${values.user}: status ${response.status}`)
  return (await response.json()).access_token
}

/** Asks the admin API; answers with the response, which must have one of these statuses. */
const ask = async (token, method, path, body, statuses = [200, 201, 204]) => {
  const response = await fetch(`${root}/admin/realms${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!statuses.includes(response.status))
    throw new Error(`${method} ${path}: status ${response.status}: ${(await response.text()).slice(0, 300)}`)
  return response
}

const authenticators = { private_key_jwt: "client-jwt", client_secret_jwt: "client-secret-jwt" }
const ownScopes = ["conformance.read", "conformance.write"]
const optional = ["profile", "email", "address", "phone", "offline_access", ...ownScopes]

const mapper = (name, kind, config) => ({ name, protocol: "openid-connect", protocolMapper: `oidc-${kind}-mapper`, config })

/** A client as Keycloak's admin API names its members. */
const representation = (client, exchanging) => {
  const may = (grant) => client.grant_types.includes(grant)
  const scopes = client.scope.split(" ")
  return {
    clientId: client.client_id,
    name: client.client_name,
    protocol: "openid-connect",
    ...(client.client_secret === undefined ? {} : { secret: client.client_secret }),
    publicClient: client.token_endpoint_auth_method === "none",
    clientAuthenticatorType: authenticators[client.token_endpoint_auth_method] ?? "client-secret",
    redirectUris: client.redirect_uris ?? [],
    standardFlowEnabled: may("authorization_code"),
    // A client has either of the two ways to be told of a sign-out.
    frontchannelLogout: client.frontchannel_logout_uri !== undefined,
    implicitFlowEnabled: may("implicit"),
    directAccessGrantsEnabled: may("password"),
    serviceAccountsEnabled: may("client_credentials"),
    defaultClientScopes: ["basic", "acr"],
    optionalClientScopes: optional.filter((each) => scopes.includes(each)),
    attributes: {
      "post.logout.redirect.uris": (client.post_logout_redirect_uris ?? []).join("##"),
      "oauth2.device.authorization.grant.enabled": String(may("urn:ietf:params:oauth:grant-type:device_code")),
      "standard.token.exchange.enabled": String(may("urn:ietf:params:oauth:grant-type:token-exchange")),
      ...(client.frontchannel_logout_uri === undefined
        ? {}
        : { "frontchannel.logout.url": client.frontchannel_logout_uri, "frontchannel.logout.session.required": "true" }),
      ...(client.backchannel_logout_uri === undefined
        ? {}
        : { "backchannel.logout.url": client.backchannel_logout_uri, "backchannel.logout.session.required": "true" }),
      "use.refresh.tokens": String(may("refresh_token")),
      // Keycloak asks for PKCE where a client says so. An application of every response type has requests without a code, too.
      ...(may("authorization_code") && !may("implicit") ? { "pkce.code.challenge.method": "S256" } : {}),
      "require.pushed.authorization.requests": String(client.require_pushed_authorization_requests === true),
      ...(client.jwks === undefined ? {} : { "use.jwks.string": "true", "jwks.string": JSON.stringify(client.jwks) }),
      ...(client.request_object_signing_alg === undefined ? {} : { "request.object.signature.alg": client.request_object_signing_alg }),
    },
    protocolMappers: [
      ...(client.subject_type === "pairwise"
        ? [mapper("pairwise", "sha256-pairwise-sub", { pairwiseSubAlgorithmSalt: "of the conformance test" })]
        : []),
      // Keycloak exchanges the tokens alone whose audience the client is that asks.
      ...exchanging.map((id) =>
        mapper(`for ${id}`, "audience", {
          "included.custom.audience": id,
          "access.token.claim": "true",
          "introspection.token.claim": "true",
        }),
      ),
    ],
  }
}

const idOf = async (token, clientId) =>
  (await (await ask(token, "GET", `/${realm}/clients?clientId=${encodeURIComponent(clientId)}`)).json())[0]?.id

const removeClient = async (token, clientId) => {
  const id = await idOf(token, clientId)
  if (id !== undefined) await ask(token, "DELETE", `/${realm}/clients/${id}`)
  return id !== undefined
}

/** The attribute by which the script knows a scope that it made. */
const mark = "made-by-postern-conform"

/** The address by which it knows its person: Keycloak keeps no attribute of a person that the realm's profile does not declare. Nobody else's is at a domain of `.test` (RFC 6761 §6.2). */
const email = `${values.person}@conformance.test`

/** Rows that the script made; throws where one is somebody else's. */
const ownOf = (rows, thing, nameOf, isOwn) => {
  const foreign = rows.find((row) => !isOwn(row))
  if (foreign === undefined) return rows
  throw new Error(`the ${thing} ${nameOf(foreign)} exists already, and this script did not make it: it is left alone`)
}

const foundPeople = async (token) => {
  if (values.person === undefined) return []
  const found = await (await ask(token, "GET", `/${realm}/users?exact=true&username=${encodeURIComponent(values.person)}`)).json()
  return ownOf(
    found,
    "person",
    ({ username }) => username,
    (each) => each.email === email.toLowerCase(),
  )
}

const foundScopes = async (token) => {
  const scopes = await (await ask(token, "GET", `/${realm}/client-scopes`)).json()
  return ownOf(
    scopes.filter(({ name }) => ownScopes.includes(name)),
    "scope",
    ({ name }) => name,
    ({ attributes }) => attributes?.[mark] === "true",
  )
}

const person = async (token, found) => {
  if (values.person === undefined) return
  for (const { id } of found) await ask(token, "DELETE", `/${realm}/users/${id}`)
  if (values.remove) return
  await ask(token, "POST", `/${realm}/users`, {
    username: values.person,
    enabled: true,
    firstName: "Alice",
    lastName: "Ant",
    email,
    emailVerified: true,
    credentials: [{ type: "password", value: personPassword, temporary: false }],
  })
  console.log(`made the person ${values.person}`)
}

const main = async () => {
  const { clients } = JSON.parse(readFileSync(file, "utf8"))
  if (values["create-realm"] && !values.remove) {
    const made = await ask(await signIn(), "POST", "", { realm, enabled: true, revokeRefreshToken: true }, [201, 409])
    console.log(made.status === 201 ? `made the realm ${realm}` : `the realm ${realm} already exists`)
  }
  const token = await signIn()
  const [people, scopes] = [await foundPeople(token), await foundScopes(token)]
  await person(token, people)
  if (!values.remove)
    for (const name of ownScopes.filter((each) => !scopes.some((scope) => scope.name === each)))
      await ask(token, "POST", `/${realm}/client-scopes`, { name, protocol: "openid-connect", attributes: { [mark]: "true" } })
  const exchanging = clients
    .filter(({ grant_types: grants = [] }) => grants.includes("urn:ietf:params:oauth:grant-type:token-exchange"))
    .map(({ client_id: id }) => id)
  for (const client of clients) {
    const each = await signIn()
    const was = await removeClient(each, client.client_id)
    if (!values.remove)
      await ask(each, "POST", `/${realm}/clients`, representation(client, client.client_id.endsWith("-web") ? exchanging : []))
    if (!values.remove || was) console.log(`${values.remove ? "removed" : was ? "replaced" : "made"} ${client.client_id}`)
  }
  if (!values.remove) return
  const last = await signIn()
  for (const { id } of await foundScopes(last)) await ask(last, "DELETE", `/${realm}/client-scopes/${id}`)
}

try {
  await main()
} catch (error) {
  console.error(error.cause?.code === undefined ? error.message : `${root} cannot be reached: ${error.cause.code}`)
  process.exitCode = 1
}
