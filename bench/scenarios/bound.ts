import { basic, posting } from "../load/conversation.ts"
import { tokenProof } from "../servers/clients.ts"
import { form, issuing, issuingSigned } from "./clientCredentials.ts"
import type { Scenario } from "./scenario.ts"

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
    const made: Array<string> = []
    const proof = (): string => tokenProof(server.issuer + token)
    const asked = (): string =>
      posting(token, form, `authorization: ${basic("es256")}\r\ndpop: ${made.pop() ?? proof()}\r\n`).replace(
        "host: 127.0.0.1\r\n",
        `host: ${host}\r\n`,
      )
    return {
      ...(await issuingSigned(server, connections, "ES256", (_, use) => issuing(server, "es256", use, asked, "DPoP"))),
      // A load that signs while it is measured sends requests one by one, where each costs a server more than together with others.
      refill: async (operations) => void made.splice(0, made.length, ...Array.from({ length: operations }, proof)),
    }
  },
}
