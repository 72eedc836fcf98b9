import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { type Tier, tiers } from "./tier.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const slashed = (path: string): string => path.split(sep).join("/")

/** The tier of every test file, by folders and files; where both have one, the file's own counts. A tier runs its own files and those of the tiers before it. */
export const places: Readonly<Record<Tier, ReadonlyArray<string>>> = {
  // The core's rules, cases and properties: no process, no server, no browser, no database.
  quick: [
    "test/bench/figures.test.ts",
    "test/cases",
    "test/certification",
    "test/core",
    "test/properties",
    "test/settle",
    "test/signer",
    "test/specification/specification.test.ts",
    "test/store/memory.test.ts",
    "test/store/turns.test.ts",
    "test/tiers",
    "test/wire",
  ],
  standard: [
    "packages",
    "test/bench",
    "test/browser",
    // Tests that only sockets and a browser's headers can make; the rest of the checklist repeats test/cases over them.
    "test/checklist/authorizePages.test.ts",
    "test/checklist/beyondBrowser.test.ts",
    "test/checklist/beyondWire.test.ts",
    "test/checklist/metadata.test.ts",
    "test/cli",
    "test/clients",
    "test/cloudflare",
    "test/conformance",
    "test/docs",
    "test/entries",
    "test/examples",
    "test/faults/core.test.ts",
    "test/faults/power.test.ts",
    "test/faults/synced.test.ts",
    "test/fuzz",
    "test/guesses",
    "test/http",
    "test/kysely",
    "test/interop",
    "test/ldap",
    "test/matrix",
    "test/model",
    "test/pages",
    "test/people",
    "test/postgres",
    "test/redis",
    "test/runtimes",
    "test/specification",
    "test/store",
    "test/stores",
    "test/upstream",
    "test/verify",
    "test/workers",
    "test/workspace",
  ],
  // Faults, crashes and load, budgets of CPU time, what shows at a large scale alone, random commands and races on further stores, wide matrices, and the checklist's cases over sockets.
  full: [
    "test/budget",
    "test/checklist",
    // Each command from the packed bundle, in each format; what a command does stands in a test of its own.
    "test/cli/backup.test.ts",
    "test/cli/endlessFiles.test.ts",
    "test/cli/everyCommand.test.ts",
    "test/cli/heap.test.ts",
    // The contract is tried on both in the standard tier.
    "test/cloudflare/crashes.test.ts",
    "test/cloudflare/model.test.ts",
    "test/cloudflare/races.test.ts",
    "test/cloudflare/stores.test.ts",
    // Whole runs of the command against a server, and every misbehavior at every client.
    "test/conformance/adminScripts.test.ts",
    "test/conformance/byHand.test.ts",
    "test/conformance/faults.test.ts",
    "test/conformance/misbehaveChoice.test.ts",
    "test/conformance/misbehaveClients.test.ts",
    "test/conformance/misbehaveDelivery.test.ts",
    "test/conformance/misbehaveNotices.test.ts",
    "test/conformance/mutualTls.test.ts",
    "test/conformance/overHttp.test.ts",
    "test/conformance/overTls.test.ts",
    "test/conformance/repeat.test.ts",
    "test/conformance/unreachable.test.ts",
    // Examples of the docs and of `examples/`, in the frameworks and runtimes that each is for: no rule and no client stands in them alone.
    "test/docs/testingPage.test.ts",
    "test/examples/examples.test.ts",
    "test/examples/resourceServer.test.ts",
    "test/faults",
    "test/guesses/flood.test.ts",
    // The contract is tried on each database in the standard tier.
    "test/kysely/crashes.test.ts",
    "test/kysely/logs.test.ts",
    "test/kysely/model.test.ts",
    "test/kysely/races.test.ts",
    "test/postgres/cluster.test.ts",
    "test/postgres/crashes.test.ts",
    "test/postgres/failures.test.ts",
    "test/postgres/flat.test.ts",
    "test/postgres/nginx.test.ts",
    "test/postgres/oldFunctions.test.ts",
    "test/postgres/replayRaces.test.ts",
    "test/postgres/requestCounts.test.ts",
    "test/postgres/restore.test.ts",
    "test/postgres/standby.test.ts",
    "test/postgres/upgrade.test.ts",
    "test/upstream/blackHole.test.ts",
    // The plans of the foundation's suite, from end to end; each of their rules stands in test/certification too.
    "test/verify/fapi2Plans.test.ts",
    "test/workers/faults.test.ts",
    // Checks of what is built and published, which the build makes too.
    "test/workspace/advisories.test.ts",
    "test/workspace/bundle.test.ts",
    "test/workspace/mutants.test.ts",
    "test/workspace/sbom.test.ts",
    "test/workspace/tasks.test.ts",
  ],
}

