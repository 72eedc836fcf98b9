import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose"
import { type Conversation, getting, membersOf, postingAs, WrongAnswer } from "../load/conversation.ts"
import { hold } from "../load/run.ts"
import type { Server } from "../servers/launch.ts"
import { each, type Goal, type Scenario } from "./scenario.ts"

const form = "grant_type=client_credentials&scope=api.read"

/** Asks for a token of a client; `use` is told each. */
export const issuing = (server: Server, clientId: string, use: (token: string) => void): (() => Conversation) => {
  const request = postingAs(clientId, server.paths.token, form)
  let last = ""
  return function* () {
    const answer = yield request
    const { access_token: token, token_type: type, scope } = membersOf(answer, `a token of ${clientId}`)
    if (typeof token !== "string" || token === last || type !== "Bearer" || scope !== "api.read")
      throw new WrongAnswer(`not a new token of ${clientId}`, answer)
    last = token
    use(token)
  }
}

/** One token, outside of what is measured. */
export const oneToken = async (server: Server, clientId: string): Promise<string> => {
  let issued = ""
  await hold(server.port, issuing(server, clientId, (token) => (issued = token))())
  return issued
}

const signed = (id: string, alg: string, goal: Goal): Scenario => ({
  id,
  title: `client_credentials, JWT ${alg}`,
  floor: true,
  goal,
  prepare: async (server, connections) => {
    const keys = createLocalJWKSet(await keysOf(server))
    const latest: Array<string> = Array.from({ length: connections }, () => "")
    return {
      operations: each(connections, (at) => issuing(server, id, (token) => (latest[at] = token))),
      // A sample of the signatures; all of them would cost the load more than the server.
      examine: async () => {
        for (const token of latest) await jwtVerify(token, keys, { algorithms: [alg], audience: "https://api.example", typ: "at+jwt" })
      },
    }
  },
})

const keysOf = async (server: Server): Promise<JSONWebKeySet> => {
  let keys: JSONWebKeySet = { keys: [] }
  await hold(
    server.port,
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
