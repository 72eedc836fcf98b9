import type { Instant } from "@postern/core/model"

/** The system's clock: the default of every store, server and command. */
export const systemClock = (): Instant => Math.floor(Date.now() / 1000)
