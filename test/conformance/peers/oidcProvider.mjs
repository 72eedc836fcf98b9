// oidc-provider with its development pages and everything in memory, for `postern conform`. Arguments: a port, the file of clients that
// `postern conform --prepare` writes, and `registration` where clients may register themselves. Prints `listening` when it does.
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"

const { Provider } = await import(createRequire(new URL("../../../bench/package.json", import.meta.url)).resolve("oidc-provider"))
const { exportJWK, generateKeyPair } = await import("jose")

const [port, file, registration] = process.argv.slice(2)
const issuer = `http://127.0.0.1:${port}`
// The roles that its configuration below lets it have; what it calls by another name or has not is left out.
const clients = JSON.parse(readFileSync(file, "utf8"))
  .clients.filter(({ client_id }) => !/-(?:password|exchange|crossing|details|poll|ping|push|asking|fapi|messages)$/.test(client_id))
  .map(({ redirect_uris = [], scope, ...client }) => ({
    ...client,
    redirect_uris,
    ...(client.grant_types.includes("client_credentials") ? {} : { scope }),
    ...(client.subject_type === "pairwise" ? { sector_identifier_uri: undefined } : {}),
  }))
const key = async (alg, kid) => ({
  ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)),
  alg,
  kid,
  use: "sig",
})

const claims = {
  name: "Alice Ant",
  email: "alice@example.com",
  email_verified: true,
  phone_number: "+43 1 5550100",
  phone_number_verified: false,
  address: { locality: "Vienna" },
}

const provider = new Provider(issuer, {
  clients,
  jwks: { keys: [await key("RS256", "rsa"), await key("ES256", "ec")] },
  scopes: ["openid", "offline_access", "conformance.read", "conformance.write"],
  claims: {
    openid: ["sub"],
    profile: ["name"],
    email: ["email", "email_verified"],
    address: ["address"],
    phone: ["phone_number", "phone_number_verified"],
  },
  subjectTypes: ["public", "pairwise"],
  pairwiseIdentifier: (_ctx, accountId, client) => `${client.clientId}-${accountId}`,
  responseTypes: ["code", "code id_token", "code token", "code id_token token", "id_token", "id_token token"],
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"],
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...claims }) }),
  cookies: { keys: ["a key of a test"] },
  features: {
    devInteractions: { enabled: true },
    claimsParameter: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    dPoP: { enabled: true },
    jwtResponseModes: { enabled: true },
    introspection: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    requestObjects: { enabled: true },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    registration: { enabled: registration === "registration" },
    registrationManagement: { enabled: registration === "registration" },
  },
})
createServer(provider.callback()).listen(Number(port), "127.0.0.1", () => console.log("listening"))
