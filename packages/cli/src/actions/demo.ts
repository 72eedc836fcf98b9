import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Action, attempt } from "../action.ts"
import { databaseOf } from "../config/database.ts"
import { setupOf } from "../config/setup.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { demoPayment } from "../demo/payments.ts"
import { demoClients, demoConfig, demoPeople, playgroundScopes, televisionScope } from "../demo/config.ts"
import { playgroundServer } from "../demo/playground.ts"
import { freePorts } from "../demo/ports.ts"
import { recentTrails } from "../demo/recentTrails.ts"
import type { Failed, Misused } from "../failure.ts"
import { runProvider } from "../serve/run.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { say, styled } from "../terminal/output.ts"
import { version } from "../version.ts"

/** The preferred ports of the demo. With the same ports, links of an earlier run still work. */
const wished = { provider: 8400, playground: 8401 }

/** The maximum number of trails that the playground can show. */
const remembered = 500

const report = (issuer: string, playground: string, kept: string | undefined): void => {
  const { web, spa, tv, machine } = demoClients
  say(styled("bold", `Postern ${version}, a demo`))
  say("\n  Open the playground and sign in:\n")
  say(`    ${styled("cyan", `${playground}/`)}\n`)
  for (const { username, password } of demoPeople) say(`    ${username.padEnd(6)} ${password}`)
  say("\n  Or request a token from a terminal:\n")
  say(
    `    curl -u ${machine.client_id}:${machine.client_secret} -d grant_type=client_credentials -d scope=notes.read ${issuer}/connect/token\n`,
  )
  say(`  issuer    ${issuer}`)
  say(`  metadata  ${issuer}/.well-known/openid-configuration`)
  say(
    `  clients   ${web.client_id} (secret ${web.client_secret}), ${spa.client_id} and ${tv.client_id} (public), ${machine.client_id} (secret ${machine.client_secret})`,
  )
  say(`  data      ${kept ?? "deleted at exit; keep it with --data DIR"}`)
  say(
    `\n${styled("yellow", "Development mode with publicly known secrets:")} it only accepts connections from this machine. Stop it with Ctrl-C.`,
  )
}

const listening = (server: Server, port: number): Effect.Effect<void, Failed | Misused, Scope.Scope> => {
  const started = attempt(
    () =>
      new Promise<void>((listens, refused) => {
        server.once("error", refused)
        server.listen(port, "127.0.0.1", listens)
      }),
  )
  const stop = Effect.sync(() => {
    server.close()
    server.closeAllConnections()
  })
  return Effect.acquireRelease(started, () => stop)
}

/** Returns the folder of the demo's database: the given one, or a temporary one that is removed with the scope. */
const dataFolder = (named: string | undefined): Effect.Effect<string, never, Scope.Scope> =>
  named !== undefined
    ? Effect.succeed(named)
    : Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "postern-demo-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
      )

/** Runs a demo provider with a playground until interrupted. */
export const serveDemo: Action<{ readonly port: number | undefined; readonly data: string | undefined }> = ({ port: asked, data }) =>
  untilStopped(
    Effect.gen(function* () {
      const free = yield* attempt(() => freePorts([asked ?? wished.provider, wished.playground]))
      // A port that was given explicitly is not replaced by another one.
      const port = asked === undefined || asked === 0 ? (free[0] ?? 0) : asked
      const playgroundPort = free[1] ?? 0
      const issuer = `http://127.0.0.1:${port}`
      const playground = `http://127.0.0.1:${playgroundPort}`
      const folder = yield* dataFolder(data)
      const setup = setupOf(demoConfig({ issuer, playground, port }), surroundingsOf("postern.jsonc"), databaseOf(folder, resolve))
      const trails = recentTrails(remembered)
      yield* runProvider(setup, trails.around)
      const page = playgroundServer(
        {
          issuer,
          clientId: demoClients.spa.client_id,
          redirectUri: `${playground}/callback`,
          homeUri: `${playground}/`,
          scopes: playgroundScopes,
          details: [demoPayment],
          television: { clientId: demoClients.tv.client_id, scope: televisionScope },
          people: demoPeople.map(({ username, password }) => ({ username, password })),
        },
        trails,
      )
      yield* listening(page, playgroundPort)
      report(issuer, playground, data)
    }),
  )
