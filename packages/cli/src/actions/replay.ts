import { replay } from "@postern/conformance/recording"
import { promised } from "../action.ts"
import { loadSetup } from "../config/load.ts"
import { Failed } from "../failure.ts"
import { decidedByRecord, decidedBySetup, recordingOf } from "../replay/setting.ts"
import { counted, differenceLines } from "../replay/shown.ts"
import { complain, say, sayJson } from "../terminal/output.ts"

/** The exit code of a comparison that found a difference. */
export const differs = 4

/** The parameters of `postern replay`. */
export interface ReplayCall {
  readonly file: string
  readonly config: string | undefined
  readonly json: boolean
}

/** Decides recorded requests again, and tells rule by rule what differs. Fails with 4 where something does. */
export const replayRecording = promised(async ({ file, config, json }: ReplayCall) => {
  const recording = recordingOf(file)
  const { beginning, ending } = recording
  const by = config === undefined ? decidedByRecord(beginning) : decidedBySetup(await loadSetup(config, undefined), beginning)
  const replayed = await replay(recording, by)
  const others = replayed.flatMap(({ entry, decided, difference }) => (difference === undefined ? [] : [{ entry, decided, difference }]))
  if (ending === undefined) complain(`${file} was cut off: what was being written when it ended is left out`)
  if (json) {
    sayJson({
      requests: replayed.length,
      different: others.length,
      recorded_by: beginning.version,
      differences: others.map(({ entry: { request, at, decided: was }, decided: now, difference }) => ({
        request,
        at: new Date(at).toISOString(),
        endpoint: now.endpoint,
        client: now.client,
        was: { outcome: was.outcome, status: was.status },
        now: { outcome: now.outcome, status: now.status },
        ...difference,
        missing: now.missing ?? [],
      })),
    })
  } else {
    for (const { entry, decided, difference } of others) say(differenceLines(entry, [entry.decided, decided], difference).join("\n"))
    if (others.length > 0) say()
    say(
      others.length === 0
        ? `${counted(replayed.length, "request")}, decided as ${replayed.length === 1 ? "it was" : "they were"}`
        : `${others.length} of ${counted(replayed.length, "request")} are decided otherwise`,
    )
  }
  if (others.length > 0) throw different()
})

/** The failure of a comparison that found a difference; the difference was told before. */
export const different = (): Failed => new Failed({ message: "something differs", hint: undefined, details: [], code: differs })
