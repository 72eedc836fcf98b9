import { promised } from "../commands/lazily.ts"
import { checkConfig } from "../config/check.ts"
import { readConfigText } from "../config/file.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { failed } from "../failure.ts"
import { writeFault } from "../terminal/fault.ts"
import { say, sayJson, styled } from "../terminal/output.ts"

/** Checks a file and reports every fault. */
export const checkConfigFile = promised(async ({ file, json }: { readonly file: string; readonly json: boolean }) => {
  const { config, faults } = await checkConfig(file, readConfigText(file), surroundingsOf(file))
  if (json) sayJson({ file, valid: config !== undefined, faults })
  else for (const fault of faults) say(writeFault(file, fault))
  if (config === undefined) throw failed(`${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`)
  if (!json)
    say(`${styled("green", "✓")} ${file} is fine${config.development === true ? " (development mode: http is accepted on loopback)" : ""}`)
})
