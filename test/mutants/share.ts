import { spawn } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Area, root, workOf } from "./areas.ts"
import { type Verdict, currentOf } from "./verdict.ts"

/** Milliseconds after which a mutant that is still being tried counts as hanging: a loop without an end is not interrupted from within its process. */
const hanging = 60_000

/** The mutant that a share has been trying for too long; undefined as long as it moves on. */
const hangingIn = (work: string, shard: number): string | undefined => {
  const file = currentOf(work, shard)
  if (!existsSync(file) || Date.now() - statSync(file).mtimeMs < hanging) return undefined
  const id = readFileSync(file, "utf8").trim()
  return id === "" ? undefined : id
}

/** Runs the tests of an area for one share of its mutants. One that hangs is noticed, and the others of the share are tried in another process. */
export const tried = async (area: Area, shard: number, ids: ReadonlyArray<string>): Promise<void> => {
  const work = workOf(area.name)
  writeFileSync(join(work, `shard-${shard}.json`), JSON.stringify(ids))
  const hung = await ended(area, shard)
  if (hung === undefined) return
  appendFileSync(join(work, "verdicts.jsonl"), `${JSON.stringify({ _tag: "Noticed", id: hung, test: "it hangs" } satisfies Verdict)}\n`)
  const verdicts = readFileSync(join(work, "verdicts.jsonl"), "utf8").trimEnd().split("\n")
  const noticed = new Set(
    verdicts.map((line) => JSON.parse(line) as Verdict).flatMap((verdict) => (verdict._tag === "Noticed" ? [verdict.id] : [])),
  )
  return tried(
    area,
    shard,
    ids.filter((id) => !noticed.has(id)),
  )
}

/** Runs the tests of one share to their end, or until a mutant hangs, which is named then. */
const ended = (area: Area, shard: number): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const work = workOf(area.name)
    const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--config", "test/mutants/vitest.config.ts"], {
      cwd: root,
      env: {
        ...process.env,
        NO_COLOR: "1",
        POSTERN_MUTANTS: work,
        POSTERN_MUTANTS_AREA: area.name,
        POSTERN_MUTANTS_SHARD: String(shard),
      },
      stdio: ["ignore", "pipe", "pipe"],
      // Its workers are ended with it.
      detached: true,
    })
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }
    process.once("exit", kill)
    let output = ""
    let hung: string | undefined
    const watch = setInterval(() => {
      hung ??= hangingIn(work, shard)
      if (hung !== undefined) kill()
    }, 5_000)
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => (output = (output + text.toString()).slice(-8_000)))
    child.on("error", reject)
    child.on("exit", (code) => {
      clearInterval(watch)
      process.off("exit", kill)
      const told = output.slice(Math.max(0, output.indexOf("Failed Tests")))
      if (code === 0 || hung !== undefined) resolve(hung)
      else reject(new Error(`the tests of ${area.name} do not pass over unchanged sources:\n${told}`))
    })
  })
