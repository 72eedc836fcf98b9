import type { D1Like, D1Prepared, Statement, StoreObject } from "@postern/adapter-cloudflare"

/** A D1 as the stores and these tests need it. */
export type RemoteD1 = D1Like

/** Asks the tests' worker. What it fails with is told as a binding would. */
const asked = async (url: string, body: unknown): Promise<unknown> => {
  // Packing and unpacking an answer costs both sides more than the answer itself.
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "accept-encoding": "identity" } })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}

/** Statements that only read: the path at which the tests' worker would be asked by them alone, and they. */
export type Reading = readonly [path: string, statements: ReadonlyArray<Statement>]

/** Answer to a reading. */
export type ReadAnswer = { readonly value: unknown } | { readonly failed: string }

interface Waiting {
  readonly reading: Reading
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const waiting = new Map<string, Array<Waiting>>()

const askWaiting = async (origin: string): Promise<void> => {
  const all = waiting.get(origin) ?? []
  waiting.delete(origin)
  const send = asked(
    `${origin}/readings`,
    all.map(({ reading }) => reading),
  ) as Promise<ReadonlyArray<ReadAnswer>>
  const answers = await send.catch((error: unknown) => all.map((): ReadAnswer => ({ failed: String(error) })))
  for (const [at, { resolve, reject }] of all.entries()) {
    const answer = answers[at] ?? { failed: "no answer" }
    if ("failed" in answer) reject(new Error(answer.failed))
    else resolve(answer.value)
  }
}

/** Asks the tests' worker what it has: readings of one turn go there together, and each is one of its own there. */
const read = (origin: string, ...reading: Reading): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const all = waiting.get(origin) ?? []
    if (all.length === 0) setImmediate(() => void askWaiting(origin))
    waiting.set(origin, [...all, { reading, resolve, reject }])
  })

const onlyReads = (statements: ReadonlyArray<Statement>): boolean => statements.every(({ sql }) => /^SELECT\b/i.test(sql))

/** The D1 of the tests' worker, reached from another process. */
export const bridgedD1 = (origin: string): RemoteD1 => {
  const told = new WeakMap<D1Prepared, Statement>()
  return {
    prepare: (sql) => ({
      bind: (...values) => {
        const statement = { sql, values }
        const prepared: D1Prepared = {
          raw: async () =>
            (await (onlyReads([statement])
              ? read(origin, "/d1/raw", [statement])
              : asked(`${origin}/d1/raw`, [statement]))) as ReadonlyArray<ReadonlyArray<unknown>>,
        }
        told.set(prepared, statement)
        return prepared
      },
    }),
    batch: async (statements) =>
      (await asked(
        `${origin}/d1/batch`,
        statements.map((each) => told.get(each)),
      )) as Awaited<ReturnType<D1Like["batch"]>>,
    withSession: () => undefined,
  }
}

/** An object of the tests' worker, reached from another process. */
export const bridgedObject = (origin: string, name: string): StoreObject => {
  const path = `/object/${encodeURIComponent(name)}`
  return {
    transact: async (statements) =>
      (await (onlyReads(statements) ? read(origin, path, statements) : asked(origin + path, statements))) as Awaited<
        ReturnType<StoreObject["transact"]>
      >,
  }
}
