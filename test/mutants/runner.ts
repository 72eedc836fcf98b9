import { appendFileSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { type RunnerTestCase, TestRunner } from "vitest"
import { type Verdict, currentOf } from "./verdict.ts"

/** The switchboard that instrumented sources look at. */
interface Switchboard {
  activeMutant: string | undefined
  currentTestId: string | undefined
  hitCount: number | undefined
  hitLimit: number | undefined
  mutantCoverage: { readonly static: Record<string, number>; readonly perTest: Record<string, Record<string, number>> }
}

interface Run {
  readonly alive: Set<string>
  /** Count of the tests that have reached a mutant, by its id. */
  readonly reached: Map<string, number>
  readonly note: (verdict: Verdict) => void
  /** Names the mutant that is being tried, for whoever has to end a process that hangs; none between two tests. */
  readonly trying: (id: string) => void
  readonly board: Switchboard
}

/** Tests may put false timers in their place. */
const { setTimeout: later, clearTimeout: cancel } = globalThis

const work = process.env["POSTERN_MUTANTS"] ?? ""
const held = globalThis as { __stryker__?: Switchboard; __postern_mutants__?: Run }

const begin = (): Run => {
  const board: Switchboard = (held.__stryker__ ??= {
    activeMutant: undefined,
    currentTestId: undefined,
    hitCount: undefined,
    hitLimit: undefined,
    mutantCoverage: { static: {}, perTest: {} },
  })
  board.mutantCoverage ??= { static: {}, perTest: {} }
  const shard = process.env["POSTERN_MUTANTS_SHARD"] ?? ""
  const current = openSync(currentOf(work, shard), "w")
  return {
    alive: new Set(JSON.parse(readFileSync(join(work, `shard-${shard}.json`), "utf8")) as ReadonlyArray<string>),
    reached: new Map(),
    note: (verdict) => appendFileSync(join(work, "verdicts.jsonl"), `${JSON.stringify(verdict)}\n`),
    trying: (id) => void writeSync(current, id.padEnd(12), 0),
    board,
  }
}

/**
 * So many tests that reach a mutant are all tried. Of twice as many after that it is each second, of four times as many each fourth, and so
 * on: whoever survived those is likely to survive the others too, and on a line that every request reaches there are a thousand and more.
 */
const eager = 30

/** Reports whether a test is tried with a mutant, by how many reached it before. The sample is the same in every run. */
const isTried = (before: number): boolean => before % 2 ** Math.floor(Math.log2(before / eager + 1)) === 0

/**
 * Runs each test once as it is, then once for every mutant that it reached and that no test has noticed yet, or a sample of those. A test that
 * does not pass twice in a row is not repeatable, and judges nothing.
 */
export default class MutantsRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = (held.__postern_mutants__ ??= begin())
    const { alive, board, note, trying } = run
    const fn = TestRunner.getTestFn(test)
    const once = async (): Promise<void> => {
      try {
        await fn()
      } finally {
        for (const hook of hooksOf(test).splice(0).toReversed()) await hook(test.context)
      }
    }
    board.currentTestId = test.id
    await once()
    const reached = board.mutantCoverage.perTest[test.id] ?? {}
    const met = Object.keys(reached).filter((id) => alive.has(id))
    const candidates = met.filter((id) => {
      const before = run.reached.get(id) ?? 0
      run.reached.set(id, before + 1)
      return isTried(before)
    })
    board.currentTestId = "repeated"
    try {
      if (candidates.length === 0) return
      const began = performance.now()
      const repeatable = await once().then(
        () => true,
        () => false,
      )
      if (!repeatable) return note({ _tag: "NotRepeatable", test: `${test.file.name} > ${test.name}` })
      const patience = (performance.now() - began) * 10 + 1_000
      const first = performance.now()
      for (const id of candidates) {
        trying(id)
        board.activeMutant = id
        board.hitCount = 0
        board.hitLimit = (reached[id] ?? 0) * 100 + 1_000
        const noticed = await notices(once, patience)
        board.activeMutant = undefined
        if (!noticed) continue
        alive.delete(id)
        note({ _tag: "Noticed", id, test: test.name })
      }
      note({ _tag: "Cost", test: test.name, mutants: candidates.length, milliseconds: Math.round(performance.now() - first) })
    } finally {
      trying("")
      board.activeMutant = undefined
      board.currentTestId = undefined
      delete board.mutantCoverage.perTest[test.id]
      if (met.length > 0) note({ _tag: "Reached", ids: met })
    }
  }

  override onAfterRunFiles(files: Parameters<TestRunner["onAfterRunFiles"]>[0]): void {
    const { board, note } = (held.__postern_mutants__ ??= begin())
    note({ _tag: "AtLoad", ids: Object.keys(board.mutantCoverage.static) })
    super.onAfterRunFiles(files)
  }
}

/** The hooks that a test has registered by `onTestFinished`; vitest keeps them on the test and leaves them out of its types. */
const hooksOf = (test: RunnerTestCase): Array<(context: unknown) => unknown> =>
  (test as { readonly onFinished?: Array<(context: unknown) => unknown> }).onFinished ?? []

/** Reports whether a test fails, or hangs, which is noticed too. */
const notices = async (once: () => Promise<void>, patience: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const slow = new Promise<boolean>((resolve) => {
    timer = later(resolve, patience, true)
  })
  try {
    return await Promise.race([
      once().then(
        () => false,
        () => true,
      ),
      slow,
    ])
  } finally {
    cancel(timer)
  }
}
