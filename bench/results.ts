import { execFileSync } from "node:child_process"
import { mkdirSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import type { Round } from "./load/run.ts"
import type { Goal } from "./scenarios/scenario.ts"

/** Place and time of a measurement. */
export interface About {
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGB: number
  readonly kernel: string
  readonly node: string
  /** Command that ran as Postern. */
  readonly command: string
  readonly commit: string
  /** Processes that wanted a core before the run began, on average over a minute: above 0 somebody else was at work. */
  readonly loadBefore: number
}

/** The rounds of one server at one scenario. */
export interface Measured {
  readonly server: string
  readonly rounds: ReadonlyArray<Round>
}

/** A scenario's rounds; `failed` says what the first wrong answer was. */
export interface ScenarioResult {
  readonly id: string
  readonly title: string
  readonly requests: number
  readonly goal: Goal
  readonly measured: ReadonlyArray<Measured>
  readonly failed?: string
  /** Place and time, if it was measured before the others it is kept with. */
  readonly about?: About
}

/** Scenarios that were measured together. */
export interface ScenarioResults {
  readonly seconds: number
  readonly connections: number
  readonly scenarios: ReadonlyArray<ScenarioResult>
}

/** Results that each part of the benchmark leaves behind, by the name of its file. */
export interface Results {
  readonly scenarios: ScenarioResults
  /** Scenarios as deployments meet them. */
  readonly conditions: ScenarioResults
  readonly startup: {
    readonly starts: ReadonlyArray<{ readonly server: string; readonly first: number; readonly again: ReadonlyArray<number> }>
    /** Milliseconds from the start to a client's token, by the number of declared clients. */
    readonly tokens?: ReadonlyArray<{ readonly server: string; readonly clients: number; readonly again: ReadonlyArray<number> }>
  }
  readonly "half-load": HalfLoadResult
  /** First and second tokens of many clients. */
  readonly clients: ScenarioResults
  readonly "shared-file": SharedFileResult
  readonly growth: GrowthResult
  readonly cluster: ClusterResult
  readonly machine: MachineResult
  readonly workers: WorkersResult
  readonly hashing: { readonly perHash: number }
}

/** Measurements taken while everything else went on. */
export interface HalfLoadResult {
  readonly peakPerSecond: number
  readonly quiet: Round
  readonly busy: Round
  readonly swept: number
  readonly verified: number
  readonly rotated: number
}

/** Costs of a machine's own work, in microseconds. */
export interface MachineResult {
  readonly costs: ReadonlyArray<{
    readonly id: string
    readonly title: string
    /** CPU, the least of several tries. */
    readonly cpu: number
    /** The median time, where it is more than the CPU. */
    readonly wall?: number
  }>
}

/** The cost of a refresh in one process and in two on the same SQLite file. */
export interface SharedFileResult {
  readonly servers: ReadonlyArray<{ readonly server: string; readonly one: ReadonlyArray<Round>; readonly two: ReadonlyArray<Round> }>
}

/** Cost of an operation with few and with many stored tokens. */
export interface GrowthResult {
  readonly rows: ReadonlyArray<{
    readonly tokens: number
    /** Of the database's file. */
    readonly bytes: number
    readonly measured: ReadonlyArray<{ readonly id: string; readonly rounds: ReadonlyArray<Round> }>
  }>
}

/** One process and two, on one PostgreSQL. */
export interface ClusterResult {
  /** Way in which the processes were kept apart. */
  readonly placing: string
  readonly scenarios: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly one: ReadonlyArray<Round>
    readonly two: ReadonlyArray<Round>
    /** Two processes at a third of that load, sent when due. */
    readonly part: ReadonlyArray<Round>
    /** Microseconds of PostgreSQL's CPU for each operation. */
    readonly database: ReadonlyArray<number>
    /** Bytes that PostgreSQL logged for each operation. */
    readonly logged: ReadonlyArray<number>
  }>
}

/** A server of one process, one of two workers, and two servers on one database file. */
export interface WorkersResult {
  /** Way in which the processes were kept apart. */
  readonly placing: string
  readonly scenarios: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly rounds: Readonly<Record<"one" | "workers" | "pair", ReadonlyArray<Round>>>
  }>
}

/** A part's results with where they come from. */
export type Stored<Part extends keyof Results> = Results[Part] & { readonly about: About }

const file = (part: string): string => fileURLToPath(new URL(`results/${part}.json`, import.meta.url))

/** Keeps the results of a part for the pages that are made from them. */
export const store = <Part extends keyof Results>(part: Part, about: About, results: Results[Part]): void => {
  mkdirSync(fileURLToPath(new URL("results", import.meta.url)), { recursive: true })
  writeFileSync(file(part), `${JSON.stringify({ about, ...results }, rounded, 2)}\n`)
}

/** Scenarios that were measured now among those that were kept, each where it was; where they come from is said of all of them together. */
export const merged = (part: "scenarios" | "conditions", now: ScenarioResults): ScenarioResults => {
  const before = stored(part)
  if (before === undefined) return now
  const again = new Map(now.scenarios.map((each) => [each.id, each]))
  const known = new Set(before.scenarios.map(({ id }) => id))
  return {
    ...now,
    scenarios: [
      ...before.scenarios.map((each) => again.get(each.id) ?? { about: before.about, ...each }),
      ...now.scenarios.filter(({ id }) => !known.has(id)),
    ],
  }
}

/** The last results of a part that were kept. */
export const stored = <Part extends keyof Results>(part: Part): Stored<Part> | undefined =>
  existsSync(file(part)) ? (JSON.parse(readFileSync(file(part), "utf8")) as Stored<Part>) : undefined

const rounded = (_: string, value: unknown): unknown => (typeof value === "number" ? Number(value.toPrecision(5)) : value)

/** This machine, now. */
export const aboutNow = (command: string): About => ({
  date: new Date().toISOString().slice(0, 10),
  cpu: cpus()[0]?.model.replaceAll(/\s+/g, " ").trim() ?? "an unknown processor",
  cores: cpus().length,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  kernel: release().split("-")[0] ?? "",
  node: process.version,
  command,
  commit: commit(),
  loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
})

const commit = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return "no checkout"
  }
}
