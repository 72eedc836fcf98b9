// Postern in workerd, and so in Cloudflare Workers.
import { type Example, example } from "./provider.ts"

interface Env {
  readonly ISSUER: string
}

interface Context {
  readonly waitUntil: (promise: Promise<unknown>) => void
}

/** Made at the first request: no randomness is to be had before. Each isolate has one of its own, so keep rows in a store that they share. */
let made: Promise<Example> | undefined

const ready = ({ ISSUER }: Env): Promise<Example> => (made ??= example(ISSUER))

export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    const { provider } = await ready(env)
    // Cloudflare's own proxy writes this header, and nobody else reaches the worker.
    const address = request.headers.get("cf-connecting-ip") ?? undefined
    return provider.fetch(request, { address })
  },
  /** Called by a cron trigger, such as `* * * * *`. */
  scheduled: (_: unknown, env: Env, context: Context): void => {
    const told = ready(env).then(async ({ work }) => console.log(`maintained ${JSON.stringify(await work())}`))
    context.waitUntil(told)
  },
}
