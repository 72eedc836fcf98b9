import { posting } from "../load/conversation.ts"
import { certified } from "../servers/clients.ts"
import { form, issuing, issuingSigned } from "./clientCredentials.ts"
import type { Scenario } from "./scenario.ts"

/**
 * ES256 tokens of a client that authenticates by its certificate, to which they are bound (RFC 8705 §2.2, §3), as a proxy passes it on (RFC 9440): the connection and its
 * handshake are the proxy's.
 */
export const boundToCertificate: Scenario = {
  id: "mtls",
  title: "client_credentials, JWT ES256 bound to the client's certificate",
  floor: false,
  setting: "certificates",
  goal: {},
  prepare: (server, connections) => {
    const { der, client } = certified()
    const body = `${form}&client_id=${client.client_id}`
    const asked = posting(server.paths.token, body, `client-cert: :${der.toString("base64")}:\r\n`)
    return issuingSigned(server, connections, "ES256", (_, use) => issuing(server, client.client_id, use, asked))
  },
}
