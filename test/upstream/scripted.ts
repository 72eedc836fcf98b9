import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose"

/** Deviations of a scripted provider from a good one. */
export interface Script {
  /** Changes of the discovery document. */
  metadata?: Readonly<Record<string, unknown>>
  /** Changes of the ID token's claims. */
  claims?: Readonly<Record<string, unknown>>
  userinfo?: Readonly<Record<string, unknown>>
  /** Signs by a key that is not published. */
  foreignKey?: boolean
  /** Answers the token endpoint with this status and body. */
  tokenAnswer?: { readonly status: number; readonly body: unknown }
  /** Makes every answer longer than this many bytes. */
  padding?: number
}

/** An OpenID Provider that says what it is told to. */
export interface Scripted {
  readonly issuer: string
  readonly script: Script
  /** The paths that were asked for since it was last emptied, and the forms and headers of the token endpoint. */
  readonly asked: Array<string>
  readonly tokenRequests: Array<{ readonly form: Readonly<Record<string, string>>; readonly authorization: string | undefined }>
  /** The nonce that its next ID token carries, as the authorization request named it. */
  nonce: string
  /** Publishes and uses another key from now on. */
  readonly rotate: () => Promise<void>
  readonly close: () => Promise<void>
}

const newKey = async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256")
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk: { ...jwk, alg: "ES256", use: "sig", kid: await calculateJwkThumbprint(jwk) } }
}

/** Starts one on a free loopback port. */
export const scripted = async (clientId: string): Promise<Scripted> => {
  let key = await newKey()
  const foreign = await newKey()
  const asked: Array<string> = []
  const tokenRequests: Array<{ form: Record<string, string>; authorization: string | undefined }> = []
  const script: Script = {}
  const idToken = async (issuer: string, nonce: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const { privateKey } = script.foreignKey === true ? foreign : key
    return new SignJWT({ iss: issuer, sub: "ann", aud: clientId, iat: now, exp: now + 60, nonce, ...script.claims })
      .setProtectedHeader({ alg: "ES256", kid: key.jwk.kid })
      .sign(privateKey)
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = new URL(request.url ?? "/", issuer).pathname
      asked.push(path)
      const send = (status: number, body: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" })
        response.end(JSON.stringify(body) + " ".repeat(script.padding ?? 0))
      }
      switch (path) {
        case "/.well-known/openid-configuration":
          return send(200, {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            jwks_uri: `${issuer}/jwks`,
            response_types_supported: ["code"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["ES256"],
            authorization_response_iss_parameter_supported: true,
            ...script.metadata,
          })
        case "/jwks":
          return send(200, { keys: [key.jwk] })
        case "/userinfo":
          return send(200, { sub: "ann", name: "Ann", ...script.userinfo })
        case "/token": {
          tokenRequests.push({
            form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
            authorization: request.headers.authorization,
          })
          if (script.tokenAnswer !== undefined) return send(script.tokenAnswer.status, script.tokenAnswer.body)
          return void idToken(issuer, self.nonce).then((id_token) =>
            send(200, { access_token: "at", token_type: "Bearer", expires_in: 60, id_token }),
          )
        }
        default:
          return send(404, {})
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  // An address of TCP: the server listens on a host and a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: Scripted = {
    issuer,
    script,
    asked,
    tokenRequests,
    nonce: "",
    rotate: async () => void (key = await newKey()),
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
  return self
}
