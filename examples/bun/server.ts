// Postern in Bun, which serves the default export of the file it runs.
import { exampleProvider } from "./provider.ts"

const port = Number(process.env["PORT"] ?? 4100)
const provider = await exampleProvider(process.env["ISSUER"] ?? `http://127.0.0.1:${port}`)

/** The part of Bun's server that is used here. */
interface Server {
  readonly requestIP: (request: Request) => { readonly address: string } | null
}

export default {
  port,
  hostname: "127.0.0.1",
  fetch: (request: Request, server: Server): Promise<Response> | Response => {
    // A request without a Host header has no absolute URL: Bun would answer with the error and its source.
    if (URL.parse(request.url)?.pathname === "/hello") return new Response("The application's own page.")
    return provider.fetch(request, { address: server.requestIP(request)?.address })
  },
}
