/** Starts the server of `ownPages.ts` on http://127.0.0.1:4100: `node examples/startOwnPages.ts`. Sign in as alice with `wonderland`, and the code 123456. */
import { createServer } from "node:http"
import { interactions, ownServer } from "./ownPages.ts"
import { exampleProvider } from "./hono/provider.ts"

const provider = await exampleProvider("http://127.0.0.1:4100", { interactions })

const server = ownServer(provider, {
  check: async (username, password) => (username === "alice" && password === "wonderland" ? "1" : undefined),
  code: async (_, code) => code === "123456",
})

createServer(server).listen(4100, "127.0.0.1")
