import { SettingsRefused, replay } from "@postern/conformance/recording"
import { promised } from "../action.ts"
import { loadSetup } from "../config/load.ts"
import { Failed } from "../failure.ts"
import { decidedByRecord, settingsUnusable, decidedBySetup, notOurs, recordingOf, undecided } from "../replay/setting.ts"
import { counted, differenceLines, unlikeLines } from "../replay/shown.ts"
import { complain, say, sayJson } from "../terminal/output.ts"

/** The exit code of a comparison that found a difference. */
export const differs = 4

/** The parameters of `postern replay`. */
export interface ReplayCall {
  readonly file: string
  readonly config: string | undefined
  readonly json: boolean
}

/** Decides recorded requests again, and reports the differences by rule. Fails with 4 if there are any, or if a decision is unknown. */
export const replayRecording = promised(async ({ file, config, json }: ReplayCall) => {
  const recording = recordingOf(file)
  const { beginning, ending } = recording
  const by =
    config === undefined ? decidedByRecord(beginning, file) : decidedBySetup(await loadSetup(config, undefined, notOurs), beginning)
  const replayed = await replay(recording, by).catch((error: unknown) => {
    throw error instanceof SettingsRefused && config === undefined ? settingsUnusable(file, error) : undecided(error, file, config ?? file)
  })
  const unlike = recording.entries.filter((entry) => entry.unlike !== undefined)
  const others = replayed.flatMap(({ entry, decided, difference }) =>
    difference === undefined || entry.unlike !== undefined ? [] : [{ entry, decided, difference }],
  )
  if (ending === undefined) complain(`${file} was cut off: the incomplete last entry is left out`)
  if (json) {
    sayJson({
      requests: replayed.length,
      different: others.length,
      unlike: unlike.map(({ request, unlike: was, decided: { outcome, status } }) => ({ request, was, by_record: { outcome, status } })),
      left_out: ending?.left_out ?? null,
      cut_off: ending === undefined,
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
    for (const entry of unlike) say(unlikeLines(entry).join("\n"))
    if (others.length + unlike.length > 0) say()
    for (const line of summary(replayed.length, others.length, unlike.length)) say(line)
    if (ending !== undefined && ending.left_out > 0) say(`${counted(ending.left_out, "request")} more were left out of the recording`)
  }
  if (others.length + unlike.length > 0) throw different()
})

const summary = (all: number, others: number, unlike: number): ReadonlyArray<string> => {
  if (others + unlike === 0) return [`${counted(all, "request")}, decided as ${all === 1 ? "it was" : "they were"}`]
  return [
    `${others} of ${counted(all, "request")} are decided differently`,
    ...(unlike === 0 ? [] : [`${unlike} of ${counted(all, "request")} met other rules when recorded: unknown`]),
  ]
}

/** Creates the failure of a comparison that found differences. They were already reported. */
export const different = (): Failed => new Failed({ message: "something differs", hint: undefined, details: [], code: differs })
