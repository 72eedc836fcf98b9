// Costs of several issuers in one process: node --expose-gc bench/issuers.ts. Prints what a request costs with one issuer and with a thousand that take turns, and the
// memory of each issuer at rest and of each that is ready. Exits with 1 where a bound is not kept: 5 % more for a request, 5 KB at rest.
import { hash } from "node:crypto"
import { type Message, type ProvidersOptions, createProviders, defineClient } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

const bounds = { request: 1.05, rest: 5_000 }
const many = 1000

const now = (): number => Math.floor(Date.now() / 1000)
const key = await generateKey("ES256", { createdAt: now(), activeAt: now() })
const secret = "a-client-secret-of-256-random-bits-AAAAAAAAAAAA"
const machine = defineClient(
  {
    client_id: "machine",
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "api.read",
    access_token_format: "reference",
  },
  { issuer: "https://id.example", resources: [{ identifier: "https://api.example", scopes: [{ name: "api.read", required: false }] }] },
)
const shared = (): ProvidersOptions => ({
  resources: [{ identifier: "https://api.example", scopes: [{ name: "api.read", required: false }] }],
  clients: memoryClientStore([machine], { machine: secret }),
  authenticator: memoryAuthenticator([]),
  tokens: memoryTokenStore(),
  signer: joseSigner({ keys: () => [key], now }),
  pages: { render: () => "" },
  digest: { sha256: (content) => hash("sha256", content, "base64url"), sha512: (text) => hash("sha512", text, "base64url") },
})
const issuers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`tenant-${at}`, { issuer: `https://id.example/tenant-${at}` }]))

const authorization = `Basic ${Buffer.from(`machine:${secret}`).toString("base64")}`
const asking = (at: number): Message => ({
  method: "POST",
  path: `/tenant-${at}/connect/token`,
  query: "",
  headers: { host: "id.example", "content-type": "application/x-www-form-urlencoded", authorization },
  body: "grant_type=client_credentials",
  address: "192.0.2.1",
})

/** Microseconds of CPU for a request, all of them answered. */
const measured = async (providers: ReturnType<typeof createProviders>, count: number, requests: number): Promise<number> => {
  // Each request has a message of its own, as a server makes one of what a socket brings.
  const messages = Array.from({ length: requests }, (_, at) => asking(at % count))
  const began = process.cpuUsage()
  for (const message of messages) {
    const { status } = await providers.handle(message)
    if (status !== 200) throw new Error(`answered with ${status}`)
  }
  const { user, system } = process.cpuUsage(began)
  return (user + system) / requests
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0

const collect = (): number => {
  if (globalThis.gc === undefined) throw new Error("run it as node --expose-gc bench/issuers.ts")
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// Memory, first: what requests leave behind is not to be counted.
createProviders({ ...shared(), issuers: issuers(10) })
const options = shared()
const before = collect()
const weighed = createProviders({ ...options, issuers: issuers(many) })
const atRest = (collect() - before) / many
for (const name of weighed.names) await weighed.of(`https://id.example/${name}`)
const ready = (collect() - before) / many

// Requests: all kinds take turns, slice by slice, so that the machine's moods are the same for each.
const rounds = 20
const requests = 5 * many
const kinds = [
  [1, many],
  [many, many],
  [many, many / 10],
].map(([count = 1, kept = 1]) => ({
  count,
  figures: [] as Array<number>,
  providers: createProviders({ ...shared(), issuers: issuers(count), ready: kept }),
}))
for (let round = -10; round < rounds; round++) {
  for (const { count, figures, providers } of round % 2 === 0 ? kinds : kinds.toReversed()) {
    const figure = await measured(providers, count, requests)
    if (round >= 0) figures.push(figure)
  }
}
const [ones = [], all = [], few = []] = kinds.map(({ figures }) => figures)
const [one, thousand, made] = [median(ones), median(all), median(few)]
const ratio = median(ones.map((figure, at) => (all[at] ?? 0) / figure))
const said = (name: string, value: string): void => console.log(`${name.padEnd(62)} ${value}`)
said("a request, one issuer", `${one.toFixed(1)} µs of CPU`)
said(`a request, ${many} issuers that take turns`, `${thousand.toFixed(1)} µs of CPU, ${((ratio - 1) * 100).toFixed(1)} % more`)
said(`a request, ${many} issuers that take turns, of which ${many / 10} are kept ready`, `${made.toFixed(1)} µs of CPU`)
said("an issuer at rest", `${Math.round(atRest)} bytes`)
said("an issuer whose provider is ready", `${Math.round(ready)} bytes`)
if (ratio > bounds.request || atRest > bounds.rest) {
  console.error(`more than ${Math.round((bounds.request - 1) * 100)} % or ${bounds.rest} bytes`)
  process.exitCode = 1
}
