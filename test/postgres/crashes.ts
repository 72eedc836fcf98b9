import { assemble, chanceOf, startLoad, verifyAll } from "../faults/load.ts"
import { pause } from "../faults/process.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "../faults/row.ts"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { type Cluster, FrontLedger, startCluster } from "./cluster.ts"

/** Failure of the database: a crash of the server, which is started again; a process of it killed, from which it recovers by itself; an orderly stop. */
const goings = ["crash", "killed process", "stop"] as const

/** Servers behind nginx whose PostgreSQL crashes, or is stopped, under load. */
export const crashes = async ({ times, seed, say }: Run, clients = 32, count = 2): Promise<Row> => {
  const chance = chanceOf(seed)
  const ledger = new FrontLedger()
  const problems: Array<string> = []
  const healed: Array<number> = []
  let requests = 0
  const cluster = await startCluster(count)
  try {
    const { setting, postgres } = cluster
    const actors = await assemble(ledger, clients, () => setting.url)
    for (let round = 1; round <= times; round++) {
      ledger.forget()
      const going = goings[(round - 1) % goings.length]
      const load = startLoad(actors, chance, { untilDown: false })
      await pause(200 + chance() * 600)
      if (going === "killed process") await killProcess(cluster, chance)
      else {
        await postgres.stop(going === "crash" ? "SIGQUIT" : "SIGINT")
        problems.push(...(await without(cluster)))
        await pause(chance() * 1500)
        await postgres.start()
      }
      const back = Date.now()
      const took = await firstOf(ledger, back)
      if (took === undefined) problems.push(`no token 15 s after the database was back: ${going}`)
      else healed.push(took)
      load.stop()
      await load.ended
      requests += ledger.entries.length
      problems.push(...ledger.cut.slice(0, 3))
      ledger.cut = []
      await verifyAll(actors, { chance, replayed: 0.4, dead: 1 })
      if (round % 5 === 0 || round === times)
        say(
          `${round} times, ${ledger.facts} facts looked at, ${ledger.breaches.length} breaches, ${ledger.refused.length} refused, first token ${milliseconds(quantile(healed, 0.5))} after`,
        )
    }
  } finally {
    await cluster.end()
  }
  return {
    fault: "R1, PostgreSQL",
    done: `PostgreSQL crashed (and started again), one of its processes killed, or stopped, under ${clients} clients of ${count} servers behind nginx; then every fact looked at`,
    times,
    lost: ledger.breaches.length,
    figures: {
      requests,
      "refused with 503": ledger.refused.length,
      "503 after p50": milliseconds(quantile(ledger.refused, 0.5)),
      p99: milliseconds(quantile(ledger.refused, 0.99)),
      "first token after p50": milliseconds(quantile(healed, 0.5)),
      "at most": milliseconds(Math.max(...healed)),
      "spent twice": ledger.breaches.filter(({ rule }) => rule === "double").length,
      "facts looked at": ledger.facts,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}

/** Asks each server for its work without its database. */
const without = async ({ servers }: Cluster): Promise<ReadonlyArray<string>> => {
  const problems = await Promise.all(
    servers.map(async ({ url, child, output }) => {
      if (child.exitCode !== null || child.signalCode !== null) return [`a server has ended: ${output().slice(-500)}`]
      const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id: "app-7" })
      const [token, discovery, keys, live, ready] = await Promise.all([
        fetch(`${url}/connect/token`, { method: "POST", body }),
        ...["/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks", "/health/live", "/health/ready"].map((path) =>
          fetch(url + path),
        ),
      ])
      const { error } = (await token.json()) as { readonly error?: string }
      const seen = [token.status, error, token.headers.has("retry-after"), discovery?.status, keys?.status, live?.status, ready?.status]
      const expected = [503, "temporarily_unavailable", true, 200, 200, 200, 503]
      return JSON.stringify(seen) === JSON.stringify(expected) ? [] : [`without its database: ${JSON.stringify(seen)}`]
    }),
  )
  return problems.flat()
}

/** Milliseconds from a moment to the first answer with tokens that was asked for after it; undefined when there was none for long. */
const firstOf = async ({ entries }: FrontLedger, from: number): Promise<number | undefined> => {
  for (let tries = 0; tries < 600; tries++) {
    const first = entries.find(({ what, sentAt, status }) => sentAt >= from && status === 200 && /^(?:refresh|redeem)$/.test(what))
    if (first !== undefined) return first.sentAt + first.took - from
    await pause(25)
  }
  return undefined
}

/** PostgreSQL takes the death of one process for a crash: it ends the others, recovers, and goes on. */
const killProcess = async ({ data }: Cluster, chance: () => number): Promise<void> => {
  const database = await connect(data, { connections: 1 })
  try {
    const rows = await database.read(
      "look",
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'postern'",
    )
    const [pid] = rows[Math.floor(chance() * rows.length)] ?? []
    if (pid !== undefined) process.kill(Number(pid), "SIGKILL")
  } finally {
    await database.close()
  }
}
