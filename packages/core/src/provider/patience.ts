import { webTimer } from "../platform/timer.ts"
import { type Patience, defaultPortTimeout } from "../ports/index.ts"
import type { CommonPorts, ProviderOptions } from "./options.ts"

/** Returns the time limit of the ports in these options. */
export const patienceOf = ({
  timer = webTimer,
  portTimeout = defaultPortTimeout,
}: Pick<ProviderOptions & CommonPorts, "timer" | "portTimeout">): Patience => ({
  timer,
  milliseconds: portTimeout,
})
