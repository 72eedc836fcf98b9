import { type Misbehaving, misbehaviors } from "@postern/conformance/misbehave"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { Surfer } from "../support/surfer.ts"

const redirect_uri = "https://app.example/cb"
const scope = "openid email offline_access"
/** The secret of every client. */
export const secret = "the secret of a client that is tried"

/** How a library is driven: a whole sign-in with everything that it checks by itself. Rejects where the library refuses something. */
export interface Driver {
  readonly name: string
  readonly client: string
  readonly signIn: (issuer: string) => Promise<void>
}

const authorized = (url: URL): Promise<URL> => new Surfer().authorize(url.href, "alice", "alice")

const withOpenidClient =
  (client: string, settings: Partial<openid.ClientMetadata> = {}, strict = false) =>
  async (issuer: string): Promise<void> => {
    const execute = [openid.allowInsecureRequests, ...(strict ? [openid.enableNonRepudiationChecks] : [])]
    const configuration = await openid.discovery(new URL(issuer), client, settings, openid.ClientSecretBasic(secret), { execute })
    const [verifier, expectedState, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()]
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
    const checks = { pkceCodeVerifier: verifier, expectedState, expectedNonce, idTokenExpected: true }
    const tokens = await openid.authorizationCodeGrant(configuration, await authorized(url), checks)
    const subject = tokens.claims()?.sub ?? ""
    await openid.fetchUserInfo(configuration, tokens.access_token, subject)
    if (tokens.refresh_token === undefined) return
    const renewed = await openid.refreshTokenGrant(configuration, tokens.refresh_token)
    await openid.fetchUserInfo(configuration, renewed.access_token, subject)
  }

const insecure = { [oauth.allowInsecureRequests]: true }

const withOauth4webapi =
  (client_id: string, strict = false) =>
  async (issuer: string): Promise<void> => {
    const [client, auth, from] = [{ client_id }, oauth.ClientSecretBasic(secret), new URL(issuer)]
    const as = await oauth.processDiscoveryResponse(from, await oauth.discoveryRequest(from, insecure))
    const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? "")
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const asked = { client_id, redirect_uri, response_type: "code", scope, state, nonce, code_challenge, code_challenge_method: "S256" }
    url.search = new URLSearchParams(asked).toString()
    const back = oauth.validateAuthResponse(as, client, await authorized(url), state)
    const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, back, redirect_uri, verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { expectedNonce: nonce, requireIdToken: true })
    if (strict) await oauth.validateApplicationLevelSignature(as, answer, insecure)
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? ""
    const userinfo = async (token: string) =>
      oauth.processUserInfoResponse(as, client, subject, await oauth.userInfoRequest(as, client, token, insecure))
    await userinfo(tokens.access_token)
    if (tokens.refresh_token === undefined) return
    const renewal = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token, insecure)
    await userinfo((await oauth.processRefreshTokenResponse(as, client, renewal)).access_token)
  }

/** The libraries, each as its documentation shows it, and where it has one, with its check of signatures. */
export const drivers: ReadonlyArray<Driver> = [
  { name: "openid-client", client: "openid-client", signIn: withOpenidClient("openid-client") },
  {
    name: "openid-client, enableNonRepudiationChecks",
    client: "openid-client-strict",
    signIn: withOpenidClient("openid-client-strict", {}, true),
  },
  { name: "oauth4webapi", client: "oauth4webapi", signIn: withOauth4webapi("oauth4webapi") },
  {
    name: "oauth4webapi, validateApplicationLevelSignature",
    client: "oauth4webapi-strict",
    signIn: withOauth4webapi("oauth4webapi-strict", true),
  },
]

/** The registrations of the clients. */
export const clients = drivers.map(({ client }) => ({
  client_id: client,
  client_secret: secret,
  redirect_uris: [redirect_uri],
  grant_types: ["authorization_code", "refresh_token"],
  scope,
  require_consent: false,
}))

/** Signs in with a library once when all is right, which must work, and once with every fault; tells the provider what came of it. */
export const tryAll = async (op: Misbehaving, { client, signIn }: Driver): Promise<void> => {
  await signIn(op.issuer)
  for (const { id } of misbehaviors) {
    const signedIn = await signIn(op.issuerOf(id)).then(
      () => true,
      () => false,
    )
    op.told(id, client, signedIn)
  }
}
