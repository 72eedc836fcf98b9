// The module that workerd gives a Worker, as far as the examples and tests use it. `wrangler types` writes all of it.
declare module "cloudflare:workers" {
  import type { ObjectState } from "@postern/adapter-cloudflare"

  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: ObjectState
    protected readonly env: Env
    constructor(ctx: ObjectState, env: Env)
  }
}
