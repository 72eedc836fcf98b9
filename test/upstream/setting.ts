import { exportJWK, generateKeyPair } from "jose"
import { type RunningServer, freePort, serveAt } from "../support/server.ts"

/** Somebody at the upstream provider. */
export const ann = {
  username: "ann",
  password: "correct horse battery",
  subject: "ann-there",
  claims: { name: "Ann Adams", preferred_username: "ann", email: "ann@corp.example", email_verified: true, department: "Works" },
}

/** Somebody here whose e-mail address is the same. */
export const local = {
  username: "ann@corp.example",
  password: "battery horse correct",
  subject: "ann-here",
  claims: { email: "ann@corp.example", email_verified: true },
}

/** Two providers: people of the one sign in at the other. */
export interface Setting {
  readonly ours: RunningServer
  readonly theirs: RunningServer
  readonly stop: () => Promise<void>
}

/**
 * Starts both. They have hosts of their own, since cookies know no ports: ours is `127.0.0.1`, theirs `localhost`. We know them under
 * three names: `corp`, which asks nobody; `strict`, which asks for consent, and to which we prove ourselves by a key; `gone`, where nobody
 * answers.
 */
export const start = async (): Promise<Setting> => {
  const [ourPort, theirPort, silent] = [await freePort(), await freePort(), await freePort()]
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  const ourUrl = `http://127.0.0.1:${ourPort}`
  const theirUrl = `http://localhost:${theirPort}`
  const client = (name: string, more: object = {}) => ({
    client_id: `postern-${name}`,
    client_name: "Postern",
    redirect_uris: [`${ourUrl}/login/callback/${name}`],
    scope: "openid profile email department",
    ...more,
  })
  const provider = (name: string, more: object = {}) => ({
    name,
    display_name: `The ${name} provider`,
    issuer: theirUrl,
    client_id: `postern-${name}`,
    ...more,
  })
  const theirs = await serveAt(theirUrl, {
    scopes: [{ name: "department", claims: ["department"] }],
    users: [ann],
    clients: [
      client("corp", {
        client_secret: "secret of corp",
        backchannel_logout_uri: `${ourUrl}/login/upstream-logout/corp`,
        require_consent: false,
        grant_types: ["authorization_code", "password"],
      }),
      client("strict", {
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: "ours" }] },
      }),
    ],
  })
  const web = {
    client_secret: "secret of web",
    redirect_uris: ["https://app.example/cb"],
    scope: "openid profile email unit",
    require_consent: false,
    require_pkce: false,
  }
  const ours = await serveAt(ourUrl, {
    trail: "all",
    upstream_logout: true,
    scopes: [{ name: "unit", claims: ["unit"] }],
    pages: { tenants: { acme: { name: "Acme Works", colors: { accent: "#7a1f5c" } } } },
    users: [local],
    identity_providers: [
      provider("corp", {
        client_secret: "secret of corp",
        scopes: ["openid", "profile", "email", "department"],
        claims: { name: "name", preferred_username: "preferred_username", email: "email", unit: "department" },
        password_grant: true,
      }),
      provider("strict", { client_key: JSON.stringify({ ...(await exportJWK(privateKey)), alg: "ES256", kid: "ours" }) }),
      provider("gone", { issuer: `http://127.0.0.1:${silent}` }),
    ],
    clients: [
      { client_id: "web", ...web, identity_providers: ["corp", "strict", "gone"] },
      { client_id: "corporate", ...web, identity_providers: ["corp"], allow_local_login: false },
      { client_id: "plain", ...web },
      {
        client_id: "ropc",
        client_secret: "secret of web",
        grant_types: ["password"],
        scope: "openid profile unit",
        identity_providers: ["corp", "strict"],
      },
    ],
  })
  return {
    ours,
    theirs,
    stop: async () => {
      await Promise.all([ours.stop(), theirs.stop()])
      ours.remove()
      theirs.remove()
    },
  }
}

/** An authorization request of a client of ours. */
export const asking = ({ ours }: Setting, more: Readonly<Record<string, string>> = {}): string =>
  `${ours.url}/connect/authorize?${new URLSearchParams({
    client_id: "web",
    redirect_uri: "https://app.example/cb",
    response_type: "code",
    scope: "openid profile email unit",
    state: "st",
    ...more,
  }).toString()}`
