import type { JsonLog } from "@postern/adapter-http"
import type { JoseSigner } from "@postern/core/jose"

/** Milliseconds between two readings: half of the age at which a signer uses its keys no longer. */
const every = 5_000

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Reads the keys again every five seconds, whether or not the server is asked for anything: so a rotation reaches an idle server as soon as a
 * busy one, and no request waits for it. Logs the keys that came and went. Ends by what it answers with.
 */
export const watchKeys = (signer: Pick<JoseSigner, "refresh" | "keys">, log: Pick<JsonLog, "line">): (() => void) => {
  let known: ReadonlySet<string> | undefined
  let failing = false
  const look = async (): Promise<void> => {
    try {
      await signer.refresh()
      const kids = new Set((await signer.keys()).map(({ kid }) => kid))
      const before = known ?? kids
      known = kids
      failing = false
      const [added, gone] = [[...kids].filter((kid) => !before.has(kid)), [...before].filter((kid) => !kids.has(kid))]
      if (added.length + gone.length > 0) log.line("info", "signing keys changed", { added, removed: gone })
    } catch (error) {
      // Once for each outage: those that were read go on signing.
      if (!failing) log.line("error", "signing keys not read", { fault: told(error) })
      failing = true
    }
  }
  const timer = setInterval(() => void look(), every).unref()
  void look()
  return () => clearInterval(timer)
}
