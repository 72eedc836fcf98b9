import { statSync } from "node:fs"
import { join } from "node:path"
import { type Actor, csrfOf, signIn } from "./actor.ts"
import { postern } from "../cli/run.ts"
import { integrityOf } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, startLoad, verifyAll } from "./load.ts"
import { begin, redeem, redeemDevice } from "./operations.ts"
import { pause, serveIn, type Serving } from "./process.ts"
import { breachesOf, milliseconds, type Row, type Run } from "./row.ts"
import { makeSetting, type Setting } from "./setting.ts"

/** After a restore nothing that was given out before it works: the copy cannot know what was spent or revoked since. */
const allEnded = async (actor: Actor): Promise<void> => {
  const { ledger, name } = actor
  const refusedWith = (what: string, status: number): void => {
    ledger.check(what)
    if (status !== 400) ledger.breach("revived", `${name}: after the restore a ${what} is answered ${status}`)
  }
  for (const chain of [...actor.chains, ...actor.dead]) {
    refusedWith(`${chain.use} code`, (await actor.redeem(chain.code, chain.verifier)).status)
    for (const { use, value } of chain.refresh.slice(-4)) refusedWith(`${use} refresh token`, (await actor.refresh(value)).status)
    for (const { value } of chain.access.slice(-2)) {
      ledger.check("access token")
      const active = await actor.isActive(value, chain.client.format === "reference" ? "introspect" : "userinfo")
      if (active !== false)
        ledger.breach("revived", `${name}: after the restore an access token is ${active === true ? "active" : "not judged"}`)
    }
  }
  for (const { deviceCode } of actor.devices) refusedWith("device code", (await redeemDevice(actor, deviceCode)).status)
  for (const { access } of actor.sessions) {
    ledger.check("token of a session")
    if ((await actor.isActive(access, "userinfo")) !== false) ledger.breach("revived", `${name}: after the restore a session's token works`)
  }
}

/** People and clients are there as before: someone can sign in and get tokens. */
const signsInAnew = async (actor: Actor): Promise<boolean> => {
  actor.browser.cookies.clear()
  actor.chains = []
  actor.consent = "unsure"
  if (!(await signIn(actor.browser, actor.url(), actor.person))) return false
  actor.csrf = await csrfOf(actor.browser, actor.url())
  const chain = await begin(actor)
  if (chain === undefined) return false
  await redeem(actor, chain)
  return chain.refresh.length > 0
}

const run = async (setting: Setting, ...args: ReadonlyArray<string>): Promise<void> => {
  const { code, err } = await postern([...args, "--config", setting.config], { cwd: setting.folder })
  if (code !== 0) throw new Error(`postern ${args.join(" ")} ended with ${code}: ${err}`)
}

interface Seen {
  readonly ledger: Ledger
  readonly problems: Array<string>
  longest: number
  bytes: number
}

/** A backup under load, what happens after it, and a restore of it: nothing of before works, and whoever was there can sign in. */
const disaster = async (setting: Setting, server: Serving, clients: number, chance: () => number, seen: Seen): Promise<void> => {
  const actors = await assemble(seen.ledger, clients, () => setting.url)
  // Some of them were here before, and have consented.
  for (const actor of actors) actor.consent = "unsure"
  const load = startLoad(actors, chance, { untilDown: false })
  await pause(300 + chance() * 500)
  const copy = join(setting.folder, "copy.backup")
  const began = performance.now()
  await run(setting, "backup", copy, "--force")
  seen.longest = Math.max(seen.longest, performance.now() - began)
  seen.bytes = statSync(copy).size
  await pause(300 + chance() * 500)
  load.stop()
  await load.ended
  await server.end("SIGTERM")
  const integrity = integrityOf(copy)
  if (integrity !== "ok") seen.problems.push(`of a backup integrity_check says ${integrity}`)
  await run(setting, "restore", copy, "--force")
  const restored = await serveIn(setting)
  await Promise.all(actors.map(allEnded))
  const [first] = actors
  if (first === undefined || !(await signsInAnew(first))) seen.problems.push("after the restore nobody can sign in")
  await restored.end("SIGTERM")
}

/** A move: a backup of a server that was stopped, restored with everything that was given out. */
const move = async (setting: Setting, clients: number, chance: () => number, seen: Seen): Promise<void> => {
  let server = await serveIn(setting)
  const actors = await assemble(seen.ledger, clients, () => setting.url)
  // Some of them were here before, and have consented.
  for (const actor of actors) actor.consent = "unsure"
  const load = startLoad(actors, chance, { untilDown: false })
  await pause(300 + chance() * 500)
  load.stop()
  await load.ended
  await server.end("SIGTERM")
  const copy = join(setting.folder, "move.backup")
  await run(setting, "backup", copy, "--force")
  await run(setting, "restore", copy, "--force", "--keep-sessions")
  // Codes and devices that wait are removed; whoever held one asks again.
  for (const actor of actors) {
    actor.chains = actor.chains.filter(({ use }) => use !== "fresh")
    actor.devices = []
  }
  server = await serveIn(setting)
  await verifyAll(actors, { chance, replayed: 0.4, dead: 2 })
  await server.end("SIGTERM")
}

/** R15: backups while it serves under load, restored; and moves. */
export const copies = async ({ times, seed, say }: Run, clients = 32, moves = true): Promise<Row> => {
  const chance = chanceOf(seed)
  const seen: Seen = { ledger: new Ledger(), problems: [], longest: 0, bytes: 0 }
  const setting = await makeSetting()
  try {
    for (let round = 1; round <= times; round++) {
      await disaster(setting, await serveIn(setting), clients, chance, seen)
      if (moves) await move(setting, clients, chance, seen)
      const integrity = integrityOf(setting.database)
      if (integrity !== "ok") seen.problems.push(`after ${round} restores integrity_check says ${integrity}`)
      seen.ledger.forget()
      say(`${round} backups restored and ${round} moves: ${seen.ledger.facts} facts looked at, ${seen.ledger.breaches.length} breaches`)
    }
  } finally {
    setting.remove()
  }
  return {
    fault: "R15",
    done: `a backup under ${clients} clients, restored after they went on: integrity_check, everything given out before is refused, people sign in; then a move with everything kept`,
    times,
    lost: seen.ledger.breaches.length,
    figures: {
      "facts looked at": seen.ledger.facts,
      "slowest backup": milliseconds(seen.longest),
      "its size": `${Math.round(seen.bytes / 1024)} KiB`,
    },
    problems: [...seen.problems, ...breachesOf(seen.ledger)],
  }
}
