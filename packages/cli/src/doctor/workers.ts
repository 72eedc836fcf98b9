import { availableParallelism } from "node:os"
import type { Setup } from "../config/setup.ts"
import { workersOf } from "../workerCount.ts"
import { type Observation, ok, warning } from "./observation.ts"

/** Compares the number of workers with the available cores. Reports nothing about a single process. */
export const checkedWorkers = ({ workers }: Pick<Setup, "workers">, cores = availableParallelism()): ReadonlyArray<Observation> => {
  const count = workersOf(workers, cores)
  if (count === 1) return []
  const of = `on ${cores === 1 ? "one core" : `${cores} cores`}`
  return count > cores
    ? [warning("workers", `${count} workers ${of}`, "more workers than cores cost memory and gain nothing: set workers to 0, or to fewer")]
    : [ok("workers", `${count} workers ${of}`)]
}
