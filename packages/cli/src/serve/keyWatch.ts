import type { JsonLog } from "@postern/adapter-http"
import type { JoseSigner } from "@postern/core/jose"
import { messageOf } from "@postern/core/model"

/** The interval between two reads, in milliseconds. It is half the age at which a signer stops using its cached keys. */
const every = 5_000

/**
 * Reads the keys every five seconds, even if the server is idle, so that a rotation reaches it quickly and no request waits for the read.
 * Logs added and removed keys. Returns a function that stops the watch.
 */
export const watchKeys = (signer: Pick<JoseSigner, "refresh" | "keys">, log: Pick<JsonLog, "line">): (() => void) => {
  let known: ReadonlySet<string> | undefined
  let failing = false
  let stopped = false
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
      // Logged once per outage. The cached keys stay in use for signing. A read that the end of the server cuts off is no outage.
      if (!failing && !stopped) log.line("error", "signing keys not read", { fault: messageOf(error) })
      failing = true
    }
  }
  const timer = setInterval(() => void look(), every).unref()
  void look()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
