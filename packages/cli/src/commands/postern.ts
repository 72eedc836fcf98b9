import * as Command from "effect/cli/Command"
import type { ClientOption } from "../actions/clientOptions.ts"
import { audit } from "./audit.ts"
import { backup } from "./backup.ts"
import { checkConfig } from "./checkConfig.ts"
import { cimd } from "./cimd.ts"
import { client } from "./client.ts"
import { registration } from "./registration.ts"
import { config } from "./config.ts"
import { conform } from "./conform.ts"
import { demo } from "./demo.ts"
import { doctor } from "./doctor.ts"
import { explain } from "./explain.ts"
import { importFrom } from "./import.ts"
import { init } from "./init.ts"
import { keys } from "./keys.ts"
import { logout } from "./logout.ts"
import { mcp } from "./mcp.ts"
import { misbehave } from "./misbehave.ts"
import { proxyCheck } from "./proxyCheck.ts"
import { record } from "./record.ts"
import { replay } from "./replay.ts"
import { restore } from "./restore.ts"
import { serve } from "./serve.ts"
import { testProvider } from "./testProvider.ts"
import { user } from "./user.ts"

/** The `postern` command. `options` are the options of `client add` for client metadata. */
export const postern = (options: ReadonlyArray<ClientOption>) =>
  Command.make("postern").pipe(
    Command.withDescription("An OpenID Connect and OAuth 2.0 provider"),
    Command.withSubcommands([
      serve,
      demo,
      init,
      checkConfig,
      cimd,
      client(options),
      registration,
      user,
      keys,
      explain,
      audit,
      logout,
      doctor,
      mcp,
      proxyCheck,
      backup,
      restore,
      conform,
      misbehave,
      testProvider,
      record,
      replay,
      config,
      importFrom,
    ]),
  )
