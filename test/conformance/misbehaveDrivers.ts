import { type Misbehaving, type Misbehavior, misbehaviors } from "@postern/conformance/misbehave"
import { InMemoryWebStorage, OidcClient, type RefreshState, WebStorageStateStore } from "oidc-client-ts"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { AuthorizationCode } from "simple-oauth2"
import { createHash, randomBytes } from "node:crypto"
import { Surfer } from "../support/surfer.ts"

const redirect_uri = "https://app.example/cb"
const scope = "openid email offline_access"
/** The secret of every client. */
export const secret = "the secret of a client that is tried"

/** A library as it is driven: a whole sign-in with everything that it checks by itself. Rejects where the library refuses something. */
export interface Driver {
  readonly name: string
  readonly client: string
  readonly signIn: (issuer: string) => Promise<void>
  /** The faults that are for it; every one of plain responses when not given. */
  readonly meets?: (misbehavior: Misbehavior) => boolean
  /** True for a web site, which has one application at a time. */
  readonly isSite?: boolean
  /** Its registration, where that is not the usual one. */
  readonly registered?: Readonly<Record<string, unknown>>
}

/**
 * Reports whether a fault is for a library as it is driven: one that does not ask for responses as JWTs gets none that is wrong, and ID-JAGs are for authorization servers
 * (`misbehaveIdJags.test.ts`).
 */
export const isFor = ({ meets = ({ id }) => !id.startsWith("response-jwt.") }: Driver, misbehavior: Misbehavior): boolean =>
  misbehavior.transform["id-jag"] === undefined && misbehavior.transform.notice === undefined && meets(misbehavior)

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
    const again = await openid.refreshTokenGrant(configuration, renewed.refresh_token ?? tokens.refresh_token)
    await openid.fetchUserInfo(configuration, again.access_token, subject)
  }

/** The hybrid flow: an ID token comes with the code, in the fragment. */
const withHybrid = async (issuer: string): Promise<void> => {
  const execute = [openid.allowInsecureRequests, openid.useCodeIdTokenResponseType]
  const configuration = await openid.discovery(new URL(issuer), "openid-client-hybrid", {}, openid.ClientSecretBasic(secret), { execute })
  const [verifier, expectedState, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()]
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  })
  const checks = { pkceCodeVerifier: verifier, expectedState, expectedNonce }
  const tokens = await openid.authorizationCodeGrant(configuration, await authorized(url), checks)
  await openid.fetchUserInfo(configuration, tokens.access_token, tokens.claims()?.sub ?? "")
}

/** Faults of responses as JWTs. */
const ofJwts: Driver["meets"] = ({ id }) => id.startsWith("response-jwt.")

/** The code flow with the response as a JWT (JARM). */
const withJarm = async (issuer: string): Promise<void> => {
  const execute = [openid.allowInsecureRequests, openid.useJwtResponseMode]
  const configuration = await openid.discovery(new URL(issuer), "openid-client-jarm", {}, openid.ClientSecretBasic(secret), { execute })
  const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()]
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope,
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const tokens = await openid.authorizationCodeGrant(configuration, await authorized(url), { pkceCodeVerifier, expectedState })
  await openid.fetchUserInfo(configuration, tokens.access_token, tokens.claims()?.sub ?? "")
}

/** The class below UserManager, which needs no window: a public client with PKCE, and userinfo. */
const withOidcClientTs = async (issuer: string): Promise<void> => {
  const stateStore = new WebStorageStateStore({ store: new InMemoryWebStorage() })
  const client = new OidcClient({
    authority: issuer,
    client_id: "oidc-client-ts",
    redirect_uri,
    scope,
    loadUserInfo: true,
    stateStore,
  })
  const { url } = await client.createSigninRequest({ nonce: randomBytes(8).toString("hex") })
  const back = await authorized(new URL(url))
  const signedIn = await client.processSigninResponse(back.href)
  if (signedIn.profile.sub === undefined) throw new Error("no sub")
  if (signedIn.refresh_token === undefined) return
  const state: RefreshState = {
    refresh_token: signedIn.refresh_token,
    ...(signedIn.id_token === undefined ? {} : { id_token: signedIn.id_token }),
    session_state: signedIn.session_state,
    scope,
    profile: signedIn.profile,
  }
  const renewed = await client.useRefreshToken({ state })
  await fetch(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${renewed.access_token}` } })
}

/** An OAuth client without OpenID: what a token endpoint answers is its part, and the state is the application's. */
const withSimpleOauth2 = async (issuer: string): Promise<void> => {
  const auth = { tokenHost: issuer, tokenPath: `${issuer}/connect/token`, authorizePath: `${issuer}/connect/authorize` }
  const client = new AuthorizationCode<"code_challenge" | "code_challenge_method">({ client: { id: "simple-oauth2", secret }, auth })
  const code_verifier = randomBytes(32).toString("base64url")
  const state = randomBytes(8).toString("hex")
  const asked = {
    redirect_uri,
    scope,
    state,
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    code_challenge_method: "S256",
  }
  const back = await authorized(new URL(client.authorizeURL(asked as Parameters<typeof client.authorizeURL>[0])))
  if (back.searchParams.get("state") !== state) throw new Error("another state")
  const redeemed = { code: back.searchParams.get("code") ?? "", redirect_uri, code_verifier }
  const token = await client.getToken(redeemed as Parameters<typeof client.getToken>[0])
  const read = async (access: unknown): Promise<void> => {
    const { ok } = await fetch(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${String(access)}` } })
    if (!ok) throw new Error("userinfo refused the token")
  }
  await read(token.token["access_token"])
  if (token.token["refresh_token"] === undefined) return
  const renewed = await token.refresh()
  await read(renewed.token["access_token"])
  await read((await renewed.refresh()).token["access_token"])
}

