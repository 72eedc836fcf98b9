// Postern in Express, below /auth, with the pages and the cryptography for Node of @postern/adapter-http.
import { nodeDigest, nodeEntropy, nodeJws, toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import { createProvider, defineClient } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import express from "express"

const port = Number(process.env["PORT"] ?? 4100)
const issuer = process.env["ISSUER"] ?? `http://127.0.0.1:${port}/auth`
const now = (): number => Math.floor(Date.now() / 1000)
const keys = [await generateKey("RS256", { createdAt: now(), activeAt: now() })]

const application = defineClient(
  {
    client_id: "app",
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1:4200/callback"],
    scope: "openid profile",
  },
  { issuer },
)

const pages = liquidPages({ name: "Example" })

// Keys, people and tokens are gone with the process: give it stores of your own, or those of @postern/adapter-sqlite.
const provider = createProvider({
  issuer,
  clients: memoryClientStore([application]),
  authenticator: memoryAuthenticator([
    { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
  ]),
  tokens: memoryTokenStore(),
  signer: joseSigner({ keys: () => keys, now, jws: nodeJws }),
  pages,
  digest: nodeDigest,
  entropy: nodeEntropy,
})

const app = express()

// Before anything that parses bodies. What is not the provider's goes on to the next.
app.use(toNodeHandler(provider, { assets: pages.assets }))
app.use(express.urlencoded())
app.get("/hello", (_request, response) => void response.send("The application's own page."))

app.listen(port, "127.0.0.1", () => console.log(`listening on ${issuer}`))