/**
 * Places whose files share a process with others of them, since importing core and the adapters costs each process 0.7 s of CPU, half of what most of them cost. Their helpers hold nothing that
 * ends with one file; a test that changes its process or measures it stands elsewhere.
 */
export const shared: ReadonlyArray<string> = [
  "test/browser/anybody.test.ts",
  "test/browser/axe-pages.test.ts",
  "test/browser/conformReport.test.ts",
  "test/browser/demo.test.ts",
  "test/browser/frontChannelLogout.test.ts",
  "test/browser/ownPages.test.ts",
  "test/browser/scoreboard.test.ts",
  "test/browser/sessionManagement.test.ts",
  "test/browser/upstream.test.ts",
  "test/checklist",
  "test/cli/agreement.test.ts",
  "test/cli/audit.test.ts",
  "test/cli/ciSize.test.ts",
  "test/cli/ciba.test.ts",
  "test/cli/compileCache.test.ts",
  "test/cli/configCheck.test.ts",
  "test/cli/configRenamed.test.ts",
  "test/cli/configRules.test.ts",
  "test/cli/configSchema.test.ts",
  "test/cli/configWarnings.test.ts",
  "test/cli/featureModules.test.ts",
  "test/cli/grantModuleFaults.test.ts",
  "test/cli/grantModules.test.ts",
  "test/cli/importOidcProvider.test.ts",
  "test/cli/initSigned.test.ts",
  "test/cli/logoutCounts.test.ts",
  "test/cli/misbehaveApart.test.ts",
  "test/cli/namedClients.test.ts",
  "test/cli/operations.test.ts",
  "test/cli/plainJson.test.ts",
  "test/cli/plainServe.test.ts",
  "test/cli/priority.test.ts",
  "test/cli/profiles.test.ts",
  "test/cli/readiness.test.ts",
  "test/cli/ready.test.ts",
  "test/cli/reload.test.ts",
  "test/cli/replayFeatures.test.ts",
  "test/cli/replayTold.test.ts",
  "test/cli/sectors.test.ts",
  "test/cli/serve.test.ts",
  "test/cli/soundBefore.test.ts",
  "test/cli/usage.test.ts",
  "test/clients",
  "test/cloudflare",
  "test/conformance",
  "test/docs",
  "test/examples/embeddingPage.test.ts",
  "test/examples/fileStore.test.ts",
  "test/examples/readmes.test.ts",
  "test/examples/resourceServer.test.ts",
  "test/examples/testProvider.test.ts",
  "test/faults/core.test.ts",
  "test/faults/power.test.ts",
  "test/faults/synced.test.ts",
  "test/fuzz",
  "test/guesses",
  "test/http",
  "test/interop",
  "test/kysely",
  "test/ldap",
  "test/matrix",
  "test/model",
  "test/pages",
  "test/people",
  "test/postgres",
  "test/redis",
  "test/runtimes",
  "test/specification",
  "test/store",
  "test/stores",
  "test/upstream",
  "test/verify",
  "test/workers/faults.test.ts",
  "test/workers/tls.test.ts",
  "test/workers/workers.test.ts",
  "test/workspace/bundle.test.ts",
  "test/workspace/command.test.ts",
  "test/workspace/dependencies.test.ts",
  "test/workspace/features.test.ts",
  "test/workspace/launcher.test.ts",
  "test/workspace/mutants.test.ts",
  "test/workspace/ownFolder.test.ts",
  "test/workspace/parsers.test.ts",
  "test/workspace/sbom.test.ts",
  "test/workspace/start.test.ts",
]

/** Places that measure: their files come after all others, with a core for each. */
export const measuring: ReadonlyArray<string> = ["test/budget", "test/faults", "test/guesses/flood.test.ts", "test/postgres/flat.test.ts"]

