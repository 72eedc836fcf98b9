import { readdirSync } from "node:fs"
import { publish } from "./publish.ts"

const { layers, packages } = (await import(new URL("../../scripts/layers.mjs", import.meta.url).href)) as {
  readonly layers: Readonly<Record<string, ReadonlyArray<string>>>
  readonly packages: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Content of each folder of core, in a few words; a folder without words is not drawn, and a test of the linter asks for its place in the table. */
const words: Readonly<Record<string, string>> = {
  provider: "createProvider: settings, routes, one renderer, trail and audit",
  features: "a folder each: tables of rules, rows of stages, metadata, pages",
  issuance: "one Issuance in; tokens, rows and the response out",
  settle: "rows of stages; sign, then commit; retry on conflict; outbox",
  extension: "what an extension grant is written against",
  rules: "rule, table, and the rules that features share",
  profiles: "columns of data: which rules hold, with which parameter",
  ports: "interfaces to stores, signer, authenticator, the world",
  wire: "HTTP messages as values",
  model: "nouns, rows and their transitions, commands, decisions",
}

const beside = ["jose", "memory", "platform", "testing", "grants"]

const width = 960
const rowHeight = 56
const left = 24

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const label = (x: number, y: number, text: string, of = "name"): string => `<text class="${of}" x="${x}" y="${y}">${escaped(text)}</text>`

const box = (x: number, y: number, w: number, h: number, of: string): string =>
  `<rect class="${of}" x="${x}" y="${y}" width="${w}" height="${h}" rx="8"/>`

const arrow = (x: number, y: number, height: number): string => `<path class="arrow" d="M${x} ${y}v${height - 7}m-5 0h10l-5 7z"/>`

/** The folders of core from the top down: each above all that it imports. */
const ordered = (): ReadonlyArray<string> => {
  const below = (name: string): ReadonlyArray<string> => layers[name] ?? []
  const depth = (name: string): number => Math.max(0, ...below(name).map((each) => depth(each) + 1))
  return Object.keys(words).sort(
    (one, other) => depth(other) - depth(one) || Object.keys(words).indexOf(one) - Object.keys(words).indexOf(other),
  )
}

const features = readdirSync(new URL("../../packages/core/src/features/", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** Names in lines no longer than `most` characters. */
const lines = (names: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (const name of names) {
    const last = all.at(-1)
    if (last === undefined || last.length + name.length + 3 > most) all.push(name)
    else all[all.length - 1] = `${last} · ${name}`
  }
  return all
}

const picture = (): string => {
  const parts: Array<string> = []
  const outer = [
    ["cli", left, width - 2 * left],
    ["adapter-http", left, 284],
    ["adapter-sqlite", left + 308, 290],
    ["adapter-postgres", left + 622, 290],
    ["stores", left + 308, 604],
  ] as const
  const tops = { cli: 20, "adapter-http": 96, "adapter-sqlite": 96, "adapter-postgres": 96, stores: 172 }
  for (const [name, x, w] of outer) {
    parts.push(box(x, tops[name], w, 48, "package"), label(x + 14, tops[name] + 30, `@postern/${name}`))
  }
  for (const x of [left + 142, left + 453, left + 767]) parts.push(arrow(x, 68, 28))
  for (const x of [left + 453, left + 767]) parts.push(arrow(x, 144, 28))
  parts.push(arrow(left + 142, 144, 104), arrow(left + 610, 220, 28))
  const names = lines(features, 84)
  const rows = ordered()
  const heights = rows.map((name) => (name === "features" ? rowHeight + names.length * 20 : rowHeight))
  const coreTop = 248
  const coreHeight = 64 + heights.reduce((sum, each) => sum + each + 8, 0) + 40
  parts.push(box(left, coreTop, width - 2 * left, coreHeight, "package"), label(left + 14, coreTop + 30, "@postern/core"))
  parts.push(label(left + 160, coreTop + 30, "imports point down; no folder imports one above it", "words"))
  let y = coreTop + 48
  for (const [at, name] of rows.entries()) {
    const height = heights[at] ?? rowHeight
    parts.push(box(left + 16, y, width - 2 * left - 32, height, name === "features" ? "features" : "layer"))
    parts.push(label(left + 30, y + 34, `${name}/`), label(left + 160, y + 34, words[name] ?? "", "words"))
    if (name === "features") names.forEach((line, index) => parts.push(label(left + 160, y + 58 + index * 20, line, "feature")))
    y += height + 8
  }
  parts.push(label(left + 30, y + 26, `beside: ${beside.map((name) => `${name}/`).join(" ")}`, "words"))
  const height = coreTop + coreHeight + 24
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The packages of Postern and the folders of core: each imports only what stands below it">
<style>
  text { font: 15px system-ui, sans-serif; fill: #1d2733; }
  .name { font-weight: 600; }
  .words { fill: #4a5869; }
  .feature { font: 13px ui-monospace, monospace; fill: #24507a; }
  rect { stroke: #9fb0c3; fill: #fff; }
  .package { fill: #f2f5f9; }
  .features { fill: #e8f1fb; stroke: #5b8fc4; }
  .arrow { fill: #5f7186; stroke: #5f7186; }
  svg { background: #fff; }
  @media (prefers-color-scheme: dark) {
    svg { background: #10161d; }
    text { fill: #e4eaf1; }
    .words { fill: #a9b6c5; }
    .feature { fill: #9cc7f2; }
    rect { stroke: #46586c; fill: #18212b; }
    .package { fill: #131a22; }
    .features { fill: #16283b; stroke: #4d7fb3; }
    .arrow { fill: #8ea1b6; stroke: #8ea1b6; }
  }
</style>
${parts.join("\n")}
</svg>
`
}

publish("docs/architecture.svg", picture(), `${Object.keys(packages).length} packages, ${features.length} features`)
