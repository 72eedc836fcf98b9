import { openDatabase, postgresSigningKeyStore } from "@postern/adapter-postgres"
import { defaultKeyPolicy, joseSigner, type KeyCare, listKeys, rotateKeys, tendKeys } from "@postern/core/jose"
import { sampleTime } from "@postern/core/testing"
import { expect, it } from "vitest"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()
const day = 86_400

it("three servers that look after the same keys at once, for a year and a half, agree on each: one is made for each time, and what one signs all verify", async () => {
  const url = await (await server()).database()
  let at = sampleTime
  const now = (): number => at
  const algorithms = ["ES256", "EdDSA"] as const
  const instances = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const store = postgresSigningKeyStore(closing(await openDatabase(url, { connections: 2 })))
      const care: KeyCare = { store, algorithms, policy: defaultKeyPolicy, encryption: undefined, now }
      return { care, signer: joseSigner({ keys: store.list, now, encryption: undefined }) }
    }),
  )
  const [first] = instances
  if (first === undefined) throw new Error("there is no server")
  let made = 0
  for (let days = 0; days < 550; days += 5) {
    const added = await Promise.all(instances.map(({ care }) => tendKeys(care)))
    made += added.flat().length
    // Those who come to the same conclusion at once do not both act on it.
    expect(added.filter((each) => each.length > 0).length).toBeLessThanOrEqual(1)
    const ring = await listKeys(first.care)
    for (const alg of algorithms) expect(ring.filter(({ key, state }) => key.alg === alg && state === "active").length).toBe(1)
    await Promise.all(instances.map(({ signer }) => signer.refresh()))
    const jwts = await Promise.all(
      instances.flatMap(({ signer }) => algorithms.map(async (alg) => signer.sign({ alg, typ: "JWT", claims: { sub: "ann" } }))),
    )
    for (const { signer } of instances) for (const jwt of jwts) expect(await signer.verify(jwt, "JWT")).toEqual({ sub: "ann" })
    at += 5 * day
  }
  // The first, and one for every ninety days, of each algorithm.
  expect(made).toBe(2 * (1 + Math.floor((545 + 14) / 90)))

  const rotated = await Promise.all(instances.map(({ care }) => rotateKeys(care, { atOnce: false })))
  expect(rotated.map((each) => each.length)).toEqual([2, 2, 2])
  at += defaultKeyPolicy.propagation
  await Promise.all(instances.map(({ signer }) => signer.refresh()))
  const kids = await Promise.all(
    instances.map(async ({ signer }) => {
      const jwt = await signer.sign({ alg: "ES256", typ: "JWT", claims: {} })
      return (JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as { readonly kid: string }).kid
    }),
  )
  expect(new Set(kids).size).toBe(1)
}, 120_000)
