import { availableParallelism } from "node:os"

/** Most workers that a configuration may ask for. */
export const mostWorkers = 64

/** Most workers where `0` asks for one on each core. */
const mostByCores = 8

/** Number of workers: as many as asked for; `0` is one for each core that the process may use, at most eight. */
export const workersOf = (asked: number, cores = availableParallelism()): number => (asked === 0 ? Math.min(mostByCores, cores) : asked)
