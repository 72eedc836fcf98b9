// Several issuers on one Node server: http://127.0.0.1:4100/acme and http://127.0.0.1:4100/globex.
import { createServer } from "node:http"
import { toNodeHandler } from "@postern/adapter-http/node"
import { exampleIssuers } from "./issuers.ts"

const port = Number(process.env["PORT"] ?? 4100)
const { providers, work } = await exampleIssuers(process.env["ORIGIN"] ?? `http://127.0.0.1:${port}`)
const handler = toNodeHandler(providers)

// Keys, messages and expired rows of all issuers, each minute.
setInterval(() => void work(), 60_000).unref()

createServer((request, response) => {
  if (request.url === "/hello") response.end("The application's own page.")
  else handler(request, response)
}).listen(port, "127.0.0.1", () => console.log(`listening on port ${port}`))