/** Files of those places that measure nothing. An upgrade is killed at a share of the time that it has just taken, however busy the machine is. */
export const unmeasured: ReadonlyArray<string> = ["test/faults/upgrade.test.ts"]

/** Files that import JSX, which Node does not read: Vitest loads their modules. */
export const jsx: ReadonlyArray<string> = ["test/browser/examplePages.test.ts", "test/examples/pages.test.ts"]

/** Files that take longest begin first, so that none is left over when all others are done. */
export const longest: ReadonlyArray<string> = [
  "test/cli/everyCommand.test.ts",
  "test/workers/workers.test.ts",
  "test/faults/upgrade.test.ts",
  "test/examples/examples.test.ts",
  "test/workers/faults.test.ts",
  "test/browser/demo.test.ts",
  "test/browser/axe-pages.test.ts",
  "test/cli/operations.test.ts",
  "test/cli/backup.test.ts",
  "test/cli/backChannelLogout.test.ts",
  "test/cloudflare/model.test.ts",
  "test/conformance/overHttp.test.ts",
  "test/conformance/misbehaveClients.test.ts",
  "test/store/logoutExpiry.test.ts",
  "test/store/logoutDelivery.test.ts",
  "test/model/races.test.ts",
  "test/store/sqlite.test.ts",
  "test/conformance/recording.test.ts",
  "test/kysely/contract.test.ts",
  "test/kysely/model.test.ts",
  "test/conformance/overTls.test.ts",
  "test/model/lifecycle.test.ts",
  "test/cloudflare/contract.test.ts",
  "test/conformance/faults.test.ts",
]

/** A way to run files. */
export type Way = "alone" | "core" | "jsx" | "shared" | "measuring"

/** The way that a file is run: those of the quick tier share what they import, since none of them holds anything. */
export const wayOf = (file: string): Way => {
  const isIn = (list: ReadonlyArray<string>): boolean => list.some((place) => holds(place, file))
  if (tierOf(file) === "quick") return "core"
  if (jsx.includes(file)) return "jsx"
  if (tierOf(file) === "full" && isIn(measuring) && !unmeasured.includes(file)) return "measuring"
  return isIn(shared) ? "shared" : "alone"
}

/** Every test file of the workspace. */
export const testFiles: ReadonlyArray<string> = globSync(["test/**/*.test.ts", "packages/*/test/**/*.test.ts"], {
  cwd: root,
  exclude: (name) => name.endsWith("node_modules") || name.endsWith("dist"),
})
  .map(slashed)
  .toSorted()

const holds = (place: string, file: string): boolean => file === place || file.startsWith(`${place}/`)

/** The places of the list that hold a file, the closest first. */
export const placesOf = (file: string): ReadonlyArray<{ readonly tier: Tier; readonly place: string }> =>
  tiers
    .flatMap((tier) => places[tier].filter((place) => holds(place, file)).map((place) => ({ tier, place })))
    .toSorted((one, other) => other.place.length - one.place.length)

/** The tier that a test file belongs to; undefined when the list has none for it. */
export const tierOf = (file: string): Tier | undefined => placesOf(file)[0]?.tier

/** The files that a tier runs. */
export const filesOf = (tier: Tier): ReadonlyArray<string> => {
  const own = new Set(tiers.slice(0, tiers.indexOf(tier) + 1))
  return testFiles.filter((file) => {
    const its = tierOf(file)
    return its === undefined || own.has(its)
  })
}

/** The files of the tests that one of them imports, directly or not, itself included. */
export const importsOf = (file: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, path = ""] of readFileSync(join(root, file), "utf8").matchAll(/(?:from|import|import\() ?"(\.[^"]+\.ts)"/g)) {
    const found = slashed(relative(root, join(root, dirname(file), path)))
    // A test may hold another program's source as a text, which imports what is not here.
    if (found.startsWith("test/") && existsSync(join(root, found))) importsOf(found, seen)
  }
  return seen
}

/** The files that run narrower outside of the full tier: those that import `tier.ts`. */
export const narrowed = (): ReadonlyArray<string> =>
  testFiles.filter((file) => !holds("test/tiers", file) && importsOf(file).has("test/tiers/tier.ts"))
