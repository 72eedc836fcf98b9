import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const core = "packages/core/src"

/** A file that breaks one law: where it lies, what it says, and the rule that must refuse it. */
interface Broken {
  readonly law: string
  readonly file: string
  readonly text: string
  readonly rule: string
}

const broken = (rule: string, law: string, file: string, text: string): Broken => ({ law, file, text, rule })
const imports = (law: string, file: string, source: string): Broken =>
  broken("postern(imports)", law, file, `import * as taken from "${source}"\nexport const here = taken\n`)
const outside = (name: string): Broken =>
  broken("eslint(no-restricted-globals)", `core never touches ${name}`, `${core}/model/${name}.ts`, `export const here = () => ${name}\n`)

const laws: ReadonlyArray<Broken> = [
  // Modules from outside that core may import.
  ...[
    "node:fs",
    "fs",
    "effect/http",
    "effect/http/HttpServer",
    "effect/sql",
    "effect/cli",
    "effect/process",
    "effect/crypto",
    "effect/observability",
    "effect/persistence",
    "effect/net",
    "@effect/platform-node",
    "@effect/platform-node/NodeRuntime",
    "better-sqlite3",
    "@postern/adapter-http",
    "@postern/adapter-postgres",
    "@postern/adapter-redis",
    "@postern/adapter-kysely",
    "@postern/adapter-cloudflare",
    "@postern/adapter-sqlite",
    "@postern/people-ldap",
    "@postern/verify",
    "@postern/stores",
    "@postern/cli",
  ].map((source) => imports(`core does not import ${source}`, `${core}/model/outside-${source.replaceAll(/\W/g, "-")}.ts`, source)),
  imports("jose is imported in jose/ only", `${core}/settle/jose.ts`, "jose"),
  imports("an entry of jose is imported in jose/ only", `${core}/settle/jose.ts`, "jose/errors"),
  imports("core reaches no clock through effect", `${core}/settle/clock.ts`, "effect/Clock"),
  imports("core reaches no randomness through effect", `${core}/model/random.ts`, "effect/Random"),
  imports("core does not take effect as a whole", `${core}/settle/whole.ts`, "effect"),
  broken("postern(imports)", "core reaches no clock by a named import", `${core}/settle/named.ts`, 'export { Clock } from "effect"\n'),
  broken("postern(imports)", "an import() counts", `${core}/model/dynamic.ts`, 'export const here = () => import("node:fs")\n'),
  broken(
    "postern(imports)",
    "an import() of a computed name is refused",
    `${core}/model/computed.ts`,
    "export const here = (name: string) => import(name)\n",
  ),
  broken("postern(imports)", "a type's import counts", `${core}/model/typed.ts`, 'export type Here = import("node:fs").Stats\n'),
  broken(
    "postern(imports)",
    "import type counts",
    `${core}/model/importType.ts`,
    'import type { Stats } from "node:fs"\nexport type Here = Stats\n',
  ),
  broken("postern(imports)", "export * counts", `${core}/model/exportAll.ts`, 'export * from "node:fs"\n'),

  // Hover text.
  ...[
    ["a member of an exported type", "/** A type. */\nexport interface Here {\n  readonly member: string\n}\n"],
    ["a member of a variant", '/** A type. */\nexport type Here = { /** Its tag. */ readonly _tag: "A"; readonly member: string }\n'],
    ["an export", "export const here = 1\n"],
    ["a plain comment is none", "// A value.\nexport const here = 1\n"],
  ].map(([law = "", text = ""], at) => broken("postern(documented)", `hover: ${law}`, `${core}/model/hover${at}.ts`, text)),
  broken(
    "postern(documented)",
    "hover: a field of a schema",
    `${core}/model/hoverField.ts`,
    'import * as Schema from "effect/Schema"\n/** A schema. */\nexport const Here = Schema.Struct({ member: Schema.String })\n',
  ),

  // Plain English.
  ...["/** What it holds. */", "/**\n * Whether it holds.\n */", "// How it holds."].map((comment, at) =>
    broken(
      "postern(comments)",
      "a comment opens with a verb or its noun",
      `${core}/model/opening${at}.ts`,
      `${comment}\nexport const here = 1\n`,
    ),
  ),

  // Imports point one way inside core.
  ...[
    ["model", "wire"],
    ["model", "rules"],
    ["model", "ports"],
    ["model", "endpoints"],
    ["wire", "rules"],
    ["wire", "ports"],
    ["rules", "ports"],
    ["rules", "settle"],
    ["rules", "endpoints"],
    ["ports", "rules"],
    ["ports", "settle"],
    ["ports", "endpoints"],
    ["settle", "endpoints"],
    ["settle", "issuance"],
    ["rules", "issuance"],
    ["issuance", "features"],
    ["issuance", "extension"],
    ["settle", "memory"],
    ["settle", "jose"],
    ["features", "memory"],
    ["features", "jose"],
    ["memory", "features"],
    ["memory", "rules"],
    ["jose", "settle"],
    ["jose", "features"],
    ["platform", "features"],
    ["rules", "platform"],
    ["settle", "platform"],
    ["features", "platform"],
    ["rules", "extension"],
    ["extension", "settle"],
    ["extension", "features"],
    ["grants", "model"],
    ["grants", "rules"],
    ["grants", "ports"],
    ["grants", "settle"],
    ["features", "grants"],
    ["features", "provider"],
    ["settle", "grants"],
  ].map(([from, to]) => imports(`${from}/ does not import ${to}/`, `${core}/${from}/to-${to}.ts`, `../${to}/clean.ts`)),
  imports("depth changes nothing", `${core}/model/deep/down.ts`, "../../settle/clean.ts"),
  imports("a folder does not import the provider", `${core}/features/index.ts`, "../index.ts"),
  imports("a feature imports another through its public face alone", `${core}/features/token/other.ts`, "../authorize/clean.ts"),
  imports("the provider imports no inner file of a feature", `${core}/provider/inner.ts`, "../features/authorize/clean.ts"),
  imports(
    "a feature's inner folder imports another feature through its public face alone",
    `${core}/features/token/inner/other.ts`,
    "../../authorize/clean.ts",
  ),
  imports("a shipped extension grant imports no effect", `${core}/features/jwt-bearer/effect.ts`, "effect/Schema"),
  ...["packages/cli/src/serve/wrong.ts", "packages/cli/src/actions/serve.ts", "packages/cli/src/actions/other.ts"].map((file) =>
    imports(`${file} imports no provider that misbehaves`, file, "@postern/conformance/misbehave"),
  ),
  ...["serve", "workers", "config", "data"].map((folder) =>
    imports(`${folder}/ of the command imports no tool for tests`, `packages/cli/src/${folder}/tool.ts`, "@postern/conformance/provider"),
  ),
  imports("a new folder has to be given its place", `${core}/novel/first.ts`, "../model/clean.ts"),

  // Decisions are plain functions over values.
  imports("rules import no effect", `${core}/rules/effect.ts`, "effect/Effect"),
  ...["parse", "rules", "decide", "render"].flatMap((name) => [
    imports(`a feature's ${name}.ts imports no effect`, `${core}/features/${name}/${name}.ts`, "effect/Effect"),
    imports(`${name}.ts of a feature's inner folder imports no effect`, `${core}/features/token/inner/${name}/${name}.ts`, "effect/Effect"),
  ]),
  broken(
    "postern(pure)",
    "rules are synchronous",
    `${core}/rules/asynchronous.ts`,
    "export const here = async () => await Promise.resolve(1)\n",
  ),
  broken(
    "postern(pure)",
    "rules keep no state",
    `${core}/rules/stateful.ts`,
    "export let count = 0\nexport const here = () => {\n  count += 1\n}\n",
  ),
  broken(
    "postern(commit)",
    "only settle/ runs commands",
    `${core}/features/token/commits.ts`,
    "export const here = (store: { commit: () => void }) => store.commit()\n",
  ),

  // Tokens are made by issuance/ alone.
  ...["saveGrant", "saveCode", "saveAccessToken", "saveRefreshToken"].map((name) =>
    broken(
      "postern(issuance)",
      `only issuance/ makes rows by ${name}`,
      `${core}/features/token/${name}.ts`,
      `import { ${name} as made } from "../../model/clean.ts"\nexport const here = made\n`,
    ),
  ),
  broken(
    "postern(issuance)",
    "only issuance/ plans tokens",
    `${core}/settle/plan.ts`,
    "export const here = { accessToken: undefined, expiresIn: 1, idToken: undefined }\n",
  ),
  broken(
    "postern(issuance)",
    "only issuance/ answers with tokens",
    `${core}/features/token/answers.ts`,
    'export const here = { _tag: "IssueTokens" } as const\n',
  ),

  // Core's globals.
  ...["Date", "process", "fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "Buffer", "performance", "crypto"].map(
    outside,
  ),
  broken(
    "eslint(no-restricted-globals)",
    "globalThis is no way round",
    `${core}/model/globalThis.ts`,
    "export const here = () => globalThis.Date\n",
  ),
  broken(
    "eslint(no-restricted-globals)",
    "nor under another name",
    `${core}/model/alias.ts`,
    "const { Date: Clock } = globalThis\nexport const here = Clock\n",
  ),
  broken(
    "eslint(no-restricted-properties)",
    "core starts no timer through effect",
    `${core}/settle/sleep.ts`,
    'import * as Effect from "effect/Effect"\nexport const here = Effect.sleep(1)\n',
  ),
  broken(
    "eslint(no-restricted-globals)",
    "webcrypto.ts has crypto and nothing else",
    `${core}/platform/webcrypto.ts`,
    "export const here = () => Date.now()\n",
  ),
  broken(
    "eslint(no-restricted-globals)",
    "timer.ts has the clock and a timer, and nothing else",
    `${core}/platform/timer.ts`,
    "export const here = () => crypto.randomUUID()\n",
  ),
  broken(
    "eslint(no-restricted-globals)",
    "other files of platform/ have none of them",
    `${core}/platform/clock.ts`,
    "export const here = () => Date.now()\n",
  ),
  broken("eslint(no-console)", "nor do they print", `${core}/platform/print.ts`, 'export const here = () => console.log("here")\n'),
  broken(
    "eslint(no-restricted-properties)",
    "core never touches Math.random",
    `${core}/model/mathRandom.ts`,
    "export const here = () => Math.random()\n",
  ),
  broken("eslint(no-console)", "core prints nothing", `${core}/model/console.ts`, 'export const here = () => console.log("here")\n'),

  // Between packages.
  imports("adapters do not import each other", "packages/adapter-http/src/sqlite.ts", "@postern/adapter-sqlite"),
  imports("adapters do not import each other", "packages/adapter-sqlite/src/http.ts", "@postern/adapter-http"),
  imports("adapters do not import each other", "packages/adapter-postgres/src/sqlite.ts", "@postern/adapter-sqlite"),
  imports("what stores share imports none of them", "packages/stores/src/sqlite.ts", "@postern/adapter-sqlite"),
  imports("adapters do not import the command line", "packages/adapter-http/src/cli.ts", "@postern/cli"),
  imports("a package is imported by name", "packages/adapter-http/src/path.ts", "../../core/src/model/clean.ts"),
  imports("a new package has to be given its place", "packages/novel/src/first.ts", "@postern/core"),

  // Imports point one way inside every other package too.
  ...[
    ["adapter-http", "pages", "node"],
    ["adapter-http", "pages", "outbound"],
    ["adapter-http", "outbound", "upstream"],
    ["adapter-http", "upstream", "pages"],
    ["adapter-http", "node", "upstream"],
    ["stores", "secrets", "clients"],
    ["stores", "secrets", "people"],
    ["stores", "clients", "people"],
    ["stores", "people", "audit"],
    ["stores", "trails", "audit"],
    ["stores", "clients", "rows"],
    ["stores", "audit", "rows"],
    ["adapter-sqlite", "database", "copies"],
    ["adapter-sqlite", "database", "tokens"],
    ["adapter-sqlite", "tokens", "clients"],
    ["adapter-sqlite", "tokens", "writer"],
    ["adapter-sqlite", "audit", "writer"],
    ["adapter-sqlite", "people", "clients"],
    ["adapter-sqlite", "copies", "writer"],
    ["adapter-sqlite", "trails", "tokens"],
    ["adapter-postgres", "database", "copies"],
    ["adapter-postgres", "database", "schema"],
    ["adapter-postgres", "database", "tokens"],
    ["adapter-postgres", "tokens", "schema"],
    ["adapter-postgres", "schema", "copies"],
    ["adapter-postgres", "audit", "tokens"],
    ["adapter-postgres", "trails", "tokens"],
    ["adapter-postgres", "clients", "people"],
    ["cli", "terminal", "config"],
    ["cli", "config", "data"],
    ["cli", "data", "serve"],
    ["cli", "demo", "actions"],
    ["cli", "doctor", "actions"],
    ["cli", "init", "terminal"],
    ["cli", "serve", "commands"],
    ["cli", "actions", "commands"],
    ["cli", "commands", "config"],
  ].map(([name, from, to]) =>
    imports(`${name}: ${from}/ does not import ${to}/`, `packages/${name}/src/${from}/to-${to}.ts`, `../${to}/clean.ts`),
  ),
  broken(
    "postern(imports)",
    "a type counts inside a package too",
    "packages/adapter-sqlite/src/database/typed.ts",
    'export type Here = import("../copies/clean.ts").There\n',
  ),
  imports("a folder does not import what puts its package together", "packages/stores/src/secrets/together.ts", "../stores.ts"),
  imports("nor the package's index", "packages/adapter-http/src/pages/index-of-all.ts", "../index.ts"),
  imports("a file that folders import has a row of its own", "packages/adapter-http/src/message.ts", "./serve.ts"),
  imports("a row of a file holds for it", "packages/cli/src/failure.ts", "./terminal/clean.ts"),
  ...["adapter-http", "stores", "adapter-sqlite", "adapter-postgres", "cli"].map((name) =>
    imports(`a new folder of ${name} has to be given its place`, `packages/${name}/src/novel/first.ts`, "../clean.ts"),
  ),

  // Everywhere.
  broken("typescript(no-explicit-any)", "no any", "packages/cli/src/any.ts", "export const here = (one: any): unknown => one\n"),
  broken(
    "typescript(no-non-null-assertion)",
    "no non-null assertion",
    "packages/cli/src/bang.ts",
    "export const here = (one?: string) => one!\n",
  ),
  broken(
    "typescript(no-floating-promises)",
    "no floating promises",
    "packages/cli/src/floating.ts",
    "export const here = () => {\n  Promise.resolve(1)\n}\n",
  ),
  broken("eslint(no-unused-vars)", "nothing unused", "packages/cli/src/unused.ts", "const here = 1\nexport {}\n"),
  broken(
    "eslint(eqeqeq)",
    "strict equality",
    "packages/cli/src/equality.ts",
    "export const here = (one: number, two: number) => one == two\n",
  ),
  broken(
    "eslint(prefer-const)",
    "const where it can be",
    "packages/cli/src/let.ts",
    "export const here = () => {\n  let one = 1\n  return one\n}\n",
  ),
  broken(
    "typescript(consistent-type-imports)",
    "types are imported as types",
    "packages/cli/src/typeImport.ts",
    'import { Taken } from "./clean.ts"\nexport const here = (one: Taken): Taken => one\n',
  ),
  broken(
    "typescript(switch-exhaustiveness-check)",
    "a switch is exhaustive",
    "packages/cli/src/switch.ts",
    'export const here = (one: "a" | "b") => {\n  switch (one) {\n    case "a":\n      return 1\n  }\n  return 2\n}\n',
  ),
  broken(
    "import(no-cycle)",
    "no circles",
    "packages/cli/src/circle/one.ts",
    'import { two } from "./two.ts"\nexport const one = (): unknown => two\n',
  ),
  broken(
    "import(no-cycle)",
    "no circles, from the other side",
    "packages/cli/src/circle/two.ts",
    'import { one } from "./one.ts"\nexport const two = (): unknown => one\n',
  ),
  broken(
    "import(no-cycle)",
    "no circles of types",
    "packages/cli/src/ring/one.ts",
    'import type { Two } from "./two.ts"\nexport type One = { two: Two }\n',
  ),
  broken(
    "import(no-cycle)",
    "no circles of types, from the other side",
    "packages/cli/src/ring/two.ts",
    'import type { One } from "./one.ts"\nexport type Two = { one: One }\n',
  ),
]

