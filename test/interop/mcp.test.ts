import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { UnauthorizedError, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthTokenVerifier } from "@modelcontextprotocol/sdk/server/auth/provider.js"
import { InsufficientScopeError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js"
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import {
  type OAuthClientInformationMixed,
  type OAuthMetadata,
  type OAuthTokens,
  OAuthMetadataSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import express from "express"
import { createRemoteJWKSet, jwtVerify } from "jose"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { pem } from "../cli/pem.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { users } from "./people.ts"
import { recipe } from "./recipes/recipe.ts"
import { type Site, openSite } from "./site.ts"
import { Visitor } from "./visitor.ts"

const redirectUrl = "http://127.0.0.1:33418/callback"

/** Accepts RFC 9068 access tokens of one issuer for one resource. */
const verifier = (metadata: OAuthMetadata, audience: string): OAuthTokenVerifier => {
  const keys = createRemoteJWKSet(new URL(String(metadata["jwks_uri"])))
  return {
    verifyAccessToken: async (token) => {
      const { payload } = await jwtVerify(token, keys, {
        issuer: metadata.issuer,
        audience,
        typ: "at+jwt",
        algorithms: ["RS256"],
        requiredClaims: ["exp", "iat", "sub", "client_id", "jti", "scope"],
      }).catch((error: unknown) => {
        throw new InvalidTokenError(String(error))
      })
      const scopes = String(payload["scope"]).split(" ")
      // Left to the middleware, its challenge would name this scope, and the client would then ask for that one alone.
      if (!scopes.includes("mcp.tools")) throw new InsufficientScopeError("mcp.tools is needed")
      return {
        token,
        clientId: String(payload["client_id"]),
        scopes,
        expiresAt: payload.exp ?? 0,
        resource: new URL(audience),
        extra: { sub: payload.sub },
      }
    },
  }
}

/** An MCP server with one tool, which tells who calls. */
const application = (metadata: OAuthMetadata, url: URL) => {
  const app = express()
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ["mcp.tools", "offline_access"] }))
  const guard = requireBearerAuth({
    verifier: verifier(metadata, url.href),
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  })
  app.post("/mcp", guard, express.json(), async (request, response) => {
    const tools = new McpServer({ name: "who", version: "1.0.0" })
    tools.registerTool("whoami", { description: "Tells who calls." }, ({ authInfo }) => ({
      content: [
        { type: "text", text: JSON.stringify({ sub: authInfo?.extra?.["sub"], client: authInfo?.clientId, scopes: authInfo?.scopes }) },
      ],
    }))
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await tools.connect(transport as Transport)
    await transport.handleRequest(request, response, request.body)
  })
  app.get("/mcp", guard, (_request, response) => void response.status(405).end())
  return app
}

/** A document of a client on https, by a certificate of `localhost`. */
const publish = async (content: (url: string) => object) => {
  const asked: Array<string | undefined> = []
  const server = createSecureServer({ key: pem.key, cert: pem.cert }, (request, response) => {
    asked.push(request.url)
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(content(url)))
  })
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
  const url = `https://localhost:${(server.address() as AddressInfo).port}/oauth/client.json`
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { url, asked, close }
}

/** State of an MCP client between its visits; it is registered with the provider already. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = { redirect_uris: [redirectUrl], client_name: "MCP client" }
  readonly asked: Array<URL> = []
  saved: OAuthTokens | undefined
  verifier = ""
  readonly issuer: string
  constructor(issuer: string) {
    this.issuer = issuer
  }
  clientInformation = () => ({ client_id: "mcp-client", issuer: this.issuer })
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens)
  state = () => "the client's state"
  redirectToAuthorization = (url: URL) => void this.asked.push(url)
  saveCodeVerifier = (value: string) => void (this.verifier = value)
  codeVerifier = () => this.verifier
}

/** State of an MCP client that nobody registered: its id is the URL of its document. */
class Unregistered implements OAuthClientProvider {
  readonly redirectUrl = "http://localhost:50123/callback"
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], client_name: "Agent" }
  readonly asked: Array<URL> = []
  readonly clientMetadataUrl: string
  information: OAuthClientInformationMixed | undefined
  saved: OAuthTokens | undefined
  verifier = ""
  constructor(url: string) {
    this.clientMetadataUrl = url
  }
  clientInformation = () => this.information
  saveClientInformation = (information: OAuthClientInformationMixed) => void (this.information = information)
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens)
  state = () => "the client's state"
  redirectToAuthorization = (url: URL) => void this.asked.push(url)
  saveCodeVerifier = (value: string) => void (this.verifier = value)
  codeVerifier = () => this.verifier
}

