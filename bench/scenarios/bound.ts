import { basic, membersOf, posting, WrongAnswer } from "../load/conversation.ts"
import type { Answer } from "../load/wire.ts"
import { tokenProof } from "../servers/clients.ts"
import type { Server } from "../servers/launch.ts"
import { form, issuing, issuingSigned } from "./clientCredentials.ts"
import { codes, refreshes, type Way } from "./people.ts"
import type { Prepared, Scenario } from "./scenario.ts"

/**
 * Proofs for the token endpoint of a server, each sent once (RFC 9449 §5). They are made before a round: a load that signs while it is measured sends
 * requests one by one, where each costs a server more than together with others.
 */
const proofsFor = (server: Server): { readonly header: () => string } & Required<Pick<Prepared, "refill">> => {
  const made: Array<string> = []
  const proof = (): string => tokenProof(server.issuer + server.paths.token)
  return {
    header: () => `dpop: ${made.pop() ?? proof()}\r\n`,
    refill: async (operations) => void made.splice(0, made.length, ...Array.from({ length: operations }, proof)),
  }
}

/** ES256 tokens that are bound to a key: each request brings a proof of its own (RFC 9449 §5), whose use is committed. */
export const boundToKey: Scenario = {
  id: "dpop",
  title: "client_credentials, JWT ES256 bound to a key by DPoP",
  floor: false,
  goal: {},
  prepare: async (server, connections) => {
    const { token } = server.paths
    // oidc-provider compares a proof's htu with the Host header, and the port is part of both.
    const { host } = new URL(server.issuer)
    const { header, refill } = proofsFor(server)
    const asked = (): string =>
      posting(token, form, `authorization: ${basic("es256")}\r\n${header()}`).replace("host: 127.0.0.1\r\n", `host: ${host}\r\n`)
    return { ...(await issuingSigned(server, connections, "ES256", (_, use) => issuing(server, "es256", use, asked, "DPoP"))), refill }
  },
}

const isBound = (answer: Answer): void => {
  if (membersOf(answer, "tokens")["token_type"] !== "DPoP") throw new WrongAnswer("tokens that are not bound", answer)
}

const proving = (scenario: Scenario, make: (way: Way) => Scenario): Scenario => ({
  ...scenario,
  prepare: async (server, connections) => {
    const { header, refill } = proofsFor(server)
    return { ...(await make({ headers: header, check: isBound }).prepare(server, connections)), refill }
  },
})

const [refresh, code] = [
  { id: "refresh-es256", title: "refresh rotation, JWT ES256" },
  { id: "code-es256", title: "authorization code and PKCE, JWT ES256", requests: 2 },
]

/** The grants that commit whether or not their tokens are bound, each without a proof and with one. */
export const committingGrants: ReadonlyArray<readonly [unbound: Scenario, bound: Scenario]> = [
  [refreshes(refresh), proving(refreshes(refresh), (way) => refreshes(refresh, way))],
  [codes(code), proving(codes(code), (way) => codes(code, way))],
]
