// Postern in Cloudflare Workers, its rows in D1.
import { type D1Like, d1Stores } from "@postern/adapter-cloudflare"
import type { Provider } from "@postern/core"
import { exampleProvider, exampleWork } from "./provider.ts"

interface Env {
  readonly ISSUER: string
  readonly DB: D1Like
}

interface Context {
  readonly waitUntil: (promise: Promise<unknown>) => void
}

let provider: Promise<Provider> | undefined

/** Made by the first request of an isolate: there is no I/O before. A failure is not remembered. */
const ready = ({ ISSUER, DB }: Env): Promise<Provider> => {
  provider ??= d1Stores(DB)
    .then((stores) => exampleProvider(ISSUER, stores))
    .catch((error: unknown) => {
      provider = undefined
      throw error
    })
  return provider
}

export default {
  fetch: (request: Request, env: Env, context: Context): Promise<Response> => {
    // Cloudflare's own proxy writes this header, and nobody else reaches the worker.
    const address = request.headers.get("cf-connecting-ip") ?? undefined
    const answer = ready(env).then((made) => made.fetch(request, { address }))
    // A request whose client leaves goes on to its end: others of the isolate may wait for what it has begun.
    context.waitUntil(answer.catch(() => undefined))
    return answer
  },
  /** Called by the cron trigger in wrangler.jsonc. */
  scheduled: (_: unknown, { DB }: Env, context: Context): void => context.waitUntil(d1Stores(DB).then(exampleWork)),
}
