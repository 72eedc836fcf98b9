// Postern in Deno: `deno serve` serves the default export.
import process from "node:process"
import { exampleProvider } from "./provider.ts"

const port = Number(process.env["PORT"] ?? 4100)
const provider = await exampleProvider(process.env["ISSUER"] ?? `http://127.0.0.1:${port}`)

/** The part of Deno's connection that is used here. */
interface Connection {
  readonly remoteAddr: { readonly hostname: string }
}

export default {
  fetch: (request: Request, { remoteAddr }: Connection): Promise<Response> | Response => {
    if (new URL(request.url).pathname === "/hello") return new Response("The application's own page.")
    return provider.fetch(request, { address: remoteAddr.hostname })
  },
}
