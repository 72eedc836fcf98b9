import type { Costs, Work } from "./costs.ts"

/** Demand on a deployment, in operations a second. */
export interface Demand {
  readonly tokens: number
  readonly signIns: number
}

/** Machines and disk that a demand takes. */
export interface Need {
  /** Cores of servers, hashing included. */
  readonly serverCores: number
  /** Of which hashing has so many. */
  readonly hashingCores: number
  /** Cores of PostgreSQL primaries together. */
  readonly databaseCores: number
  /** PostgreSQL primaries, each with a part of the people and machines. */
  readonly primaries: number
  /** MB that PostgreSQL logs a second, all primaries together. */
  readonly loggedMB: number
  /** Rows that are kept at once, in millions. */
  readonly rowsMillions: number
  /** And their size, in GB. */
  readonly storedGB: number
}

/** Of a hundred token requests: refreshes, JWTs of machines, reference tokens of machines. */
export const mixture = { refresh: 0.6, jwt: 0.25, reference: 0.15 } as const

/** Share of a core that may be busy, so that there is room for peaks and for a machine that is lost. */
export const busy = 0.6

/** The largest PostgreSQL primary that the arithmetic counts with: its cores, the MB a second that its disk logs, the GB it stores. */
export const primary = { cores: 32, loggedMB: 200, storedGB: 8000 } as const

/** Default time for which rows are kept, in seconds: an access token for its hour, a refresh token for its fifteen days, rotated or not. */
export const kept = { access: 3600, refresh: 1_296_000 } as const

/** Computes the cost of an average token request. */
export const perToken = (work: Work): number => mixture.refresh * work.refresh + mixture.jwt * work.jwt + mixture.reference * work.reference

/** Computes the machines and disk that a demand takes on PostgreSQL. */
export const needOf = (costs: Costs, { tokens, signIns }: Demand): Need => {
  const cores = (work: Work): number => (tokens * perToken(work) + signIns * work.signin) / 1e6 / busy
  const hashingCores = (signIns * costs.hash) / 1e6 / busy
  const databaseCores = cores(costs.database)
  const loggedMB = (tokens * perToken(costs.logged) + signIns * costs.logged.signin) / 1e6
  const rows = tokens * (mixture.reference * kept.access + mixture.refresh * (kept.access + kept.refresh))
  const storedGB = (rows * costs.bytesPerToken) / 1e9
  return {
    serverCores: cores(costs.server) + hashingCores,
    hashingCores,
    databaseCores,
    primaries: Math.max(1, ...[databaseCores / primary.cores, loggedMB / primary.loggedMB, storedGB / primary.storedGB].map(Math.ceil)),
    loggedMB,
    rowsMillions: rows / 1e6,
    storedGB,
  }
}

/** Token requests a second that one server on SQLite answers with one core, at one sign-in for each `each` of them. */
export const singleNode = (costs: Costs, each: number): Demand => {
  const tokens = (busy * 1e6) / (perToken(costs.sqlite) + costs.sqlite.signin / each)
  return { tokens, signIns: tokens / each }
}
