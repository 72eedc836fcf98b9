import * as Command from "effect/cli/Command"
import { type Action, lazily } from "../action.ts"

/** Returns a function that loads an action of a module by name. The module is imported when the action runs. */
export const actionsOf =
  <Actions>(load: () => Promise<Actions>) =>
  <Name extends keyof Actions>(name: Name) =>
  async (): Promise<Actions[Name]> =>
    (await load())[name]

/** Defines a command of subcommands. Its help says what they are about, and names them. */
export const group = <const Name extends string, const Subcommands extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  about: string,
  subcommands: Subcommands,
) =>
  Command.make(name).pipe(
    Command.withDescription(`${about}: ${subcommands.map(({ name }) => name).join(", ")}`),
    Command.withSubcommands(subcommands),
  )

/** Defines a command with its parameters. Its action is loaded when it runs. Its help shows the examples, each with its description. */
export const command = <const Name extends string, const Params extends Command.Command.Config>(
  name: Name,
  description: string,
  params: Params,
  load: () => Promise<Action<Command.Command.Config.Infer<Params>>>,
  examples: Readonly<Record<string, string>> = {},
) =>
  Command.make(name, params, lazily(load)).pipe(
    Command.withDescription(description),
    Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description }))),
  )
