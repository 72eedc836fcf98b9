import { readFileSync } from "node:fs"
import { cpu, type Figure, figureOf, perSecond, ratioOf } from "../figures.ts"
import { type Results, type ScenarioResult, stored } from "../results.ts"
import { machineLine, ours, peer, table } from "./tables.ts"

/** Figures that were measured elsewhere, and statements about performance in prose, each with its machine. */
interface Claims {
  readonly machines: { readonly first: string; readonly second: string }
  readonly second: {
    /** Times oidc-provider's. */
    readonly scenarios: Readonly<Record<string, { readonly throughput: string; readonly cpu?: string }>>
    /** Microseconds of CPU, Postern's and oidc-provider's, and the ratio. */
    readonly conditions: Readonly<Record<string, readonly [number, number, number]>>
    readonly clients: Readonly<Record<string, readonly [number, number, number]>>
    /** Microseconds of an ES256 signature by node:crypto. */
    readonly es256Signature: number
  }
  readonly statements: Readonly<Record<string, { readonly page: string; readonly says: string; readonly second: string }>>
}

/** Claims, read from the one file of claims. */
export const claims = JSON.parse(readFileSync(new URL("../claims.json", import.meta.url), "utf8")) as Claims

/** Texts of the pages between `<!-- claims: NAME -->` and `<!-- end -->`, by page and name. */
export const claimed = (): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const pages: Record<string, Record<string, string>> = { "README.md": { speed: speed() }, "docs/performance.md": { machines: machines() } }
  for (const [name, { page, says, second }] of Object.entries(claims.statements))
    pages[page] = { ...pages[page], [name]: `${says} ${capitalized(claims.machines.second)}: ${second}` }
  return pages
}

const capitalized = (text: string): string => text.replace(/^the/, "On the")

const resultOf = (part: "scenarios" | "conditions" | "clients", id: string): ScenarioResult | undefined =>
  stored(part)?.scenarios.find((each) => each.id === id)

const shown = (ratio: Figure | undefined): string => (ratio === undefined ? "" : ratio.median.toFixed(1))

const speed = (): string => {
  const said = [
    ["es256", "ES256 tokens"],
    ["reference", "reference tokens"],
    ["refresh", "refreshes"],
    ["signin", "sign-ins"],
  ].map(([id = "", words = ""]) => {
    const result = resultOf("scenarios", id)
    const first = result === undefined ? "" : shown(ratioOf(result, ours, peer, perSecond))
    return `${words} ${first} (${claims.second.scenarios[id]?.throughput ?? ""})`
  })
  const about = stored("scenarios")?.about
  const first = about === undefined ? "" : `${about.cores} cores of an ${about.cpu}`
  return `Times the throughput of \`oidc-provider\` on equally durable SQLite, in one run on a virtual machine with ${first} (and on a second, slower machine with a faster disk): ${said.join(", ")}. Part load, new connections and starts: [docs/performance.md](docs/performance.md#conditions)`
}

const machines = (): string => {
  const { second } = claims
  const about = stored("scenarios")?.about
  const [first] = about === undefined ? [""] : machineLine(about).split("; Postern")
  const full = Object.entries(second.scenarios).map(([id, of]) => {
    const result = resultOf("scenarios", id)
    const [throughput, cost] = result === undefined ? [] : [ratioOf(result, ours, peer, perSecond), ratioOf(result, peer, ours, cpu)]
    return [result?.title ?? id, shown(throughput), shown(cost), of.throughput, of.cpu ?? ""]
  })
  const rest = [...Object.entries(second.conditions), ...Object.entries(second.clients)].map(([id, [own, others, before]]) => {
    const result = resultOf(id in second.clients ? "clients" : "conditions", id)
    const [mine, theirs] = [ours, peer].map((server) =>
      result === undefined ? undefined : figureOf(result, server, cpu)?.median.toFixed(0),
    )
    const ratio = result === undefined ? undefined : ratioOf(result, peer, ours, cpu)
    return [
      result?.title ?? id,
      mine ?? "",
      theirs ?? "",
      shown(ratio),
      own.toLocaleString("en"),
      others.toLocaleString("en"),
      String(before),
    ]
  })
  const starts: Results["startup"]["tokens"] = stored("startup")?.tokens ?? []
  const start = (server: string, clients: number): string => {
    const again = starts.find((each) => each.server === server && each.clients === clients)?.again.toSorted((left, right) => left - right)
    return again === undefined ? "not measured" : `${again[Math.floor(again.length / 2)]?.toFixed(0) ?? ""} ms`
  }
  return [
    `**The first machine**: ${first}. **The second**: ${claims.machines.second.replace(/^the second machine \(|\)$/g, "")}. On both, each server was on SQLite with \`synchronous=FULL\`; a ratio is of one run.`,
    table(["times oidc-provider's", "first: throughput", "first: less CPU", "second: throughput", "second: less CPU"], full),
    "With a faster disk, sharing a commit gains less; so reference tokens and refreshes gain less on the second machine.",
    table(["CPU µs", "first: Postern", "oidc-provider", "times less", "second: Postern", "oidc-provider", "times less"], rest),
    `From a start to the first token with 500 declared clients: Postern ${start(ours, 500)} and oidc-provider ${start(peer, 500)} on the first machine, 11,500 and 700 ms on the second. With few clients: ${start(ours, 5)} and ${start(peer, 5)}, 821 and 643 ms.`,
  ].join("\n\n")
}
