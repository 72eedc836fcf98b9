import { promised } from "../action.ts"
import { checkConfig } from "../config/check.ts"
import { clientProfiles, profileLines } from "../config/profiles.ts"
import { readConfigText } from "../config/file.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { failed } from "../failure.ts"
import { counted } from "../terminal/amounts.ts"
import { writeFault } from "../config/writeFault.ts"
import { printable, say, sayJson, styled } from "../terminal/output.ts"

/** Checks a file and reports every fault and every warning. Fails if there is a fault, or with `strict` also if there is a warning. */
export const checkConfigFile = promised(
  async ({ file, strict, json }: { readonly file: string; readonly strict: boolean; readonly json: boolean }) => {
    const { config, faults, warnings } = await checkConfig(file, readConfigText(file), surroundingsOf(file))
    if (json) sayJson({ file, valid: config !== undefined, faults, warnings, profiles: config === undefined ? [] : clientProfiles(config) })
    else {
      for (const fault of faults) say(writeFault(file, fault))
      for (const warning of warnings) say(writeFault(file, warning, styled("yellow", "warning: ")))
    }
    if (config === undefined) throw failed(`${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`)
    const warned = warnings.length === 0 ? "" : counted(warnings.length, "warning")
    if (strict && warned !== "") throw failed(`${file} has ${warned}`)
    if (json) return
    const mode = config.development === true ? " (development mode: http is accepted on loopback)" : ""
    say(`${styled("green", "✓")} ${file} is fine${warned === "" ? "" : `, with ${warned}`}${mode}`)
    for (const line of profileLines(config)) say(printable(line))
  },
)
