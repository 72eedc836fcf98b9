import { rmSync } from "node:fs"
import { messageOf } from "@postern/core/model"
import {
  type RecordingFile,
  type RecordingLimits,
  RecordingTooSmall,
  beginRecording,
  defaultRecordingLimits,
  featureNames,
  recorder,
  recordingVersion,
  settingsOf,
} from "@postern/conformance/recording"
import { createProvider } from "@postern/core"
import * as Effect from "effect/Effect"
import { type Action, attempt } from "../action.ts"
import { configOfFolder, systemCode } from "../config/file.ts"
import { type Loaded, loadConfig } from "../config/load.ts"
import { providerOptions } from "../config/providerOptions.ts"
import { noConfig, type Whereabouts } from "../data/place.ts"
import { failed } from "../failure.ts"
import { declaredClients, sectionsOf } from "../replay/setting.ts"
import { counted } from "../replay/shown.ts"
import { runProvider } from "../serve/run.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { complain, printable, styledError as styled } from "../terminal/output.ts"
import { unwritable } from "../config/unwritable.ts"
import { version } from "../version.ts"

/** The parameters of `postern record`. */
export interface RecordCall extends Whereabouts {
  readonly port: number | undefined
  readonly out: string
  readonly requests: number | undefined
  readonly megabytes: number | undefined
}

const begun = ({ out, requests, megabytes }: RecordCall, { config, setup }: Loaded, troubled: (error: unknown) => void): RecordingFile => {
  const options = providerOptions(setup)
  const limits: RecordingLimits = {
    ...defaultRecordingLimits,
    ...(requests === undefined ? {} : { requests }),
    ...(megabytes === undefined ? {} : { bytes: megabytes * 1024 * 1024 }),
  }
  const beginning = {
    postern_recording: recordingVersion,
    version,
    began_at: new Date().toISOString(),
    settings: settingsOf(options),
    features: featureNames(options.features, options.grants),
    limited: setup.limits !== undefined,
    pairwise: setup.pairwiseSalt !== undefined,
    declared: [...declaredClients(setup).keys()],
    sections: sectionsOf(config),
    ...(config.grants === undefined ? {} : { grants: JSON.parse(JSON.stringify(config.grants)) }),
  } as const
  try {
    return beginRecording(out, beginning, limits, troubled)
  } catch (error) {
    if (error instanceof RecordingTooSmall) throw failed(`${out} would be too small: ${error.message}`, "give it more with --megabytes")
    const code = systemCode(error)
    if (code === "EEXIST") throw failed(`${out} already exists`, "name another file with --out: a recording is never written over")
    if (code === "") throw error
    throw unwritable(out, error)
  }
}

/** Runs the provider of a configuration until interrupted, and records its decisions and their inputs. */
export const recordProvider: Action<RecordCall> = (call) =>
  untilStopped(
    Effect.gen(function* () {
      const file = call.config ?? configOfFolder()
      if (file === undefined) return yield* noConfig()
      const loaded = yield* attempt(() => loadConfig(file, call.data))
      const setup = call.port === undefined ? loaded.setup : { ...loaded.setup, listen: { ...loaded.setup.listen, port: call.port } }
      let settled = (): Promise<void> => Promise.resolve()
      let unlike = 0
      let ready = false
      let isTroubled = false
      const troubled = (error: unknown): void => {
        if (isTroubled) return
        isTroubled = true
        const why = systemCode(error) || messageOf(error)
        complain(printable(`${call.out}: a request could not be recorded: ${why}. It is left out; the provider keeps running.`))
      }
      const recording = yield* Effect.acquireRelease(
        attempt(async () => begun(call, loaded, troubled)),
        (written) =>
          Effect.promise(async () => {
            await settled()
            const { requests, left_out } = written.end()
            // A start that fails leaves no file that the next one would not write over.
            if (!ready && requests === 0) return rmSync(call.out, { force: true })
            complain(`${call.out}: ${counted(requests, "request")}${left_out === 0 ? "" : `, and ${left_out} left out`}`)
            if (unlike > 0) complain(`  ${counted(unlike, "request")} met other rules once the secrets were removed; they are marked`)
          }),
      )
      const { url } = yield* runProvider(
        setup,
        (trails) => trails,
        undefined,
        (options) => {
          const made = recorder(
            options,
            (entry) => {
              if (entry.unlike !== undefined) unlike++
              recording.add(entry)
            },
            (cause) => {
              recording.miss()
              troubled(cause)
            },
          )
          settled = made.settled
          return createProvider(made.options)
        },
      )
      ready = true
      complain(styled("bold", `Postern ${version}, recording`))
      complain(`  issuer     ${setup.issuer}`)
      complain(`  listening  ${url}`)
      complain(`  recording  ${call.out}: it contains names and claims of people, but no passwords or tokens. Stop it with Ctrl-C.`)
      complain("\nReady.")
    }),
  )
