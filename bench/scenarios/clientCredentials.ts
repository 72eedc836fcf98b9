import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose"
import { type Conversation, getting, membersOf, postingAs, WrongAnswer } from "../load/conversation.ts"
import { hold } from "../load/run.ts"
import type { Server } from "../servers/launch.ts"
import { each, type Goal, type Prepared, type Scenario } from "./scenario.ts"

/** The form of a client that asks for a token. */
export const form = "grant_type=client_credentials&scope=api.read"

/** The request of a client that asks for a token at a path. */
export const asking = (path: string, clientId: string): string => postingAs(clientId, path, form)

/** Asks for a token of a client by a request, which may be made anew each time; `use` is told each. */
export const issuing = (
  server: Server,
  clientId: string,
  use: (token: string) => void,
  request: string | (() => string) = asking(server.paths.token, clientId),
  tokenType = "Bearer",
): (() => Conversation) => {
  let last = ""
  return function* () {
    const answer = yield typeof request === "string" ? request : request()
    const { access_token: token, token_type: type, scope } = membersOf(answer, `a token of ${clientId}`)
    if (typeof token !== "string" || token === last || type !== tokenType || scope !== "api.read")
      throw new WrongAnswer(`not a new token of ${clientId}`, answer)
    last = token
    use(token)
  }
}

/** One token, outside of what is measured. */
export const oneToken = async (server: Server, clientId: string): Promise<string> => {
  let issued = ""
  await hold(server, issuing(server, clientId, (token) => (issued = token))())
  return issued
}

const signed = (id: string, alg: string, goal: Goal): Scenario => ({
  id,
  title: `client_credentials, JWT ${alg}`,
  floor: true,
  goal,
  prepare: (server, connections) => issuingSigned(server, connections, alg, (_, use) => issuing(server, id, use)),
})

/** Connections that ask for JWTs, of which a sample is verified with the published keys. */
export const issuingSigned = async (
  server: Server,
  connections: number,
  alg: string,
  make: (connection: number, use: (token: string) => void) => () => Conversation | undefined,
): Promise<Prepared> => {
  const keys = createLocalJWKSet(await keysOf(server))
  const latest: Array<string> = []
  return {
    operations: each(connections, (at) => make(at, (token) => (latest[at] = token))),
    // All the signatures would cost the load more than the server.
    examine: async () => {
      for (const token of latest)
        if (token !== undefined) await jwtVerify(token, keys, { algorithms: [alg], audience: "https://api.example", typ: "at+jwt" })
    },
  }
}

const keysOf = async (server: Server): Promise<JSONWebKeySet> => {
  let keys: JSONWebKeySet = { keys: [] }
  await hold(
    server,
    (function* (): Conversation {
      keys = JSON.parse((yield getting(server.paths.jwks)).body) as JSONWebKeySet
    })(),
  )
  return keys
}

/** Tokens of a machine. */
export const clientCredentials: ReadonlyArray<Scenario> = [
  {
    id: "reference",
    title: "client_credentials, reference token",
    floor: true,
    goal: { peer: 5, peerCpu: 4, floor: 0.55 },
    prepare: async (server, connections) => ({ operations: each(connections, () => issuing(server, "reference", () => undefined)) }),
  },
  signed("es256", "ES256", { peer: 2, floor: 0.7 }),
  signed("rs256", "RS256", { peer: 1.3, floor: 0.9 }),
]
