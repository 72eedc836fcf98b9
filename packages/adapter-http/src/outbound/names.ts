import { Resolver } from "node:dns/promises"

/** The milliseconds after which a name server is queried again, and the total number of attempts. */
const patience = { timeout: 1_500, tries: 2 }

/**
 * Resolves host names by querying name servers over the network (RFC 1035 §4.2), which occupies no pool thread. Aborting the signal ends
 * the queries. The hosts file and names of the local network are not used.
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
      // Most hosts have addresses of only one family.
      if (four.status === "rejected" && six.status === "rejected") throw four.reason
      return [four, six].flatMap((found) => (found.status === "fulfilled" ? found.value : []))
    } finally {
      signal.removeEventListener("abort", cancel)
    }
  }
