import { availableParallelism } from "node:os"

/** The maximum number of workers in a configuration. */
export const mostWorkers = 64

/** The maximum number of workers for `0`, which requests one per core. */
const mostByCores = 8

/** Returns the number of workers. `0` means one for each available core, at most eight. */
export const workersOf = (asked: number, cores = availableParallelism()): number => (asked === 0 ? Math.min(mostByCores, cores) : asked)
