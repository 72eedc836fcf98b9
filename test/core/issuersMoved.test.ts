import { type FoundIssuer, createProviders } from "@postern/core"
import { maintain } from "@postern/core/maintain"
import { describe, expect, test } from "vitest"
import { codeFor } from "../support/flows.ts"
import { issuersWorld } from "../support/issuers.ts"

type Options = NonNullable<Parameters<typeof createProviders>[0]>

const at = (tenant: string): string => `https://op.example/${tenant}`

/** Providers that look issuers up in a table, which a test changes. */
const tabled = async (table: ReadonlyArray<FoundIssuer>, more: Options = {}) => {
  let [rows, millis] = [table, 0]
  const asked: Array<string> = []
  const faults: Array<string> = []
  const { providers, ...there } = await issuersWorld(
    {
      clock: () => millis,
      report: ({ cause }) => faults.push(String(cause)),
      find: async (sought) => {
        asked.push("issuer" in sought ? sought.issuer : `name ${sought.name}`)
        return rows.find((row) =>
          "issuer" in sought ? row.issuer === sought.issuer : sought.name === "" ? row.unnamedRows === true : row.name === sought.name,
        )
      },
      ...more,
    },
    {
      clients: [
        {
          client_id: "told",
          client_secret: "secret of told",
          redirect_uris: ["https://app.example/cb"],
          scope: "openid",
          require_consent: false,
          backchannel_logout_uri: "https://app.example/backchannel",
        },
      ],
    },
  )
  const ask = async (tenant: string): Promise<number> => {
    const message = {
      method: "GET",
      path: `/${tenant}/.well-known/openid-configuration`,
      query: "",
      headers: { host: "op.example" },
      body: "",
    }
    return (await providers.handle(message)).status
  }
  return {
    ...there,
    providers,
    asked,
    faults,
    ask,
    change: (next: ReadonlyArray<FoundIssuer>) => void (rows = next),
    pass: (seconds: number) => void (millis += seconds * 1000),
  }
}

/** Issuers that logout tokens were signed by. */
const posts = () => {
  const issuers: Array<string> = []
  const outbound: NonNullable<Options["outbound"]> = {
    fetch: () => ({ _tag: "Unfetched", reason: "nothing" }),
    post: (_, { text }) => {
      issuers.push(JSON.parse(Buffer.from(text.split(".")[1] ?? "", "base64url").toString())["iss"])
      return { _tag: "Fetched", status: 200, body: "" }
    },
  }
  return { issuers, outbound }
}

describe("an issuer that moves to another address", () => {
  test("has its rows there at once, and its former address is none, also where that one was in use", async () => {
    const { ask, change, faults } = await tabled([{ name: "acme", issuer: at("old") }])
    expect(await ask("old")).toBe(200)
    change([{ name: "acme", issuer: at("new") }])
    expect([await ask("new"), await ask("old"), await ask("new")]).toEqual([200, 404, 200])
    expect(faults).toEqual([])
  })

  test("does so where two requests for its new address come together with one for its old", async () => {
    const { ask, change } = await tabled([{ name: "acme", issuer: at("old") }])
    expect(await ask("old")).toBe(200)
    change([{ name: "acme", issuer: at("new") }])
    expect(await Promise.all([ask("new"), ask("new")])).toEqual([200, 200])
    expect(await ask("old")).toBe(404)
  })

  test("still has no name that another one has, whichever is asked for first, and of two new addresses one alone gets it", async () => {
    const { ask, change, faults } = await tabled([{ name: "acme", issuer: at("old") }])
    expect(await ask("old")).toBe(200)
    change([
      { name: "acme", issuer: at("old") },
      { name: "acme", issuer: at("new") },
    ])
    expect([await ask("new"), await ask("old")]).toEqual([503, 200])
    change([
      { name: "acme", issuer: at("one") },
      { name: "acme", issuer: at("two") },
    ])
    expect((await Promise.all([ask("one"), ask("two")])).toSorted((a, b) => a - b)).toEqual([200, 503])
    expect(faults).toEqual([expect.stringContaining("would share their rows"), expect.stringContaining("would share their rows")])
  })

  test("has its messages delivered from there, whatever process they were written by", async () => {
    const { issuers, outbound } = posts()
    const { at: whole, providers, change, pass, ...here } = await tabled([{ name: "acme", issuer: at("old") }], { outbound })
    await codeFor(whole(at("old")), "told")
    await (await providers.of(at("old")))?.signOut("sub-alice")
    change([{ name: "acme", issuer: at("new") }])
    pass(61)
    const { now, tokens } = here.whole
    expect(await maintain({ tokens, now, handlers: providers.deliveries })).toMatchObject({ delivered: 1, failed: 0, faults: [] })
    expect(issuers).toEqual([at("new")])
  })
})

describe("an issuer that is looked up, with the rows of a store that served one issuer before", () => {
  const alone: FoundIssuer = { name: "first", issuer: at("first"), unnamedRows: true }

  test("has its messages delivered, also by a process that has not met it", async () => {
    const { issuers, outbound } = posts()
    const {
      at: whole,
      providers,
      shared,
      whole: { now, tokens },
    } = await tabled([alone], { outbound })
    const deliver = (handlers: typeof providers.deliveries) => maintain({ tokens, now, handlers })
    await codeFor(whole(at("first")), "told")
    await (await providers.of(at("first")))?.signOut("sub-alice")
    expect(await deliver(providers.deliveries)).toMatchObject({ delivered: 1, failed: 0, faults: [] })
    await codeFor(whole(at("first")), "told")
    await (await providers.of(at("first")))?.signOut("sub-alice")
    const fresh = createProviders({
      ...shared,
      outbound,
      find: (sought) => (("name" in sought ? sought.name === "" : sought.issuer === alone.issuer) ? alone : undefined),
    })
    expect(await deliver(fresh.deliveries)).toMatchObject({ delivered: 1, failed: 0, faults: [] })
    expect(issuers).toEqual([at("first"), at("first")])
  })

  test("is the only one: a second is refused, looked up or declared", async () => {
    const second: FoundIssuer = { name: "second", issuer: at("second"), unnamedRows: true }
    const looked = await tabled([alone, second])
    expect([await looked.ask("first"), await looked.ask("second"), await looked.ask("first")]).toEqual([200, 503, 200])
    expect(looked.faults).toEqual([expect.stringContaining("both have the rows without a name")])
    const declared = await tabled([second], { issuers: { first: { issuer: at("first"), unnamedRows: true } } })
    expect([await declared.ask("second"), await declared.ask("first")]).toEqual([503, 200])
  })

  test("an answer for the rows without a name that does not have them is refused", async () => {
    const { outbound } = posts()
    const {
      at: whole,
      providers,
      shared,
      whole: { now, tokens },
    } = await tabled([alone], { outbound })
    await codeFor(whole(at("first")), "told")
    await (await providers.of(at("first")))?.signOut("sub-alice")
    const other = createProviders({ ...shared, outbound, find: () => ({ name: "other", issuer: at("other") }) })
    const { delivered, failed } = await maintain({ tokens, now, handlers: other.deliveries })
    expect([delivered, failed]).toEqual([0, 1])
  })
})

test("a new issuer has its place also where all others are in use", async () => {
  const { ask, asked } = await tabled(
    ["t1", "t2", "t3"].map((name) => ({ name, issuer: at(name) })),
    { ready: 2 },
  )
  for (const each of ["t1", "t2", "t1", "t2", "t3", "t3", "t3"]) expect(await ask(each)).toBe(200)
  expect(asked).toEqual([at("t1"), at("t2"), at("t3")])
})
