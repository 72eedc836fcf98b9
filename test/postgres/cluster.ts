import { type Answer, Ledger, Unanswered } from "../faults/ledger.ts"
import { pause, serveIn, type Serving } from "../faults/process.ts"
import { Skipped } from "../faults/row.ts"
import { makeSetting, type Setting } from "../faults/setting.ts"
import { type OwnedServer, startPostgres } from "../support/postgresServer.ts"
import { freePort } from "../support/server.ts"
import { type Nginx, nginxThere, startNginx } from "./nginx/nginx.ts"

/** Servers that share one database, and nginx in front of them: whoever asks knows its address alone. */
export interface Cluster {
  readonly setting: Setting
  readonly postgres: OwnedServer
  /** The database's URL. */
  readonly data: string
  readonly nginx: Nginx
  readonly ports: ReadonlyArray<number>
  /** The servers, in the order of their ports; who restarts one puts the new one in its place. */
  readonly servers: Array<Serving>
  readonly start: (port: number) => Promise<Serving>
  readonly end: () => Promise<void>
}

/** Starts a database, so many servers on it, and nginx. Fails with {@link Skipped} where there is no nginx. */
export const startCluster = async (count: number): Promise<Cluster> => {
  if (!nginxThere) throw new Skipped("nginx is not there: as root, test/postgres/nginx/install.sh")
  const postgres = await startPostgres()
  const ends: Array<() => unknown> = [() => postgres.end()]
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each()
  }
  try {
    const data = await postgres.database()
    const setting = await makeSetting({ data, trusted_proxies: ["127.0.0.1"] })
    ends.push(setting.remove)
    const servers: Array<Serving> = []
    ends.push(() => Promise.all(servers.map((server) => server.end("SIGTERM"))))
    const free = new Set<number>()
    while (free.size < count) free.add(await freePort())
    const ports = [...free]
    const start = (port: number): Promise<Serving> => serveIn(setting, { port })
    servers.push(...(await Promise.all(ports.map(start))))
    const nginx = await startNginx(setting.port, ports)
    ends.push(nginx.stop)
    return { setting, postgres, data, nginx, ports, servers, start, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** A ledger of somebody who asks through nginx. */
export class FrontLedger extends Ledger {
  /** Answers of nginx itself because no server answered. */
  cut: Array<string> = []
  /** Refused with 503, and how long that took. */
  readonly refused: Array<number> = []

  override async send(actor: string, what: string, url: string, init: RequestInit = {}): Promise<Answer> {
    const began = performance.now()
    try {
      const answer = await super.send(actor, what, url, init)
      if (answer.status === 502 || answer.status === 504) throw new Unanswered(what)
      if (answer.status === 503) this.#refusedWith(what, answer, began)
      return answer
    } catch (error) {
      if (error instanceof Unanswered && error.answer !== undefined) this.#refusedWith(what, error.answer, began)
      else if (error instanceof Unanswered) this.cut.push(`${what}: ${this.entries.at(-1)?.none ?? this.entries.at(-1)?.status ?? ""}`)
      throw error
    }
  }

  #refusedWith(what: string, { headers }: Answer, began: number): void {
    this.refused.push(performance.now() - began)
    const forClient = headers.get("content-type")?.startsWith("application/json") === true
    if (forClient && headers.get("retry-after") === null) this.breach("answer", `${what}: 503 without Retry-After`)
  }
}

/** Waits until a server answers that it is ready. */
export const ready = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 1200; tries++) {
    const { ok } = await fetch(`${url}/health/ready`).catch(() => ({ ok: false }))
    if (ok) return
    await pause(25)
  }
  throw new Error(`${url} did not get ready`)
}
