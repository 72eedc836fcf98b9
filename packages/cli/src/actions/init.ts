import { inShell } from "../config/shell.ts"
import { accessSync, constants, lstatSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { Environment } from "effect/cli/Command"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { type Action, attempt } from "../action.ts"
import { checkConfig } from "../config/check.ts"
import { systemCode } from "../config/file.ts"
import { type SampleChoices, sampleJson, sampleYaml } from "../config/sample.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { failed, misused } from "../failure.ts"
import { defaultAnswers } from "../init/answers.ts"
import { type Asker, questions } from "../init/questions.ts"
import { writeFault } from "../config/writeFault.ts"
import { writeNew } from "../config/newFile.ts"
import { ask } from "../terminal/input.ts"
import { printable, say, styled } from "../terminal/output.ts"
import { unwritable } from "../config/unwritable.ts"

/** Asks at the terminal. */
const terminal: Asker<Environment> = {
  select: (message, choices) => ask(Prompt.Select({ message, choices })),
  text: (message, likely, fault) =>
    ask(
      Prompt.String({
        message,
        default: likely,
        validate: (text) => {
          const answer = text.trim()
          return Effect.flatMap(
            Effect.promise(() => fault(answer)),
            (found) => (found === undefined ? Effect.succeed(answer) : Effect.fail(found)),
          )
        },
      }),
    ),
  port: (message, likely) => ask(Prompt.Int({ message, min: 0, max: 65_535, default: likely })),
}

/** Writes a file. With `force`, an existing file is replaced atomically. */
const write = (file: string, text: string, force: boolean): void => {
  const draft = `${file}.${process.pid}`
  try {
    if (!force) return writeNew(file, text)
    writeNew(draft, text)
    renameSync(draft, file)
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw alreadyThere(file)
    if (force) rmSync(draft, { force: true })
    throw unwritable(file, error)
  }
}

/** Throws if the file could not be written, before anything is asked for it. A link to nowhere is a file, too. */
const refuseEarly = (file: string, force: boolean): void => {
  try {
    if (force || lstatSync(file, { throwIfNoEntry: false }) === undefined) return accessSync(`${dirname(file)}/.`, constants.W_OK)
  } catch (error) {
    throw unwritable(file, error)
  }
  throw alreadyThere(file)
}

const alreadyThere = (file: string) => failed(`${file} already exists`, "give another name, or --force to replace it")

/** Returns the text of a configuration that `check-config` accepts. Throws if it would be refused. */
const configText = async (file: string, choices: SampleChoices): Promise<string> => {
  const text = /\.ya?ml$/i.test(file) ? await sampleYaml(choices) : sampleJson(choices)
  const { faults } = await checkConfig(file, text, surroundingsOf(file))
  if (faults.length === 0) return text
  throw failed(
    "these answers do not form a valid configuration; nothing was written",
    "run it again with other answers",
    faults.map((fault) => writeFault(file, fault)),
  )
}

/** Asks the questions and writes a commented configuration. */
export const initConfig: Action<{ readonly file: string; readonly yes: boolean; readonly force: boolean }> = Effect.fnUntraced(function* ({
  file,
  yes,
  force,
}) {
  if (!/\.(jsonc?|ya?ml)$/i.test(file))
    return yield* misused(
      `${file} has a name that ends in neither JSON's nor YAML's extension`,
      "end the name in .jsonc, .json, .yaml or .yml",
    )
  yield* attempt(async () => refuseEarly(file, force))
  if (!yes && !process.stdin.isTTY) return yield* failed("standard input is not a terminal", "use --yes to accept every default")
  const choices = yes ? defaultAnswers : yield* questions(terminal, file)
  yield* attempt(async () => write(file, await configText(file, choices), force))
  const named = file === "postern.jsonc" ? "" : ` --config ${inShell(file)}`
  say(`${styled("green", "✓")} wrote ${printable(file)}`)
  if (choices.client?.client_secret !== undefined)
    say(`  It contains the secret of client ${choices.client.client_id}: keep the file private.`)
  say("\nNext:")
  say(`  postern user add alice${named}    a person who may sign in`)
  say(`  postern serve${named}             start the provider`)
})
