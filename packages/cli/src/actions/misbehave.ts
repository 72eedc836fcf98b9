import * as Effect from "effect/Effect"
import type { Report } from "@postern/conformance"
import {
  type Misbehaving,
  ScriptRefused,
  isPreset,
  misbehaviorOf,
  misbehaviors,
  presets,
  startMisbehaving,
} from "@postern/conformance/misbehave"
import { ClientRefused } from "@postern/core"
import { type Action, attempt } from "../action.ts"
import { readTriedClients } from "../conform/files.ts"
import { reportTo } from "../conform/reportFile.ts"
import { readScript } from "../conform/script.ts"
import { systemCode } from "../config/file.ts"
import { bytesOf } from "../config/bytes.ts"
import { Failed, failed, misused } from "../failure.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { interruption } from "../terminal/interruption.ts"
import { complain, say, styled, table } from "../terminal/output.ts"

/** The parameters of `postern misbehave`. */
export interface MisbehaveCall {
  readonly port: number | undefined
  readonly clientFile: string | undefined
  readonly faults: string | undefined
  readonly client: ReadonlyArray<string>
  readonly idJagAudience: ReadonlyArray<string>
  readonly idJagResource: ReadonlyArray<string>
  readonly script: string | undefined
  readonly seed: number | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly format: string | undefined
  readonly out: string | undefined
  readonly list: boolean
}

const known = (id: string): string => {
  if (misbehaviorOf(id) === undefined) throw misused(`there is no fault "${id}"`, "`postern misbehave --list` lists them")
  return id
}

const byClient = (pairs: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) throw misused(`${pair} is not CLIENT=ID`, "write --client CLIENT=ID")
      return [pair.slice(0, at), known(pair.slice(at + 1))]
    }),
  )

const text = (file: string): string => {
  try {
    return bytesOf(file).toString("utf8")
  } catch (error) {
    if (error instanceof Failed) throw error
    throw failed(`${file} cannot be read: ${systemCode(error)}`)
  }
}

const tlsIn = (cert: string | undefined, key: string | undefined): { readonly cert: string; readonly key: string } | undefined => {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw misused("a certificate needs its key", "give --tls-cert and --tls-key")
  return { cert: text(cert), key: text(key) }
}

/** A running provider, and the function that writes its report. */
interface Started {
  readonly op: Misbehaving
  readonly write: (report: Report) => void
}

const started = async (call: MisbehaveCall): Promise<Started> => {
  const { port, clientFile, faults = "all", client, seed } = call
  if (clientFile === undefined) throw misused("no clients to try", "name a file with --client-file")
  const write = reportTo(call)
  const names = faults.split(",").map((id) => id.trim())
  if (seed !== undefined && !names.includes("chaos")) throw misused("a seed only applies to the preset chaos", "add --faults chaos")
  const ids = faults === "all" ? undefined : names.map((id) => (isPreset(id) ? id : known(id)))
  const chosen = byClient(client)
  const tls = tlsIn(call.tlsCert, call.tlsKey)
  const script = call.script === undefined ? undefined : await readScript(call.script)
  const clients = await readTriedClients(clientFile)
  const stranger = Object.keys(chosen).find((each) => !clients.some(({ client_id }) => client_id === each))
  if (stranger !== undefined)
    throw misused(`${clientFile} has no client "${stranger}"`, "--client CLIENT=ID must name a client of that file")
  try {
    const crossing = { audiences: call.idJagAudience, resources: call.idJagResource }
    return { op: await startMisbehaving({ port, faults: ids, byClient: chosen, clients, crossing, script, seed, tls }), write }
  } catch (error) {
    if (error instanceof ScriptRefused) throw failed(`${call.script ?? ""} cannot be used: ${error.message}`)
    if (error instanceof ClientRefused) {
      const faultsOf = error.faults.map(({ path, reason, hint }) => `${path.join(".")}: ${reason}; ${hint}`)
      throw failed(`${clientFile} cannot be used: ${error.message.split(":\n")[0] ?? ""}`, "docs/testing.md shows such a file", faultsOf)
    }
    const [, member, fault, hint] = /^idJag: .*?\.(issuer|resources)\S*: (.*?), and (must be .*)/s.exec(String(Object(error).message)) ?? []
    if (member !== undefined) throw misused(`--id-jag-${member === "issuer" ? "audience" : "resource"}: ${fault}`, `it ${hint}`)
    if (error instanceof Error && "syscall" in error)
      throw failed(`port ${port ?? 0} cannot be used: ${systemCode(error)}`, "name another with --port")
    if (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_OSSL"))
      throw failed("the certificate and its key cannot be used", "both must be PEM, and match each other")
    throw error
  }
}

const list = (): void => {
  say(
    table(
      ["fault", "level", "a client must", "paragraph", ""],
      misbehaviors.map(({ id, level, positive, paragraph, title }) => [id, level, positive ? "accept" : "notice", paragraph, title]),
    ),
  )
  say(
    `\nPresets: ${Object.entries(presets)
      .map(([name, ids]) => `${name} (${ids.length})`)
      .join(", ")}`,
  )
}

const report = (op: Misbehaving): void => {
  say(styled("bold", "A provider with faults, for testing clients"))
  say(`\n  issuer      ${op.issuer}: correct, unless a request has acr_values=fault:ID or the header Postern-Fault: ID`)
  say(`  issuers     ${op.issuerOf("ID")}: one fault each; \`postern misbehave --list\` lists the ids`)
  say(`  scoreboard  ${op.scoreboard}`)
  say("  person      alice, with the password alice")
  if (op.seed !== undefined) say(`  seed        ${op.seed}: \`--seed ${op.seed}\` draws the same faults again`)
  say(`\n${styled("yellow", "Never let people sign in here:")} it only accepts connections from this machine. Stop it with Ctrl-C.`)
}

/** Writes the report at the end. If it cannot be written, the command fails even though it was interrupted. */
const reported = ({ op, write }: Started): void => {
  try {
    write(op.report())
  } catch (error) {
    interruption.exitCode = 1
    complain(error instanceof Error ? error.message : "the report cannot be written")
  }
}

/** Runs a misbehaving provider until interrupted, then writes the requested report. */
export const misbehaveProvider: Action<MisbehaveCall> = (call) =>
  call.list
    ? Effect.sync(list)
    : untilStopped(
        Effect.acquireRelease(
          attempt(() => started(call)),
          (all) =>
            Effect.promise(async () => {
              reported(all)
              await all.op.stop()
            }),
        ).pipe(Effect.map(({ op }) => report(op))),
      )
