import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterJump, jumps } from "./clockJumps.ts"
import type { Actor } from "./actor.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { pause, serveIn } from "./process.ts"
import { breachesOf, type Row, type Run } from "./row.ts"
import { makeSetting } from "./setting.ts"

/** libfaketime, where Debian's package puts it. */
const library = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"].find(
  (path) => existsSync(path),
)

/** Forgets what a jump into the future has ended. */
const forget = (actors: ReadonlyArray<Actor>): void => {
  for (const actor of actors) {
    actor.chains = []
    actor.dead = []
    actor.devices = []
    actor.sessions = []
  }
}

/** A server whose clock jumps under load. The rules of time end what is too old; nothing else may end, and nothing may come back. */
const serverJumps = async (chance: () => number, ledger: Ledger, problems: Array<string>, preload: string): Promise<number> => {
  const setting = await makeSetting()
  try {
    const file = join(setting.folder, "offset")
    const jump = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}\n`)
    jump(0)
    const env = {
      LD_PRELOAD: preload,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    }
    const server = await serveIn(setting, { env, patience: 60_000 })
    const clockOf = async (): Promise<number> => Date.parse((await fetch(`${setting.url}/health/live`)).headers.get("date") ?? "")
    const actors = await assemble(ledger, 32, () => setting.url)
    const underLoad = async (seconds: number): Promise<void> => {
      const load = startLoad(actors, chance, { untilDown: false })
      await pause(400)
      jump(seconds)
      await pause(600)
      load.stop()
      await load.ended
    }
    // Expired tokens may be refused, but nothing dead may live.
    const forward = async (seconds: number): Promise<void> => {
      const before = ledger.breaches.length
      await underLoad(seconds)
      await verifyAll(actors, { chance, replayed: 0, dead: 2 })
      ledger.breaches.push(...ledger.breaches.splice(before).filter(({ rule }) => rule !== "lost"))
      forget(actors)
    }
    // An hour back: nothing has expired, so every fact holds.
    await underLoad(-3600)
    if (Math.abs(Date.now() - 3_600_000 - (await clockOf())) > 120_000) problems.push("the server's clock did not go back")
    await verifyAll(actors, { chance, replayed: 0.3, dead: 1 })
    // And forward to where it was: an hour in one step.
    await forward(0)
    // Slowly drifting, two minutes in all.
    const drifting = startLoad(actors, chance, { untilDown: false })
    for (let drift = 1; drift <= 12; drift++) {
      jump(drift * 10)
      await pause(60)
    }
    drifting.stop()
    await drifting.ended
    await verifyAll(actors, { chance, replayed: 0.3, dead: 1 })
    // Forward an hour from the true time.
    await forward(3600)
    // Ten years on everybody signs in again, and nothing else is lost.
    jump(315_360_000)
    const late = await assemble(ledger, 16, () => setting.url)
    // Consents have no end.
    for (const actor of late) actor.consent = "unsure"
    const load = startLoad(late, chance)
    await pause(500)
    load.stop()
    await load.ended
    await verifyAll(late, { chance, replayed: 0.3, dead: 1 })
    if (server.child.exitCode !== null) problems.push("the server is gone")
    await server.end("SIGTERM")
    return 5
  } finally {
    setting.remove()
  }
}

/** R7: the clock jumps, in core by its port, and under a server by libfaketime. */
export const clock = async ({ times, seed, say }: Run): Promise<Row> => {
  const chance = chanceOf(seed)
  const ledger = new Ledger()
  const problems: Array<string> = []
  let inCore = 0
  let served = 0
  for (let round = 0; round < times; round++) {
    for (const jump of jumps) {
      problems.push(...(await afterJump(jump)))
      inCore++
    }
    if (library !== undefined) served += await serverJumps(chance, ledger, problems, library)
    say(`${inCore} jumps in core, ${served} of a server`)
  }
  if (library === undefined) say("libfaketime is not here (apt-get install faketime): the server's clock stood still")
  return {
    fault: "R7",
    done: "the clock jumps +1 h, -1 h, +10 y, -10 y in core, with a code, tokens, a device and a session on the way; and under a loaded server -1 h, back, a drift of two minutes, +1 h, +10 y",
    times: inCore + served,
    lost: ledger.breaches.length,
    figures: { "in core": inCore, "of a server (faketime)": served, "facts looked at": ledger.facts },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
