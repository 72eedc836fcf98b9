import { spawn } from "node:child_process"
import { once } from "node:events"
import { joseSigner, rotateKeys, type SigningKey, tendKeys, defaultKeyPolicy, publishedKeys, ringOf } from "@postern/core/jose"
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from "jose"
import { command } from "../support/server.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf } from "./load.ts"
import { begin, redeem, rotate } from "./operations.ts"
import { pause, serveIn, type Serving } from "./process.ts"
import { breachesOf, milliseconds, quantile, type Row, type Run } from "./row.ts"
import { makeSetting, type Setting } from "./setting.ts"

/** Results of clients that keep a key set for five minutes and never ask early. */
export interface Rotations {
  readonly verified: number
  readonly failures: number
  /** Keys that were still published after their time, or gone before it. */
  readonly misplaced: number
  readonly withoutKey: number
}

const cacheSeconds = 300
const tokenLife = 3600

/** Rotates keys in core so many times, on a clock that is moved in steps of half a minute; clients with stale key sets verify every token. */
export const rotationsInCore = async (times: number): Promise<Rotations> => {
  let now = 1_795_219_200
  let rows: ReadonlyArray<SigningKey> = []
  const store = {
    list: () => rows,
    add: (added: ReadonlyArray<SigningKey>) => {
      rows = [...rows, ...added]
      return "Committed" as const
    },
    remove: (gone: ReadonlyArray<string>) => void (rows = rows.filter(({ kid }) => !gone.includes(kid))),
  }
  const care = { store, algorithms: ["ES256"] as const, policy: defaultKeyPolicy, encryption: undefined, now: () => now }
  await tendKeys(care)
  const signer = joseSigner({ keys: store.list, now: () => now, policy: defaultKeyPolicy, readEvery: 10 })
  await signer.refresh()
  // Ten clients whose caches end at different moments.
  const clients = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => ({
      readAt: now - at * 30,
      keys: createLocalJWKSet({ keys: [...(await signer.keys())] } as unknown as JSONWebKeySet),
    })),
  )
  const tokens: Array<{ readonly jwt: string; readonly until: number }> = []
  let verified = 0
  let failures = 0
  let misplaced = 0
  let withoutKey = 0
  for (let rotation = 0; rotation < times; rotation++) {
    await rotateKeys(care, { atOnce: false })
    const until = now + 4200
    while (now < until) {
      now += 30
      await tendKeys(care)
      const jwt = await Promise.resolve(signer.sign({ alg: "ES256", typ: "JWT", claims: { sub: "alice" } })).catch(() => undefined)
      if (jwt === undefined) withoutKey++
      else tokens.push({ jwt, until: now + tokenLife })
      while ((tokens[0]?.until ?? now) < now) tokens.shift()
      for (const client of clients) {
        if (now - client.readAt >= cacheSeconds) {
          client.readAt = now
          client.keys = createLocalJWKSet({ keys: [...(await signer.keys())] } as unknown as JSONWebKeySet)
        }
        for (const token of [tokens.at(-1), tokens[0]]) {
          if (token === undefined) continue
          verified++
          await jwtVerify(token.jwt, client.keys).catch(() => failures++)
        }
      }
      // Published is what the ring says: no key leaves early, none stays late.
      const shown = new Set((await signer.keys()).map(({ kid }) => kid))
      for (const { key, removeAt } of ringOf(rows, defaultKeyPolicy, now)) {
        const due = removeAt !== undefined && removeAt + 10 <= now
        if (shown.has(key.kid) === due) misplaced++
      }
    }
  }
  // Two weeks on, the old ones are gone.
  now += defaultKeyPolicy.retain + 4000
  await tendKeys(care)
  misplaced += Math.max(0, publishedKeys(rows, defaultKeyPolicy, now).length - 1) + Math.max(0, rows.length - 1)
  return { verified, failures, misplaced, withoutKey }
}

