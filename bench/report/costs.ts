import { cpu, figure, figureOf } from "../figures.ts"
import { type Results, stored } from "../results.ts"

/** Cost of one operation at part load as measured, in microseconds of CPU unless it says otherwise. */
export interface Costs {
  /** Of a password's verification. */
  readonly hash: number
  /** A core of a server on SQLite. */
  readonly sqlite: Work
  /** A core of a server on PostgreSQL. */
  readonly server: Work
  /** PostgreSQL itself. */
  readonly database: Work
  /** Bytes that PostgreSQL logs. */
  readonly logged: Work
  /** Bytes of a stored token on SQLite, its grant included. */
  readonly bytesPerToken: number
}

/** Operations that people and machines ask for. */
export interface Work {
  readonly reference: number
  readonly jwt: number
  readonly refresh: number
  readonly signin: number
}

type Chosen = (result: Results["cluster"]["scenarios"][number]) => ReadonlyArray<number>

/** The costs that were measured last; undefined while something is missing. */
export const measuredCosts = (): Costs | undefined => {
  const [conditions, cluster, growth, hashing] = [stored("conditions"), stored("cluster"), stored("growth"), stored("hashing")]
  if (conditions === undefined || cluster === undefined || growth === undefined || hashing === undefined) return undefined
  const alone = (id: string): number => {
    const result = conditions.scenarios.find((each) => each.id === id)
    return (result === undefined ? undefined : figureOf(result, "Postern", cpu))?.median ?? Number.NaN
  }
  const together = (id: string, pick: Chosen): number => {
    const result = cluster.scenarios.find((each) => each.id === id)
    return result === undefined ? Number.NaN : figure(pick(result)).median
  }
  const work = (pick: Chosen): Work => ({
    reference: together("reference", pick),
    jwt: together("es256", pick),
    refresh: together("refresh", pick),
    signin: together("signin", pick),
  })
  const largest = growth.rows.at(-1)
  return {
    hash: hashing.perHash,
    sqlite: { reference: alone("reference-part"), jwt: alone("es256-part"), refresh: alone("refresh-part"), signin: alone("signin-part") },
    server: work(({ part }) => part.map(cpu)),
    database: work(({ database }) => database),
    logged: work(({ logged }) => logged),
    bytesPerToken: largest === undefined ? Number.NaN : largest.bytes / largest.tokens,
  }
}
