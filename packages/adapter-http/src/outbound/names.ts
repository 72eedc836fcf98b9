import { Resolver } from "node:dns/promises"

/** Milliseconds after which a name server is asked again, and how often it is asked in all. */
const patience = { timeout: 1_500, tries: 2 }

/**
 * Finds the addresses of names by asking name servers over the network (RFC 1035 §4.2), which takes no thread of the process; it ends when the signal is aborted.
 * Files of this machine and names of the local network are left out.
 */
export const addressesByName =
  (signal: AbortSignal, servers?: ReadonlyArray<string>) =>
  async (hostname: string): Promise<ReadonlyArray<string>> => {
    const resolver = new Resolver(patience)
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener("abort", cancel, { once: true })
    try {
      const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      // Most hosts have addresses of one family alone.
      if (four.status === "rejected" && six.status === "rejected") throw four.reason
      return [four, six].flatMap((found) => (found.status === "fulfilled" ? found.value : []))
    } finally {
      signal.removeEventListener("abort", cancel)
    }
  }
