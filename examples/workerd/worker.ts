// Postern in workerd, and so in Cloudflare Workers.
import type { Provider } from "@postern/core"
import { exampleProvider } from "./provider.ts"

/** Made at the first request: no randomness is to be had before. Each isolate has one of its own, so keep rows in a store that they share. */
let provider: Promise<Provider> | undefined

export default {
  fetch: async (request: Request, { ISSUER }: { readonly ISSUER: string }): Promise<Response> => {
    provider ??= exampleProvider(ISSUER)
    // Cloudflare's own proxy writes this header, and nobody else reaches the worker.
    const address = request.headers.get("cf-connecting-ip") ?? undefined
    return (await provider).fetch(request, { address })
  },
}
