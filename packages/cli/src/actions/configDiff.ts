import { type Recording, decideAgain } from "@postern/conformance/recording"
import { promised } from "../action.ts"
import { loadConfig } from "../config/load.ts"
import { changesOf } from "../config/reloadable.ts"
import type { Setup } from "../config/setup.ts"
import { type AgainstRecording, type Deciding, againstRecording } from "../replay/against.ts"
import { clientConsequences, ruleConsequences } from "../replay/consequences.ts"
import { decidedBySetup, notOurs, recordingOf, undecided } from "../replay/setting.ts"
import { counted } from "../replay/shown.ts"
import { printable, say, sayJson } from "../terminal/output.ts"
import { different } from "./replay.ts"

/** The parameters of `postern config diff`. */
export interface ConfigDiffCall {
  readonly before: string
  readonly after: string
  readonly against: string | undefined
  readonly json: boolean
}

/** The verbs that change their form if the subject is a single client. */
const singular: Readonly<Record<string, string>> = { are: "is", lose: "loses", gain: "gains", change: "changes" }

const sentence = (clients: ReadonlyArray<string>, happens: string): string => {
  const [verb = "", ...rest] = happens.split(" ")
  const said = clients.length === 1 ? (singular[verb] ?? verb) : verb
  return `${counted(clients.length, "client")} ${said} ${rest.join(" ")}: ${clients.join(", ")}`
}

const movesOf = ({ refused, admitted, otherwise, undecided, unlike }: AgainstRecording): number =>
  [...refused, ...admitted].reduce((sum, each) => sum + each.requests.length, otherwise.length + undecided.length + unlike.length)

const few = (requests: ReadonlyArray<string>): string =>
  printable(`  ${requests.slice(0, 5).join(", ")}${requests.length > 5 ? ", …" : ""}`)

const tellAgainst = (against: AgainstRecording): void => {
  const { requests, refused, admitted, otherwise, undecided, unlike, left_out } = against
  for (const { rule, cites, requests: each } of refused) {
    say(`${counted(each.length, "request")} would be refused by ${rule} (${cites})`)
    say(few(each))
  }
  for (const { rule, cites, requests: each } of admitted) {
    say(`${counted(each.length, "request")} would no longer be refused by ${rule} (${cites})`)
    say(few(each))
  }
  if (otherwise.length > 0) {
    say(`${counted(otherwise.length, "request")} would be answered differently`)
    say(few(otherwise))
  }
  if (undecided.length > 0) {
    say(`${counted(undecided.length, "request")} would need data that was not recorded: unknown`)
    say(few(undecided))
  }
  if (unlike.length > 0) {
    say(`${counted(unlike.length, "request")} met other rules when recorded: unknown`)
    say(few(unlike))
  }
  say(`${requests - movesOf(against)} of ${counted(requests, "recorded request")} would be decided as before`)
  if (left_out === undefined) say("the recording was cut off")
  else if (left_out > 0) say(`${counted(left_out, "request")} more were left out of the recording`)
}

/** Reports the consequences of a configuration change. Fails with 4 if there are any. */
export const diffConfigs = promised(async ({ before, after, against, json }: ConfigDiffCall) => {
  const [old, fresh] = [await loadConfig(before, undefined, notOurs), await loadConfig(after, undefined, notOurs)]
  const { changed, waiting } = changesOf(old.config, fresh.config)
  const clients = clientConsequences(old.setup, fresh.setup)
  const rules = ruleConsequences(old.setup, fresh.setup)
  const recording = against === undefined ? undefined : recordingOf(against)
  const by = (config: string, setup: Setup, { beginning }: Recording): Deciding => {
    const settings = decidedBySetup(setup, beginning)
    return (entry) =>
      decideAgain(entry, settings).catch((error: unknown) => {
        throw undecided(error, against ?? "", config)
      })
  }
  const recorded = recording && (await againstRecording(recording, by(before, old.setup, recording), by(after, fresh.setup, recording)))
  if (json) sayJson({ changed, waiting, clients, rules, ...(recorded === undefined ? {} : { against: recorded }) })
  else {
    for (const name of changed) say(printable(`${name} differs`))
    for (const name of waiting) say(printable(`${name} differs; a running server applies it after a restart`))
    for (const { clients: each, happens } of clients) say(printable(sentence(each, happens)))
    for (const { rule, cites, happens, clients: each } of rules)
      say(printable(`${rule} (${cites}) ${happens}${each === undefined ? "" : ` for ${each.join(", ")}`}`))
    if (recorded !== undefined) tellAgainst(recorded)
    else if (changed.length + waiting.length === 0) say("nothing differs")
  }
  const moves = recorded === undefined ? 0 : movesOf(recorded)
  if (changed.length + waiting.length + clients.length + rules.length + moves > 0) throw different()
})