/** Files that keep every law, close to its edge. */
const clean: Readonly<Record<string, string>> = {
  [`${core}/model/openingClean.ts`]:
    "/** Whatever it holds, and what of it counts. */\nexport const here = 1\n// The second line of a comment may open with anything:\n// That is one.\nexport const there = 2\n",
  "packages/core/src/model/hoverClean.ts":
    "/** A type. */\nexport interface Here {\n  /** A member. */\n  readonly member: string\n}\nconst own = { member: 1 }\n/** A value. */\nexport const here = own\n",
  [`${core}/model/clean.ts`]: 'import * as Schema from "effect/Schema"\nexport const here = Schema.String\n',
  [`${core}/wire/clean.ts`]: 'import { here } from "../model/clean.ts"\nexport const wire = here\n',
  [`${core}/rules/clean.ts`]:
    'import { here } from "../model/clean.ts"\nimport { wire } from "../wire/clean.ts"\nexport const rules = [here, wire]\n',
  [`${core}/ports/clean.ts`]:
    'import * as Clock from "effect/Clock"\nimport { here } from "../model/clean.ts"\nexport const ports = [Clock, here]\n',
  [`${core}/settle/clean.ts`]:
    'import { ports } from "../ports/clean.ts"\nimport { rules } from "../rules/clean.ts"\nexport const settle = (store: { commit: () => void }) => {\n  store.commit()\n  return [ports, rules]\n}\n',
  [`${core}/features/authorize/feature.ts`]: 'export { authorize } from "./clean.ts"\n',
  [`${core}/features/authorize/clean.ts`]:
    'import * as Effect from "effect/Effect"\nimport { settle } from "../../settle/clean.ts"\nexport const authorize = Effect.sync(() => settle)\n',
  [`${core}/features/device/clean.ts`]: 'import { token } from "../token/index.ts"\nexport const grant = () => token\n',
  [`${core}/features/token/index.ts`]:
    'import type { here } from "../../model/clean.ts"\nexport const token = (process: typeof here) => process\n',
  [`${core}/provider/endpoints.ts`]:
    'export { authorize } from "../features/authorize/feature.ts"\nexport { token } from "../features/token/index.ts"\n',
  [`${core}/jose/clean.ts`]: 'import { SignJWT } from "jose"\nexport const sign = SignJWT\n',
  [`${core}/memory/clean.ts`]: 'import { ports } from "../ports/clean.ts"\nexport const memory = ports\n',
  [`${core}/platform/clean.ts`]: 'import { wire } from "../wire/clean.ts"\nexport const encoded = wire\n',
  [`${core}/platform/console.ts`]: "export const report = (text: string): void => console.error(text)\n",
  [`${core}/provider/provider.ts`]:
    'import * as Clock from "effect/Clock"\nimport { authorize } from "./endpoints.ts"\nexport const provider = [Clock, authorize]\n',
  "packages/adapter-http/src/clean.ts":
    'import { here } from "@postern/core"\nimport { createServer } from "node:http"\nexport const server = [createServer, here, Date]\n',
  "packages/adapter-http/src/pages/clean.ts": 'export const page = "page"\n',
  "packages/adapter-http/src/node/clean.ts": 'import { page } from "../pages/clean.ts"\nexport const node = page\n',
  "packages/adapter-postgres/src/schema/clean.ts": 'import { step } from "../tokens/deep/clean.ts"\nexport const schema = step\n',
  "packages/adapter-postgres/src/tokens/deep/clean.ts": 'export const step = "step"\n',
  "packages/stores/src/together.ts": 'import { rows } from "./rows/clean.ts"\nexport const together = rows\n',
  "packages/stores/src/rows/clean.ts": 'export const rows = "rows"\n',
  "packages/cli/src/clean.ts":
    'import { here } from "@postern/adapter-sqlite"\nimport { there } from "@postern/adapter-http"\nexport interface Taken {\n  readonly one: typeof here\n}\nexport const cli = [here, there]\n',
}

