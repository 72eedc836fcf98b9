import { type Message, type ProviderOptions, type Providers, type ProvidersOptions, createProvider, createProviders } from "@postern/core"
import type { ProviderPorts } from "@postern/core"
import { Visitor } from "./visitor.ts"
import { type World, type WorldOptions, world } from "./world.ts"

/** A world with several issuers, which share all that they do not have of their own. */
export interface IssuersWorld {
  readonly providers: Providers
  /** The world as one issuer has it: what is asked there is asked of that issuer. */
  readonly at: (issuer: string) => World
  /** The ports and settings that the issuers share. */
  readonly shared: Omit<ProviderOptions & ProviderPorts, "issuer">
  readonly whole: World
}

/** Builds a world of several issuers. */
export const issuersWorld = async (options: ProvidersOptions, more: WorldOptions = {}): Promise<IssuersWorld> => {
  let given: (ProviderOptions & ProviderPorts) | undefined
  const whole = await world({ ...more, create: (all) => createProvider((given = all)) })
  if (given === undefined) throw new Error("the world made no provider")
  const { issuer: _, ...shared } = given
  const providers = createProviders({ ...shared, ...options })
  const at = (issuer: string): World => {
    const { host, pathname } = new URL(issuer)
    const base = pathname.replace(/\/$/, "")
    const send: World["send"] = async (message) => {
      const path = message.path.startsWith(`${base}/`) ? message.path : base + message.path
      const whole: Message = {
        method: "GET",
        query: "",
        body: "",
        address: "192.0.2.1",
        ...message,
        path,
        headers: { host, ...message.headers },
      }
      return providers.handle(whole)
    }
    return { ...whole, send, visitor: (headers = {}) => new Visitor(send, headers) }
  }
  return { providers, at, shared, whole }
}