const rotateByCommand = async (setting: Setting): Promise<string | undefined> => {
  const child = spawn(process.execPath, [command, "keys", "rotate", "--config", setting.config], { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString()))
  const [code] = (await once(child, "close")) as [number | null]
  return code === 0 ? undefined : `postern keys rotate ended with ${code}: ${said}`
}

/** R8: keys rotate under load, and the server is killed in the middle of some. */
export const keys = async ({ times, seed, say }: Run, every = 3000, clients = 8): Promise<Row> => {
  const chance = chanceOf(seed)
  const core = await rotationsInCore(times)
  say(`in core: ${core.verified} verified, ${core.failures} failures`)
  const setting = await makeSetting()
  const ledger = new Ledger()
  const problems: Array<string> = []
  const took: Array<number> = []
  let verified = 0
  let failures = 0
  let kills = 0
  const sizes: Array<number> = []
  try {
    const state: { server: Serving; going: boolean } = { server: await serveIn(setting), going: true }
    const actors = (await assemble(ledger, 64, () => setting.url)).filter(({ client }) => client.format === "jwt").slice(0, clients)
    // A client's own: cached for five minutes, and never asked again early.
    const remote = createRemoteJWKSet(new URL(`${setting.url}/.well-known/openid-configuration/jwks`), {
      cacheMaxAge: 300_000,
      cooldownDuration: 300_000,
    })
    const work = actors.map(async (actor) => {
      let chain = await begin(actor)
      while (state.going) {
        try {
          chain ??= await begin(actor)
          if (chain === undefined) continue
          if (chain.use === "fresh") await redeem(actor, chain)
          else await rotate(actor, chain)
          const token = chain.access.at(-1)?.value
          if (token === undefined) continue
          await jwtVerify(token, remote, { issuer: setting.url }).then(
            () => verified++,
            (cause: unknown) => {
              failures++
              ledger.breach("lost", `a token does not verify: ${String(cause)}`)
            },
          )
          if (chain.access.length > 20) chain = undefined
        } catch {
          // The server is down for a moment; what was asked is unsure, so another chain is begun.
          chain = undefined
          await pause(50)
        }
      }
    })
    for (let rotation = 1; rotation <= times; rotation++) {
      await pause(every * (0.5 + chance() / 2))
      const rotating = rotateByCommand(setting)
      if (rotation % 4 === 0) {
        kills++
        await pause(chance() * 400)
        await state.server.end("SIGKILL")
        state.server = await serveIn(setting)
      }
      const wrong = await rotating
      if (wrong !== undefined) problems.push(wrong)
      const began = performance.now()
      const response = await fetch(`${setting.url}/.well-known/openid-configuration/jwks`)
      const { keys: shown } = (await response.json()) as { keys: ReadonlyArray<unknown> }
      took.push(performance.now() - began)
      sizes.push(shown.length)
      if (shown.length === 0) problems.push("a key set without a key")
      say(`${rotation} rotations, ${verified} verified, ${failures} failures, ${shown.length} keys shown`)
    }
    state.going = false
    await Promise.all(work)
    await state.server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  if (core.failures + core.misplaced + core.withoutKey > 0) problems.push(`in core: ${JSON.stringify(core)}`)
  return {
    fault: "R8",
    done: `postern keys rotate under the load of ${clients} clients with a key set cached for 5 min, kill -9 in every fourth; and the same number of rotations in core on a moved clock, with ten stale caches`,
    times,
    lost: failures + core.failures,
    figures: {
      "kill -9": kills,
      "tokens verified by clients": verified,
      failures,
      "keys shown at the end": sizes.at(-1) ?? 0,
      "JWKS p99": milliseconds(quantile(took, 0.99)),
      "in core: verified": core.verified,
      "in core: failures": core.failures,
      "keys early or late": core.misplaced,
    },
    problems: [...problems, ...breachesOf(ledger)],
  }
}