describe("@modelcontextprotocol/sdk against the running server", () => {
  let server: RunningServer
  let site: Site
  let url: URL

  beforeAll(async () => {
    site = await openSite()
    url = new URL(`${site.url}/mcp`)
    const shown = recipe("MCP SDK", site.url, "")
    server = await serve({
      users,
      resources: [...shown.resources, { identifier: "https://other.example/mcp", scopes: ["mcp.tools"] }],
      clients: shown.clients,
    })
    const found = await fetch(`${server.url}/.well-known/oauth-authorization-server`)
    site.answerWith(application(OAuthMetadataSchema.parse(await found.json()), url))
  })
  afterAll(async () => {
    await site?.close()
    await server?.stop()
    server?.remove()
  })

  const whoami = async (kept: Kept): Promise<unknown> => {
    const client = new Client({ name: "test", version: "1.0.0" })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: kept }) as Transport)
    const { content } = await client.callTool({ name: "whoami", arguments: {} })
    await client.close()
    const [first] = content as ReadonlyArray<{ readonly text: string }>
    return JSON.parse(first?.text ?? "null")
  }

  /** Connects, is sent to the provider, signs in there and comes back. */
  const signIn = async (kept: Kept): Promise<void> => {
    const transport = new StreamableHTTPClientTransport(url, { authProvider: kept })
    await expect(new Client({ name: "test", version: "1.0.0" }).connect(transport as Transport)).rejects.toBeInstanceOf(UnauthorizedError)
    const back = await new Visitor().authorize(kept.asked.at(-1)?.href ?? "", "alice", "correct horse battery")
    expect(back.searchParams.get("state")).toBe("the client's state")
    await transport.finishAuth(back.searchParams.get("code") ?? "")
  }

  test("RFC 9728, RFC 8414, RFC 7636, RFC 8707: from a 401 by both discoveries to a token for this resource alone, which it accepts", async () => {
    const kept = new Kept(server.url)
    await signIn(kept)
    const [asked] = kept.asked
    expect(asked?.origin).toBe(server.url)
    expect(asked?.searchParams.get("resource")).toBe(url.href)
    expect(asked?.searchParams.get("code_challenge_method")).toBe("S256")
    expect(await whoami(kept)).toEqual({ sub: "alice-1", client: "mcp-client", scopes: ["mcp.tools"] })
    expect(kept.asked).toHaveLength(1)
  })

  test("RFC 6749 §6, RFC 8707 §2.2: a token the server refuses is refreshed for the same resource, without the person", async () => {
    const kept = new Kept(server.url)
    await signIn(kept)
    const before = kept.saved
    kept.saved = { ...(before as OAuthTokens), access_token: "spoiled" }
    expect(await whoami(kept)).toMatchObject({ sub: "alice-1" })
    expect(kept.asked).toHaveLength(1)
    expect(kept.saved?.refresh_token).not.toBe(before?.refresh_token)
  })
})

describe("@modelcontextprotocol/sdk, where nobody registered a client", () => {
  test("Model Context Protocol 2026-07-28, Client ID Metadata Document: from a 401 to a tool that answers, by a document with a portless localhost", async ({
    onTestFinished,
  }) => {
    const site = await openSite()
    onTestFinished(site.close)
    const published = await publish((url) => ({
      client_id: url,
      client_name: "Agent",
      redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }))
    onTestFinished(published.close)
    const folder = mkdtempSync(join(tmpdir(), "postern-mcp-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, "ca.pem"), pem.cert)
    vi.stubEnv("NODE_EXTRA_CA_CERTS", join(folder, "ca.pem"))
    const url = new URL(`${site.url}/mcp`)
    // Declared without the slash that this client, as others do, sends at its end or leaves out.
    const server = await serve({ users, profile: "mcp", resources: [{ identifier: url.href, scopes: ["mcp.tools"] }] })
    vi.unstubAllEnvs()
    onTestFinished(async () => {
      await server.stop()
      server.remove()
    })
    const found = await fetch(`${server.url}/.well-known/oauth-authorization-server`)
    const metadata = (await found.json()) as Record<string, unknown>
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true, issuer: server.url })
    expect(metadata["code_challenge_methods_supported"]).toContain("S256")
    expect(metadata["token_endpoint_auth_methods_supported"]).toContain("none")
    expect(metadata["scopes_supported"]).toContain("offline_access")
    site.answerWith(application(OAuthMetadataSchema.parse(metadata), url))

    const agent = new Unregistered(published.url)
    const transport = new StreamableHTTPClientTransport(url, { authProvider: agent })
    await expect(new Client({ name: "test", version: "1.0.0" }).connect(transport as Transport)).rejects.toBeInstanceOf(UnauthorizedError)
    expect(agent.information).toMatchObject({ client_id: published.url })
    const asked = agent.asked.at(-1)?.href ?? ""
    const back = await new Visitor().authorize(asked, "alice", "correct horse battery")
    expect(back.href).toMatch(/^http:\/\/localhost:50123\/callback\?/)
    await transport.finishAuth(back.searchParams.get("code") ?? "")
    const client = new Client({ name: "test", version: "1.0.0" })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: agent }) as Transport)
    const { content } = await client.callTool({ name: "whoami", arguments: {} })
    await client.close()
    const [first] = content as ReadonlyArray<{ readonly text: string }>
    expect(JSON.parse(first?.text ?? "null")).toMatchObject({ sub: "alice-1", client: published.url })
    expect(published.asked).toEqual(["/oauth/client.json"])
  })
})
