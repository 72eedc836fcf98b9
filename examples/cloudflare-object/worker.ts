// Postern in Cloudflare Workers, its rows in a Durable Object of its issuer.
import { DurableObject } from "cloudflare:workers"
import { type Answer, type Statement, type StoreObject, objectStores, storeObject } from "@postern/adapter-cloudflare"
import type { Provider } from "@postern/core"
import { exampleProvider, exampleWork } from "./provider.ts"

interface Env {
  readonly ISSUER: string
  readonly STORE: { readonly getByName: (name: string) => StoreObject }
}

interface Context {
  readonly waitUntil: (promise: Promise<unknown>) => void
}

/** Keeps the rows of one issuer. Its alarm does the work between requests. */
export class PosternStore extends DurableObject<Env> {
  readonly #store = storeObject(this.ctx, { maintain: exampleWork })

  transact(statements: ReadonlyArray<Statement>): Answer {
    return this.#store.transact(statements)
  }

  alarm(): Promise<void> {
    return this.#store.alarm()
  }
}

let provider: Promise<Provider> | undefined

/** Made by the first request of an isolate: there is no I/O before. A failure is not remembered. */
const ready = ({ ISSUER, STORE }: Env): Promise<Provider> => {
  // A stub for each message: it belongs to the request that made it.
  provider ??= objectStores(() => STORE.getByName(ISSUER))
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
}
