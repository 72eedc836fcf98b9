// The worker that the tests of the stores run in workerd: the contract on the stores themselves, and a bridge by which Node reaches the same databases.
import { DurableObject } from "cloudflare:workers"
import { type Answer, type CloudflareStores, d1Stores, objectStores, type Statement, storeObject } from "@postern/adapter-cloudflare"
import { requestCountsContract, signingKeyStoreContract, tokenStoreContract } from "@postern/core/testing"
import { grantsOn } from "../support/oneGrant.ts"
import type { ReadAnswer, Reading, RemoteD1 } from "./bridge.ts"

const contracts = { tokens: tokenStoreContract, keys: signingKeyStoreContract, counts: requestCountsContract }

/** The name of a contract. */
export type ContractName = keyof typeof contracts

/** Runs a case of a contract; its fault, or nothing. */
const judged = async (contract: ContractName, name: string, open: () => Promise<CloudflareStores>): Promise<string> => {
  const subjects = {
    tokens: async () => {
      const { tokens } = await open()
      return { store: tokens, sweep: tokens.sweep }
    },
    keys: async () => (await open()).keys,
    counts: async () => (await open()).requestCounts,
  }
  // Found by one name, the case and its subject fit each other.
  const found = contracts[contract].find((each) => each.name === name) as
    | { run: (open: () => Promise<unknown>) => Promise<void> }
    | undefined
  if (found === undefined) return `no case ${name}`
  return found.run(subjects[contract]).then(
    () => "",
    (error: unknown) => String(error),
  )
}

/** A Durable Object that keeps rows, as an embedder writes it, and what tests ask of it besides. */
export class PosternStore extends DurableObject {
  readonly #store = storeObject(this.ctx, { every: 3_600_000 })

  transact(statements: ReadonlyArray<Statement>): Answer {
    return this.#store.transact(statements)
  }

  alarm(): Promise<void> {
    return this.#store.alarm()
  }

  /** Runs a case on the stores inside of the object. */
  run(contract: ContractName, name: string): Promise<string> {
    return judged(contract, name, this.#store.stores)
  }

  /** Makes some grants on the stores inside of the object. */
  async grants(first: number, count: number): Promise<void> {
    await grantsOn((await this.#store.stores()).tokens, first, count)
  }

  /** Tells the time of the next alarm; sets it where one is given. */
  async alarmAt(at: number | undefined): Promise<number | null> {
    if (at !== undefined) await this.ctx.storage.setAlarm(at)
    return this.ctx.storage.getAlarm()
  }
}

/** An object as a stub of it is: what it answers comes later. */
type Stub = {
  readonly [Name in "transact" | "run" | "grants" | "alarmAt"]: (
    ...given: Parameters<PosternStore[Name]>
  ) => Promise<Awaited<ReturnType<PosternStore[Name]>>>
}

/** The bindings of the worker. */
export interface Bindings {
  readonly DB: RemoteD1
  readonly STORE: { readonly getByName: (name: string) => Stub }
}

const fresh = async (database: RemoteD1): Promise<CloudflareStores> => {
  const stores = await d1Stores(database)
  const names = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE ? AND name NOT IN (?, ?)")
    .bind("postern_%", "postern_about", "postern_guard")
    .raw()
  await database.batch(names.map(([name]) => database.prepare(`DELETE FROM "${String(name)}"`).bind()))
  return stores
}

let objects = 0
const objectOf = (namespace: Bindings["STORE"], name: string): Promise<CloudflareStores> => objectStores(() => namespace.getByName(name))

/** Runs statements on D1 or on an object. */
const ran = async (place: string, what: string, statements: ReadonlyArray<Statement>, { DB, STORE }: Bindings): Promise<unknown> => {
  if (place === "object") return STORE.getByName(what).transact(statements)
  const prepared = statements.map(({ sql, values }) => DB.prepare(sql).bind(...values))
  return what === "raw" ? prepared[0]?.raw() : DB.batch(prepared)
}

const partsOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1).map(decodeURIComponent)

const faultOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export default {
  fetch: async (request: Request, bindings: Bindings): Promise<Response> => {
    const { DB, STORE } = bindings
    const [place = "", what = "", name = ""] = partsOf(new URL(request.url).pathname)
    try {
      if (place === "d1" || place === "object") return Response.json(await ran(place, what, await request.json(), bindings))
      if (place === "readings") {
        const readings: ReadonlyArray<Reading> = await request.json()
        const answers = readings.map(async ([path, statements]): Promise<ReadAnswer> => {
          const [at = "", of = ""] = partsOf(path)
          return ran(at, of, statements, bindings).then(
            (value) => ({ value }),
            (error: unknown) => ({ failed: faultOf(error) }),
          )
        })
        return Response.json(await Promise.all(answers))
      }
      if (place === "alarm") return Response.json(await STORE.getByName(what).alarmAt(name === "" ? undefined : Number(name)))
      // A contract has the name that its caller gave.
      const contract = what as ContractName
      if (place === "contract-d1") return new Response(await judged(contract, name, () => fresh(DB)))
      if (place === "contract-object") return new Response(await judged(contract, name, () => objectOf(STORE, `${++objects} of ${name}`)))
      if (place === "contract-inside") return new Response(await STORE.getByName(`inside ${name}`).run(contract, name))
      const [first, count] = [Number(what), Number(name)]
      if (place === "grants-d1") await grantsOn((await d1Stores(DB)).tokens, first, count)
      else if (place === "grants-object") await grantsOn((await objectOf(STORE, "grants")).tokens, first, count)
      else if (place === "grants-inside") await STORE.getByName("grants inside").grants(first, count)
      else return new Response("nothing here", { status: 404 })
      return new Response()
    } catch (error) {
      return new Response(faultOf(error), { status: 500 })
    }
  },
}
