// Reads the arguments of a task, so that every task answers `--help`, and a call that does not fit, alike.
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

/** Describes a task's call: its usage, the options it has, and what may stand beside them. */
export interface Usage<Options extends ParseArgsOptionsConfig> {
  /** Lines that `--help` prints. */
  readonly text: string
  readonly options?: Options
  /** True if words that are no options are taken. false when not given. */
  readonly words?: boolean
  /** The arguments; those of the process when not given. */
  readonly args?: ReadonlyArray<string>
}

/** Ends the process with a word on what is wrong with the call, and how it is called: exit code 2. */
export const misuse = (text: string, fault: string): never => {
  process.stderr.write(`${fault}\n\n${text}\n`)
  process.exit(2)
}

/** Reads the arguments. `--help` prints the usage and ends the process with 0; arguments that the task does not have end it with 2. */
export const argumentsOf = <const Options extends ParseArgsOptionsConfig = Record<never, never>>(usage: Usage<Options>) => {
  const args = [...(usage.args ?? process.argv.slice(2))]
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage.text}\n`)
    process.exit(0)
  }
  const { text, options, words = false } = usage
  try {
    return parseArgs({ args, allowPositionals: words, ...(options === undefined ? {} : { options }) }) as ReturnType<
      typeof parseArgs<{ options: Options; allowPositionals: true }>
    >
  } catch (error) {
    // Node's words go on about a way to write a value that begins with a dash.
    return misuse(text, error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error))
  }
}
