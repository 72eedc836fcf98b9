// Postern in Next.js, below /auth.
import type { Provider } from "@postern/core"
import { exampleProvider } from "../../../provider.ts"

// One for the process: in development modules are loaded anew when they change.
const kept = globalThis as { postern?: Promise<Provider> }

const issuer = process.env["ISSUER"] ?? "http://127.0.0.1:4100/auth"

const handle = async (request: Request): Promise<Response> => {
  kept.postern ??= exampleProvider(issuer)
  // Behind a proxy of yours that writes the header, the last entry is the address it saw; take it from nobody else.
  const address = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
  return (await kept.postern).fetch(request, { address })
}

export const dynamic = "force-dynamic"
export { handle as GET, handle as HEAD, handle as OPTIONS, handle as POST }
