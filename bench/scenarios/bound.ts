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
  prepare: (server, connections) => {
    const { token } = server.paths
    const asked = (): string => posting(token, form, `authorization: ${basic("es256")}\r\ndpop: ${tokenProof(server.issuer + token)}\r\n`)
    return issuingSigned(server, connections, "ES256", (_, use) => issuing(server, "es256", use, asked, "DPoP"))
  },
}
