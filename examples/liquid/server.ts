// Liquid templates: every page of the provider drawn by pages.ts, in node:http.
import { createServer } from "node:http"
import { toNodeHandler } from "@postern/adapter-http/node"
import { pages } from "./pages.ts"
import { exampleProvider } from "./provider.ts"

const port = Number(process.env["PORT"] ?? 4100)
const provider = await exampleProvider(process.env["ISSUER"] ?? `http://127.0.0.1:${port}`, { pages })
const handler = toNodeHandler(provider)

createServer((request, response) => {
  if (request.url === "/hello") response.end("The application's own page.")
  else handler(request, response)
}).listen(port, "127.0.0.1", () => console.log(`listening on ${provider.settings.issuer}`))