interface Diagnostic {
  readonly filename: string
  readonly code: string
}

describe("the linter keeps the architecture", () => {
  let workspace: string
  let diagnostics: ReadonlyArray<Diagnostic>

  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), "postern-laws-"))
    const scripts = ["architecture", "comments", "documented", "layers"].map((name) => `scripts/${name}.mjs`)
    for (const file of [".oxlintrc.json", "tsconfig.json", ...scripts]) await cp(join(root, file), join(workspace, file))
    // The linter looks for its type-aware half from where it stands.
    await symlink(join(root, "node_modules"), join(workspace, "node_modules"), "junction")
    const files = [...laws.map(({ file, text }) => [file, text] as const), ...Object.entries(clean)]
    for (const [file, text] of files) {
      await mkdir(dirname(join(workspace, file)), { recursive: true })
      await writeFile(join(workspace, file), text)
    }
    diagnostics = await lint(workspace)
  })

  afterAll(() => rm(workspace, { recursive: true, force: true }))

  // The files above are short: only those that are about hover text have any.
  const rulesBroken = (file: string) =>
    diagnostics
      .filter((one) => one.filename.replaceAll("\\", "/") === file)
      .map((one) => one.code)
      .filter((code) => code !== "postern(documented)" || file.includes("/hover"))

  it.for(laws)("$law: $file", ({ file, rule }) => {
    expect(new Set(rulesBroken(file))).toEqual(new Set([rule]))
  })

  it("refuses a table of folders that allows a circle", async () => {
    const table = await readFile(join(root, "scripts/layers.mjs"), "utf8")
    const circular = table.replace('config: ["failure.ts", "terminal", "workerCount.ts"]', 'config: ["failure.ts", "terminal", "data"]')
    expect(circular).not.toBe(table)
    await writeFile(join(workspace, "scripts/circular.mjs"), circular)
    await expect(import(pathToFileURL(join(workspace, "scripts/circular.mjs")).href)).rejects.toThrow(
      "cli: the row data has to stand before",
    )
  })

  it.for(Object.keys(clean))("is content with %s", (file) => {
    expect(rulesBroken(file)).toEqual([])
  })
})

const lint = (directory: string): Promise<ReadonlyArray<Diagnostic>> =>
  new Promise((resolve, reject) => {
    const command = [join(root, "node_modules/oxlint/bin/oxlint"), "--format", "json", "packages"]
    execFile(process.execPath, command, { cwd: directory, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
      try {
        resolve((JSON.parse(stdout) as { readonly diagnostics: ReadonlyArray<Diagnostic> }).diagnostics)
      } catch (cause) {
        reject(new Error(`The linter gave no report: ${stdout.slice(0, 2000)}${stderr}`, { cause }))
      }
    })
  })