const insecure = { [oauth.allowInsecureRequests]: true }

const withOauth4webapi =
  (client_id: string, strict = false, jarm = false) =>
  async (issuer: string): Promise<void> => {
    const [client, auth, from] = [{ client_id }, oauth.ClientSecretBasic(secret), new URL(issuer)]
    const as = await oauth.processDiscoveryResponse(from, await oauth.discoveryRequest(from, insecure))
    const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? "")
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const asked = { client_id, redirect_uri, response_type: "code", scope, state, nonce, code_challenge, code_challenge_method: "S256" }
    url.search = new URLSearchParams({ ...asked, ...(jarm ? { response_mode: "jwt" } : {}) }).toString()
    const answered = await authorized(url)
    const back = jarm
      ? await oauth.validateJwtAuthResponse(as, client, answered, state, insecure)
      : oauth.validateAuthResponse(as, client, answered, state)
    const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, back, redirect_uri, verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { expectedNonce: nonce, requireIdToken: true })
    if (strict) await oauth.validateApplicationLevelSignature(as, answer, insecure)
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? ""
    const userinfo = async (token: string) =>
      oauth.processUserInfoResponse(as, client, subject, await oauth.userInfoRequest(as, client, token, insecure))
    await userinfo(tokens.access_token)
    if (tokens.refresh_token === undefined) return
    const renew = async (token: string) => {
      const renewal = await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure)
      const renewed = await oauth.processRefreshTokenResponse(as, client, renewal)
      await userinfo(renewed.access_token)
      return renewed.refresh_token ?? token
    }
    await renew(await renew(tokens.refresh_token))
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
  {
    name: "openid-client, hybrid",
    client: "openid-client-hybrid",
    signIn: withHybrid,
    registered: { grant_types: ["authorization_code", "implicit", "refresh_token"], response_types: ["code id_token"] },
  },
  { name: "openid-client, JARM", client: "openid-client-jarm", signIn: withJarm, meets: ofJwts },
  { name: "oauth4webapi, JARM", client: "oauth4webapi-jarm", signIn: withOauth4webapi("oauth4webapi-jarm", false, true), meets: ofJwts },
  {
    name: "oidc-client-ts",
    client: "oidc-client-ts",
    signIn: withOidcClientTs,
    registered: { client_secret: undefined, token_endpoint_auth_method: "none" },
  },
  {
    name: "simple-oauth2",
    client: "simple-oauth2",
    signIn: withSimpleOauth2,
    meets: ({ id }) => /^token\.(?!id-token|access-token-as)|^refresh\.(?!iss|sub|aud)/.test(id),
  },
]

/** The registrations of the clients. */
export const clients = drivers.map(({ client, registered = {} }) => ({
  client_id: client,
  client_secret: secret,
  redirect_uris: [redirect_uri],
  grant_types: ["authorization_code", "refresh_token"],
  scope,
  require_consent: false,
  ...registered,
}))

/** Faults that take as long as a client waits. */
export const isSlow = ({ id }: Misbehavior): boolean => id.endsWith(".slow")

/** The faults that are for a client, but for those of sign-outs. */
export const faultsFor = (driver: Driver): ReadonlyArray<Misbehavior> =>
  misbehaviors.filter((each) => each.transform.logout === undefined && isFor(driver, each))

/** Tries one fault with a library, as often as it needs, and tells what came of it. */
export const tried = async (op: Misbehaving, { client, signIn }: Driver, { id, signIns, question }: Misbehavior): Promise<void> => {
  for (let turn = 1; turn < signIns; turn++) await signIn(op.issuerOf(id)).catch(() => undefined)
  const signedIn = await signIn(op.issuerOf(id)).then(
    () => true,
    () => false,
  )
  // A question about more than a sign-in is for a person.
  if (question === undefined) op.told(id, client, signedIn)
}
