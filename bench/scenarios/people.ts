import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { browse, type CodeOf, type Credentials, type Jar } from "../load/browser.ts"
import { basic, type Conversation, getting, membersOf, posting, WrongAnswer } from "../load/conversation.ts"
import { hold } from "../load/run.ts"
import type { Answer } from "../load/wire.ts"
import type { Server } from "../servers/launch.ts"
import { each, eachInTurn, type Scenario } from "./scenario.ts"

const redirectUri = "https://app.example/cb"
const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")

/** Parameters of the authorization request. */
export const authorizationParams = `client_id=web&redirect_uri=${encodeURIComponent(redirectUri)}&response_type=code&scope=openid%20profile%20offline_access&state=s&nonce=n&code_challenge=${challenge}&code_challenge_method=S256`

/** A way to send the authorization request: more parameters, parameters that replace all, and the place of the code in the answer. */
export interface Way {
  readonly more?: string
  readonly push?: (() => Generator<string, string, Answer>) | undefined
  readonly codeOf?: CodeOf | undefined
  /** More headers of a token request. */
  readonly headers?: (() => string) | undefined
  /** Throws if the token response lacks what was asked for. */
  readonly check?: ((answer: Answer) => void) | undefined
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

const tokensOf = (answer: Answer, what: string): Tokens => {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = membersOf(answer, what)
  if (typeof accessToken !== "string" || typeof refreshToken !== "string") throw new WrongAnswer(what, answer)
  if (typeof idToken !== "string" || idToken.split(".").length !== 3) throw new WrongAnswer(`${what}, without an ID token`, answer)
  return { accessToken, refreshToken }
}

const tokenRequest = (server: Server, form: string, headers = () => ""): string =>
  posting(server.paths.token, form, `authorization: ${basic("web")}\r\n${headers()}`)

/** The code flow of RFC 6749 §4.1 with PKCE, from the authorization request to the tokens. */
function* codeFlow(
  server: Server,
  jar: Jar,
  who: Credentials,
  prompt = "",
  { more = "", push, codeOf, headers, check }: Way = {},
): Generator<string, Tokens, Answer> {
  const params = push === undefined ? authorizationParams + more : yield* push()
  const code = yield* browse(jar, `${server.paths.authorization}?${params}${prompt}`, redirectUri, who, codeOf)
  const form = `grant_type=authorization_code&code=${code}&redirect_uri=${encodeURIComponent(redirectUri)}&code_verifier=${verifier}`
  const answer = yield tokenRequest(server, form, headers)
  check?.(answer)
  return tokensOf(answer, "tokens of a code")
}

/** A whole sign-in with consent, in a browser that knows nothing yet. */
export const signingIn = (server: Server, connection: number): (() => Conversation) =>
  function* () {
    yield* codeFlow(server, new Map(), server.credentials(connection), "&prompt=consent")
  }

/** Signs somebody in and consents, outside of what is measured. */
export const signedIn = async (
  server: Server,
  connection: number,
  way: Way = {},
): Promise<{ readonly jar: Jar; readonly tokens: Tokens }> => {
  const jar: Jar = new Map()
  let tokens: Tokens = { accessToken: "", refreshToken: "" }
  const conversation = function* (): Conversation {
    tokens = yield* codeFlow(server, jar, server.credentials(connection), "&prompt=consent", { ...way, push: undefined })
  }
  await hold(server, conversation())
  return { jar, tokens }
}

/** A chain of refreshes, each with the token of the one before. */
export const refreshing = (server: Server, first: string, { headers, check }: Way = {}): (() => Conversation) => {
  let [refreshToken, accessToken] = [first, ""]
  return function* () {
    const answer = yield tokenRequest(server, `grant_type=refresh_token&refresh_token=${refreshToken}`, headers)
    check?.(answer)
    const next = tokensOf(answer, "tokens of a refresh token")
    if (next.refreshToken === refreshToken || next.accessToken === accessToken) throw new WrongAnswer("no new tokens", answer)
    ;({ refreshToken, accessToken } = next)
  }
}

/** Chains of refreshes, one for each connection. */
export const refreshes = (scenario: Pick<Scenario, "id" | "title" | "goal">, way: Way = {}): Scenario => ({
  ...scenario,
  floor: false,
  prepare: async (server, connections) => ({
    operations: await eachInTurn(connections, async (connection) =>
      refreshing(server, (await signedIn(server, connection, way)).tokens.refreshToken, way),
    ),
  }),
})

const refresh = refreshes({ id: "refresh", title: "refresh rotation", goal: { peer: 5, peerCpu: 4 } })

/** The code flow of people who are signed in and have consented, with the request sent in some way. */
export const codes = (scenario: Pick<Scenario, "id" | "title" | "requests" | "goal">, way: Way = {}): Scenario => ({
  ...scenario,
  floor: false,
  prepare: async (server, connections) => ({
    operations: await eachInTurn(connections, async (connection) => {
      const { jar } = await signedIn(server, connection, way)
      return function* (): Conversation {
        // Whoever is asked to sign in again here has no credentials to do it with.
        yield* codeFlow(server, jar, { username: "", password: "" }, "", way)
      }
    }),
  }),
})

const code = codes({ id: "code", title: "authorization code and PKCE, session and consent exist", requests: 2, goal: { peer: 4 } })

const signIn: Scenario = {
  id: "signin",
  title: "full sign-in with consent, hashing excluded",
  floor: false,
  setting: "unhashed",
  goal: { peer: 4 },
  prepare: async (server, connections) => ({
    operations: each(connections, (connection) => signingIn(server, connection)),
    examine: async () => {
      if (server.name === "Postern" && !readFileSync(server.log, "utf8").includes("benchmark: hashing is left out"))
        throw new Error("Postern hashes: the hook of unhashed.mjs found no argon2 to replace")
    },
  }),
}

/** Access tokens of people, one for each connection. */
export const userTokens = async (server: Server, connections: number): Promise<ReadonlyArray<string>> =>
  Promise.all(each(connections, async (connection) => (await signedIn(server, connection)).tokens.accessToken))

/** Scenarios of people. */
export const people: ReadonlyArray<Scenario> = [refresh, code, signIn]

/** A GET with a bearer token (RFC 6750 §2.1). */
export const gettingAs = (token: string, target: string): string => getting(target, `authorization: Bearer ${token}\r\n`)
