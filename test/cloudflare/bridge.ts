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

/** The D1 of the tests' worker, reached from another process. */
export const bridgedD1 = (origin: string): RemoteD1 => {
  const told = new WeakMap<D1Prepared, Statement>()
  return {
    prepare: (sql) => ({
      bind: (...values) => {
        const statement = { sql, values }
        const prepared: D1Prepared = {
          raw: async () => (await asked(`${origin}/d1/raw`, [statement])) as ReadonlyArray<ReadonlyArray<unknown>>,
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
export const bridgedObject = (origin: string, name: string): StoreObject => ({
  transact: async (statements) =>
    (await asked(`${origin}/object/${encodeURIComponent(name)}`, statements)) as Awaited<ReturnType<StoreObject["transact"]>>,
})
