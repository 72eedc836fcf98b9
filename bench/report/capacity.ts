import { type Costs, measuredCosts } from "./costs.ts"
import { busy, type Demand, kept, mixture, needOf, perToken, primary, singleNode } from "./demand.ts"
import { machineLine, table } from "./tables.ts"
import { stored } from "../results.ts"

/** The demands that the page shows: one sign-in for fifty token requests. */
const demands: ReadonlyArray<Demand> = [100, 1000, 10_000, 100_000, 1_000_000].map((tokens) => ({ tokens, signIns: tokens / 50 }))

/** The sections of docs/capacity.md. */
export const capacity = (): Readonly<Record<string, string | undefined>> => {
  const [costs, about] = [measuredCosts(), stored("cluster")?.about]
  if (costs === undefined || about === undefined) return {}
  return {
    costs: `${machineLine(about)}\n\n${costsTable(costs)}`,
    single: single(costs),
    cluster: clusterNeeds(costs, demands),
    arithmetic: arithmetic(costs),
    limits: limits(costs),
  }
}

const costsTable = (costs: Costs): string =>
  table(
    ["µs of CPU for one", "server on SQLite", "server on PostgreSQL", "PostgreSQL", "bytes logged"],
    (["refresh", "reference", "jwt", "signin"] as const).map((kind) => [
      { refresh: "refresh rotation", reference: "reference token", jwt: "JWT ES256", signin: "sign-in, without its hash" }[kind],
      ...[costs.sqlite, costs.server, costs.database, costs.logged].map((work) => whole(work[kind])),
    ]),
  ) +
  `\n\nVerifying a password: ${whole(costs.hash)} µs. A stored token with its share of grants: ${whole(costs.bytesPerToken)} bytes.\n\n` +
  `Of a hundred token requests ${mixture.refresh * 100} are refreshes, ${mixture.jwt * 100} JWTs and ${mixture.reference * 100} reference tokens of machines: on average ` +
  `${whole(perToken(costs.sqlite))} µs on SQLite, ${whole(perToken(costs.server))} and PostgreSQL's ${whole(perToken(costs.database))} in a cluster.`

const single = (costs: Costs): string =>
  table(
    ["token requests for each sign-in", "token requests/s", "sign-ins/s", "cores for hashing beside it"],
    [10, 50, 200].map((each) => {
      const { tokens, signIns } = singleNode(costs, each)
      return [String(each), whole(tokens), signIns.toFixed(1), ((signIns * costs.hash) / 1e6 / busy).toFixed(1)]
    }),
  )

/** Writes the table of the machines that demands take. */
export const clusterNeeds = (costs: Costs, of: ReadonlyArray<Demand>): string =>
  table(
    [
      "token requests/s",
      "sign-ins/s",
      "server cores",
      "of them hashing",
      "PostgreSQL cores",
      "primaries",
      "MB logged/s",
      "rows, millions",
      "GB stored",
    ],
    of.map((demand) => {
      const need = needOf(costs, demand)
      return [
        whole(demand.tokens),
        whole(demand.signIns),
        whole(Math.ceil(need.serverCores)),
        whole(Math.ceil(need.hashingCores)),
        whole(Math.ceil(need.databaseCores)),
        whole(need.primaries),
        need.loggedMB.toFixed(1),
        whole(need.rowsMillions),
        whole(Math.ceil(need.storedGB)),
      ]
    }),
  )

/** The last row of the table, in full. */
const arithmetic = (costs: Costs): string => {
  const demand = { tokens: 1e6, signIns: 2e4 }
  const need = needOf(costs, demand)
  return [
    "```text",
    `servers     (1,000,000 × ${whole(perToken(costs.server))} µs + 20,000 × ${whole(costs.server.signin)} µs) ÷ 1,000,000 µs ÷ ${busy} = ${whole(need.serverCores - need.hashingCores)} cores`,
    `hashing     20,000 × ${whole(costs.hash)} µs ÷ 1,000,000 µs ÷ ${busy} = ${whole(need.hashingCores)} cores`,
    `PostgreSQL  (1,000,000 × ${whole(perToken(costs.database))} µs + 20,000 × ${whole(costs.database.signin)} µs) ÷ 1,000,000 µs ÷ ${busy} = ${whole(need.databaseCores)} cores`,
    `its log     (1,000,000 × ${whole(perToken(costs.logged))} + 20,000 × ${whole(costs.logged.signin)}) bytes = ${whole(need.loggedMB)} MB a second`,
    `rows        1,000,000 × (${mixture.refresh} × (${kept.refresh.toLocaleString("en")} s + ${kept.access.toLocaleString("en")} s) + ${mixture.reference} × ${kept.access.toLocaleString("en")} s) = ${whole(need.rowsMillions)} million, ${whole(need.storedGB)} GB`,
    `primaries   the largest of ${whole(need.databaseCores)} ÷ ${primary.cores} cores, ${whole(need.loggedMB)} ÷ ${primary.loggedMB} MB a second and ${whole(need.storedGB)} ÷ ${primary.storedGB} GB = ${need.primaries}`,
    "```",
  ].join("\n")
}

const limits = (costs: Costs): string => {
  // Demand that one primary carries, at one sign-in for fifty token requests.
  const one = needOf(costs, { tokens: 1e6, signIns: 2e4 })
  const ends = [
    { what: "cores", at: 1e6 / (one.databaseCores / primary.cores) },
    { what: "log", at: 1e6 / (one.loggedMB / primary.loggedMB) },
    { what: "disk", at: 1e6 / (one.storedGB / primary.storedGB) },
  ].sort((left, right) => left.at - right.at)
  return (
    `One primary of ${primary.cores} cores, ${primary.loggedMB} MB of log a second and ${primary.storedGB / 1000} TB carries ${whole(ends[0]?.at ?? 0)} token requests a second of this mixture. ` +
    `The first limit is its ${ends.map(({ what, at }) => `${what} (at ${whole(at)}/s)`).join(", then its ")}. Up to there the cluster grows by adding servers: ` +
    `${whole(((one.serverCores - one.hashingCores) * (ends[0]?.at ?? 0)) / 1e6)} processes then, with ten connections each.`
  )
}

const whole = (value: number): string => (value > 1000 ? Number(value.toPrecision(3)) : Math.round(value)).toLocaleString("en")
